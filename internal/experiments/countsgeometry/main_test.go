package main

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/programtest"
)

// One estimate has the same mean, the other the greater likelihood, and all are distinct.
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

// TestProgram: the figure has all three distributions.
func TestProgram(t *testing.T) {
	plot := filepath.Join(t.TempDir(), "geometry.svg")
	var stderr bytes.Buffer
	status, r, out := programtest.Reporting[struct{ Explains, Moment, Marginal []float64 }](programtest.New(newProgram))(t, t.Context(), &stderr, "-plot", plot)
	if status != 0 || len(r.Explains) != 3 || len(r.Moment) != 3 || len(r.Marginal) != 3 || !strings.Contains(out, "moment estimate ") {
		t.Fatalf("status %d, %+v, %s%s", status, r, out, &stderr)
	}
	programtest.Figure(t, plot, "moment estimate", "maximum of the marginal likelihood", "exponential family")
}
