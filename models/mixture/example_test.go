package mixture_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/mixture"
)

// Two clusters of numbers, found by EM from six starts.
func Example() {
	x := [][]float64{{1.1}, {0.9}, {1.0}, {1.3}, {5.2}, {4.8}, {5.0}, {4.9}}
	prior := em.GaussianPrior{Degrees: 1, Scale: []float64{.1}}
	m, data, err := mixture.Gaussian(x, 2, mixture.Diagonal, prior)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), data, &em.Options{Restarts: 5, Rand: rand.NewPCG(1, 2)}); err != nil {
		log.Fatal(err)
	}
	n, err := m.Network()
	if err != nil {
		log.Fatal(err)
	}
	low, err := n.Posteriors(bayes.Row{math.NaN(), 1.2})
	if err != nil {
		log.Fatal(err)
	}
	high, err := n.Posteriors(bayes.Row{math.NaN(), 4})
	if err != nil {
		log.Fatal(err)
	}
	same := 0.
	for c, p := range low.States(0) {
		same += p * high.States(0)[c]
	}
	fmt.Printf("1.2 and 4 are of the same cluster with probability %.2f\n", same)
	// Output: 1.2 and 4 are of the same cluster with probability 0.00
}
