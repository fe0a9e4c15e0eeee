package graph_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func TestResidual(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%3], .95)
		alpha, errA := graph.Forward(g)
		beta, errB := graph.Backward(g)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		resA, errA := graph.ForwardResidual(g, alpha)
		resB, errB := graph.BackwardResidual(g, beta)
		if errA != nil || errB != nil || !(resA < 1e-13) || !(resB < 1e-13) {
			t.Fatalf("seed %d: residuals %v and %v, %v, %v", seed, resA, resB, errA, errB)
		}
		// One wrong value shows in its own equation: by half of it, less what
		// self-loops contribute.
		if g.NumStates() == 0 {
			continue
		}
		s := r.IntN(g.NumStates())
		if alpha[s] == 0 || beta[s] == 0 {
			continue
		}
		alpha[s] *= 2
		beta[s] *= 2
		resA, _ = graph.ForwardResidual(g, alpha)
		resB, _ = graph.BackwardResidual(g, beta)
		if !(resA > .01) || !(resB > .01) {
			t.Fatalf("seed %d: residuals %v and %v of a wrong value", seed, resA, resB)
		}
	}
}

// The equations hold in rings that are neither commutative nor of numbers, too.
func TestResidualOfSeries(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, measured{}, graphtest.Shape{States: 5, Arcs: 9, Starts: 2, Finals: .4}, randomSum)
		alpha, err := graph.Forward(g)
		if err != nil {
			t.Fatal(err)
		}
		beta, err := graph.Backward(g)
		if err != nil {
			t.Fatal(err)
		}
		a, errA := graph.ForwardResidual(g, alpha)
		b, errB := graph.BackwardResidual(g, beta)
		if a != 0 || b != 0 || errA != nil || errB != nil {
			t.Fatalf("seed %d: %v %v, %v %v", seed, a, b, errA, errB)
		}
	}
}

// measured is series with a discrete metric.
type measured struct{ series }

func (measured) Dist(a, b sum) float64 {
	d := 0.0
	for s := range a {
		d = max(d, math.Abs(float64(a[s]-b[s])))
	}
	for s := range b {
		d = max(d, math.Abs(float64(a[s]-b[s])))
	}
	return d
}

func TestResidualErrors(t *testing.T) {
	g := loops(2, []arc{{0, 1, .5}})
	if _, err := graph.ForwardResidual(g, []float64{1}); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
	if _, err := graph.BackwardResidual(g, []float64{1, 2, 3}); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
	ring := graph.Map(g, series{}, func(float64) sum { return sum{"": 1} })
	if _, err := graph.BackwardResidual(ring, make([]sum, 2)); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("error %v, want ErrCapability", err)
	}
	if res, err := graph.BackwardResidual(g, []float64{math.NaN(), 1}); err != nil || !math.IsNaN(res) {
		t.Errorf("residual %v, %v, want NaN", res, err)
	}
}
