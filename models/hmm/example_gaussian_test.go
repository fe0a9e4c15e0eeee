package hmm_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// A machine idles or works. Its power was measured, some days not.
func ExampleStartKMeans() {
	params := em.NewParams()
	power, err := hmm.NewGaussian(params, "power", hmm.Each(2), em.NewGaussian(1))
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, power)
	if err != nil {
		log.Fatal(err)
	}
	data := []hmm.Sequence[[]float64]{{Observations: [][]float64{
		{1.1}, {.9}, {1.2}, {5.2}, {4.7}, nil, {5.5}, {4.9}, {1}, {.8}, nil, {1.3}, {5.1}, {4.6}}}}
	if err := hmm.StartKMeans(m, data, rand.NewPCG(1, 2)); err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), data, nil); err != nil {
		log.Fatal(err)
	}
	for state := range 2 {
		d, err := power.Density(m.Theta, state)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("state %d: mean %.2f, variance %.3f\n", state, d.Mean()[0], d.Covariance().At(0, 0))
	}
	predictor, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	states, _, err := predictor.Best(data[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(states)
	// Output:
	// state 0: mean 1.05, variance 0.029
	// state 1: mean 5.00, variance 0.093
	// [0 0 0 1 1 1 1 1 0 0 0 0 1 1]
}
