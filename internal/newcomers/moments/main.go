// Command moments estimates a survey in which a die answered for one person in three.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/moments"
)

// Two questions, yes or no, are answered by one of four words.
var words = []string{"neither", "second", "first", "both"}

const people, keep = 20000, 2. / 3

func main() {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(1, 2))
	// Statistics of an answer: yes to the first, yes to the second, and both.
	family, err := moments.NewFamily(mat.NewDense(4, 3, []float64{
		0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1,
	}), []string{"first", "second", "both"})
	if err != nil {
		log.Fatal(err)
	}
	survey, err := moments.RandomizedResponse(keep, []float64{.25, .25, .25, .25})
	if err != nil {
		log.Fatal(err)
	}

	// The truth: people who do the one tend to do the other.
	theta := []float64{-1, -.5, 1.2}
	truth := family.Probabilities(theta)
	var answers []int
	counts := make([]float64, len(words))
	for range people {
		x, y := rng.Float64(), 0
		for said := survey.Output(truth); x >= said[y]; y++ {
			x -= said[y]
		}
		answers = append(answers, y)
		counts[y]++
	}

	// By moments: the value of an answer, the sum of these, and the θ that fits.
	worth, err := survey.Invert(family)
	if err != nil {
		log.Fatal(err)
	}
	total, n, err := moments.Table[int](worth).Total(3, slices.All(answers))
	if err != nil {
		log.Fatal(err)
	}
	result, err := moments.Fit(ctx, family.LogPartition(float64(n)), total, &moments.Options{Ridge: -1})
	if err != nil {
		log.Fatal(err)
	}
	covariance, err := family.MomentCovariance(result.Theta, survey.Noise(worth))
	if err != nil {
		log.Fatal(err)
	}
	errorsOfTheta, errorsOfP, err := family.StandardErrors(result.Theta, covariance, people)
	if err != nil {
		log.Fatal(err)
	}
	for j := range theta {
		fmt.Printf("%-7s θ %5.2f ± %.2f, in truth %5.2f\n", family.Name(j), result.Theta[j], errorsOfTheta[j], theta[j])
	}

	likelihood, err := family.MarginalLikelihood(survey, counts)
	if err != nil {
		log.Fatal(err)
	}
	best, err := em.Fit(ctx, likelihood, &em.Options{Method: em.LBFGS{}})
	if err != nil {
		log.Fatal(err)
	}
	fitted, likeliest := family.Probabilities(result.Theta), family.Probabilities(best.Theta)
	for y, word := range words {
		fmt.Printf("%-7s said %.3f; moments %.3f ± %.3f, likelihood %.3f, in truth %.3f\n", word,
			counts[y]/people, fitted[y], errorsOfP[y], likeliest[y], truth[y])
	}
}
