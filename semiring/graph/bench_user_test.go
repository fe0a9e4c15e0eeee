package graph_test

import (
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// masses is Real as a user of this module would write it, with passes of its own.
type masses struct{ semiring.Semiring[float64] }

func (masses) Laws() semiring.Laws { return semiring.Commutative }

func (masses) Sweep(x []float64, order, row []int32, w []float64, i []int32) {
	for p := range len(row) - 1 {
		s := p
		if order != nil {
			s = int(order[p])
		}
		sum := x[s]
		for n := int(row[s]); n < int(row[s+1]); n++ {
			sum += w[n] * x[i[n]]
		}
		x[s] = sum
	}
}

func (masses) Spread(x []float64, order, row []int32, w []float64, i []int32) {
	for p := range len(row) - 1 {
		s := p
		if order != nil {
			s = int(order[p])
		}
		for n := int(row[s]); n < int(row[s+1]); n++ {
			x[i[n]] += x[s] * w[n]
		}
	}
}

// kernels is Real without its passes: one call of its kernel per state.
type kernels struct {
	semiring.Semiring[float64]
	semiring.Kernel[float64]
}

// folds is Real without any capability: two calls per arc.
type folds struct{ semiring.Semiring[float64] }

func (folds) Laws() semiring.Laws { return semiring.Commutative }

// What a ring's capabilities are worth, on a lattice of a million arcs.
func BenchmarkUserRing(b *testing.B) {
	costs := randomCosts(b, 1_000_000, 50)
	real := realOf(costs)
	over := func(ring semiring.Semiring[float64]) *graph.Graph[float64] {
		return graph.Map(real, ring, func(w float64) float64 { return w })
	}
	for _, c := range []struct {
		name string
		g    *graph.Graph[float64]
	}{
		{"Real", real},
		{"own passes", over(masses{semiring.Real{}})},
		{"own Kernel", over(kernels{semiring.Real{}, semiring.Real{}})},
		{"neither", over(folds{semiring.Real{}})},
	} {
		b.Run(c.name+"/PathSum", func(b *testing.B) { benchCall(b, c.g, graph.PathSum) })
		b.Run(c.name+"/Forward", func(b *testing.B) { benchCall(b, c.g, graph.Forward) })
	}
	b.Run("hand/PathSum", func(b *testing.B) { benchHandReal(b, real) })
}

// benchHandReal is a single-purpose loop.
func benchHandReal(b *testing.B, g *graph.Graph[float64]) {
	row, to, w := g.Row(), g.To(), g.Weights()
	beta := make([]float64, g.NumStates())
	pass := func() {
		beta[len(beta)-1] = 1
		for s := len(beta) - 2; s >= 0; s-- {
			lo, hi := row[s], row[s+1]
			next, ws, sum := to[lo:hi], w[lo:hi], 0.0
			for n, t := range next {
				sum += ws[n] * beta[t]
			}
			beta[s] = sum
		}
	}
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		pass() // a loop in here would be slowed down by b.Loop
	}
}
