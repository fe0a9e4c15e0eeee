package em_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
)

// TestGaussianSample: the M step finds the parameters that vectors were drawn with.
func TestGaussianSample(t *testing.T) {
	g := em.NewGaussian(2, 1)
	theta := []float64{1, 3, -1, 5, 2, .8, 1, .25} // mean, {{2, .8}, {.8, 1}}, {.25}
	d, err := g.Density(theta)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 7))
	counts, fitted := make([]float64, g.Len()), make([]float64, g.Len())
	const n = 100_000
	for range n {
		g.AddCounts(counts, d.Sample(rng), 1)
	}
	g.Start(fitted)
	if err := g.Maximize(fitted, counts); err != nil {
		t.Fatal(err)
	}
	for i, want := range theta {
		if math.Abs(fitted[i]-want) > 8*2/math.Sqrt(n) {
			t.Errorf("parameter %d is %.4f, want %.4f", i, fitted[i], want)
		}
	}
}
