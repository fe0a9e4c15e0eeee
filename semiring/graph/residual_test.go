package graph_test

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/graph"
)

// forwardResidual returns how far alpha is from fulfilling the equations that Forward solves: the
// greatest distance, by the ring's semiring.Metric, between the α of a state and ⊕ of its start
// weights and of α ⊗ weight over the arcs into it. A small residual says that alpha is exact for
// weights that differ by as little; alpha itself may be off by as much more as the cycles come
// close to diverging.
func forwardResidual[W any](g *graph.Graph[W], alpha []W) float64 {
	ring := g.Ring()
	sums := make([]W, g.NumStates())
	for s := range sums {
		sums[s] = ring.Zero()
	}
	row, from, arc := g.Incoming()
	for s := range sums {
		for n := row[s]; n < row[s+1]; n++ {
			sums[s] = ring.Plus(sums[s], ring.Times(alpha[from[n]], g.Weights()[arc[n]]))
		}
	}
	for _, start := range g.Starts() {
		sums[start.State] = ring.Plus(sums[start.State], start.Weight)
	}
	return graphtest.Farthest(ring, alpha, sums)
}

// backwardResidual is forwardResidual for beta and the equations that Backward solves: β of a
// state is ⊕ of its final weight and of weight ⊗ β over its arcs.
func backwardResidual[W any](g *graph.Graph[W], beta []W) float64 {
	ring := g.Ring()
	sums := slices.Clone(g.Finals())
	for s := range sums {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			sums[s] = ring.Plus(sums[s], ring.Times(g.Weights()[e], beta[g.To()[e]]))
		}
	}
	return graphtest.Farthest(ring, beta, sums)
}

func TestResidual(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%3], .95)
		alpha, errA := graph.Forward(g)
		beta, errB := graph.Backward(g)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		resA, resB := forwardResidual(g, alpha), backwardResidual(g, beta)
		if !(resA < 1e-13) || !(resB < 1e-13) {
			t.Fatalf("seed %d: residuals %v and %v", seed, resA, resB)
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
		resA, resB = forwardResidual(g, alpha), backwardResidual(g, beta)
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
		if a, b := forwardResidual(g, alpha), backwardResidual(g, beta); a != 0 || b != 0 {
			t.Fatalf("seed %d: %v %v", seed, a, b)
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
