package main

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// One estimate has the mean, the other the greater likelihood, and all lie apart.
func TestGeometry(t *testing.T) {
	g, err := newGeometry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mean := g.family.Mean(g.explains)[0]
	if x := g.family.Mean(g.moment)[0]; math.Abs(x-mean) > 1e-6 {
		t.Errorf("mean %g, want %g", x, mean)
	}
	if !floats.EqualApprox(g.explains, []float64{.35, .1, .55}, 1e-5) {
		t.Errorf("%v explains the observations", g.explains)
	}
	if math.Abs(g.family.Mean(g.marginal)[0]-mean) < .1 {
		t.Errorf("the estimates are the same: %v and %v", g.moment, g.marginal)
	}
	for _, q := range ends(mean) {
		if x := g.family.Mean(q)[0]; math.Abs(x-mean) > 1e-12 || math.Abs(floats.Sum(q)-1) > 1e-12 {
			t.Errorf("%v has the mean %g", q, x)
		}
	}
}
