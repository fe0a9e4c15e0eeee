package privacy_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/moments"
	"example.org/pathsum/moments/privacy"
)

// A model of answers that were made private: how people come to work, with standard errors of
// the shares. Of 10000, half come by car, three in ten by train, two on foot.
func ExampleEstimate_Total() {
	question, err := privacy.NewRandomizedResponse(3, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	source := privacy.NotPrivate(rand.NewPCG(1, 2)) // only here: otherwise nil
	var tally privacy.Tally
	for i := range 10000 {
		r, err := question.Release([]int{0, 0, 0, 0, 0, 1, 1, 1, 2, 2}[i%10], source)
		if err != nil {
			log.Fatal(err)
		}
		if err := tally.Add(r); err != nil {
			log.Fatal(err)
		}
	}
	e, err := tally.Estimate()
	if err != nil {
		log.Fatal(err)
	}
	n := float64(e.Records)

	family, err := moments.NewFamily(mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 0}), []string{"car", "train"})
	if err != nil {
		log.Fatal(err)
	}
	fit, err := moments.Fit(context.Background(), family.LogPartition(n), family.Mean(e.Total()), &moments.Options{Ridge: -1})
	if err != nil {
		log.Fatal(err)
	}
	covariance, err := family.RandomizedResponseCovariance(fit.Theta, question.Keep(), question.Replacement())
	if err != nil {
		log.Fatal(err)
	}
	weights, shares, err := family.StandardErrors(fit.Theta, covariance, n)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("shares %.3f ± %.3f\n", family.Probabilities(fit.Theta), shares)
	fmt.Printf("ln P(car)/P(foot), ln P(train)/P(foot): %.2f ± %.2f\n", fit.Theta, weights)
	// Output:
	// shares [0.505 0.279 0.216] ± [0.013 0.013 0.012]
	// ln P(car)/P(foot), ln P(train)/P(foot): [0.85 0.26] ± [0.08 0.09]
}
