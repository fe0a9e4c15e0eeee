package moments_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/moments"
)

// People give one of three answers, but half of the time a die answers for them. Their true answers
// are estimated without knowing who told the truth.
func Example() {
	ctx := context.Background()
	phi := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 0}) // a row for each answer
	family, err := moments.NewFamily(phi, []string{"yes", "no"})
	if err != nil {
		log.Fatal(err)
	}
	survey, err := moments.RandomizedResponse(.5, []float64{1. / 3, 1. / 3, 1. / 3})
	if err != nil {
		log.Fatal(err)
	}
	beta, err := survey.Invert(family)
	if err != nil {
		log.Fatal(err)
	}
	answers := slices.Repeat([]int{0, 0, 0, 0, 1, 1, 1, 2, 2}, 100)
	mean := moments.Table[int](beta)
	total, n, err := mean.Total(2, slices.All(answers))
	if err != nil {
		log.Fatal(err)
	}
	result, err := moments.Fit(ctx, family.LogPartition(float64(n)), total, &moments.Options{Ridge: -1}) // as it is
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("yes, no, neither: %.2f\n", family.Probabilities(result.Theta))
	// Output:
	// yes, no, neither: [0.56 0.33 0.11]
}

// The number of observations that maximum likelihood needs per observation for the moments, as
// answers become noisier and the signal stronger.
func ExampleEfficiency() {
	family, err := moments.NewFamily(mat.NewDense(4, 2, []float64{0, 0, 0, 1, 1, 0, 1, 1}), nil)
	if err != nil {
		log.Fatal(err)
	}
	u := []float64{.25, .25, .25, .25}
	for _, theta := range [][]float64{{2, -.1}, {5, -1}} {
		fmt.Print(theta, ":")
		for _, epsilon := range []float64{.1, .3, .5, .9} {
			survey, err := moments.RandomizedResponse(epsilon, u)
			if err != nil {
				log.Fatal(err)
			}
			marginal, err := family.MarginalCovariance(theta, survey)
			if err != nil {
				log.Fatal(err)
			}
			moment, err := family.RandomizedResponseCovariance(theta, epsilon, u)
			if err != nil {
				log.Fatal(err)
			}
			efficiency, err := moments.Efficiency(marginal, moment)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf(" %.4f", efficiency)
		}
		fmt.Println()
	}
	// Output:
	// [2 -0.1]: 0.8390 0.8840 0.9269 0.9945
	// [5 -1]: 0.7481 0.7839 0.8189 0.9065
}
