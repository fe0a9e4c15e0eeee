package graph_test

import (
	"math"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// BenchmarkPosteriors measures posteriors with results in the same storage, and loops written by
// hand, on the graphs of BenchmarkScale. For Real the arcs of a state are divided by their sum,
// so that totals are in the range of float64.
func BenchmarkPosteriors(b *testing.B) {
	eachSize(b, func(b *testing.B, g *graph.Graph[semiring.Cost]) {
		n := normalized(g)
		b.Run("Real", func(b *testing.B) { benchInto(b, realOf(n)) })
		b.Run("Real/hand", func(b *testing.B) { benchHandPosteriors(b, n) })
		b.Run("Scaled", func(b *testing.B) { benchInto(b, scaledOf(g)) })
		b.Run("Scaled/hand", func(b *testing.B) { benchHandPosteriors(b, g) })
		b.Run("Log", func(b *testing.B) { benchInto(b, logOf(g)) })
		b.Run("Log/hand", func(b *testing.B) { benchHandLogPosteriors(b, g) })
	})
}

// benchInto measures Posteriors with results in the same storage.
func benchInto[W any](b *testing.B, g *graph.Graph[W]) {
	var p graph.Posterior[W]
	benchCall(b, g, func(g *graph.Graph[W]) (W, error) { return p.Total, graph.PosteriorsInto(&p, g) })
}

// normalized returns g with costs by which every state is left with probability 1.
func normalized(g *graph.Graph[semiring.Cost]) *graph.Graph[semiring.Cost] {
	m := graph.Map(g, semiring.Tropical{}, func(c semiring.Cost) semiring.Cost { return c })
	for s := range m.NumStates() {
		leaving := m.Weights()[m.Row()[s]:m.Row()[s+1]]
		sum := 0.0
		for _, c := range leaving {
			sum += math.Exp(-float64(c))
		}
		for e := range leaving {
			leaving[e] += semiring.Cost(math.Log(sum))
		}
	}
	return m
}

// benchHandPosteriors is a single-purpose loop: handBackward, then the posteriors of
// the arcs, pushed forward from state to state.
func benchHandPosteriors(b *testing.B, g *graph.Graph[semiring.Cost]) float64 {
	row, to, w := g.Row(), g.To(), realOf(g).Weights()
	n := g.NumStates()
	mant, exp, flow := make([]float64, n), make([]int32, n), make([]float64, n)
	arc := make([]float64, g.NumArcs())
	pass := func() {
		handBackward(row, to, w, mant, exp)
		clear(flow)
		flow[0] = 1
		for s := range n - 1 {
			lo, hi := row[s], row[s+1]
			next, ws, p := to[lo:hi], w[lo:hi], arc[lo:hi]
			scale, e := flow[s]/mant[s], exp[s]
			for k, t := range next {
				m := mant[t]
				if d := exp[t] - e; d != 0 {
					m = math.Ldexp(m, 256*int(d))
				}
				p[k] = scale * ws[k] * m
				flow[t] += p[k]
			}
		}
	}
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		pass() // a loop in here would be slowed down by b.Loop
	}
	if math.Abs(flow[n-1]-1) > 1e-9 {
		b.Errorf("a path ends with probability %v", flow[n-1])
	}
	return math.Log(mant[0]) + float64(exp[0])*256*math.Ln2
}

// benchHandLogPosteriors is a single-purpose loop: handLogBackward, then the
// posteriors of the arcs, pushed forward from state to state.
func benchHandLogPosteriors(b *testing.B, g *graph.Graph[semiring.Cost]) float64 {
	row, to, w := g.Row(), g.To(), logWeights(g)
	n := g.NumStates()
	beta, flow, arc := make([]float64, n), make([]float64, n), make([]float64, g.NumArcs())
	pass := func() {
		handLogBackward(row, to, w, beta)
		clear(flow)
		flow[0] = 1
		for s := range n - 1 {
			lo, hi := row[s], row[s+1]
			next, ws, p := to[lo:hi], w[lo:hi], arc[lo:hi]
			for k, t := range next {
				p[k] = flow[s] * math.Exp(ws[k]+beta[t]-beta[s])
				flow[t] += p[k]
			}
		}
	}
	defer perArc(b, g.NumArcs())()
	for b.Loop() {
		pass() // a loop in here would be slowed down by b.Loop
	}
	if math.Abs(flow[n-1]-1) > 1e-9 {
		b.Errorf("a path ends with probability %v", flow[n-1])
	}
	return beta[0]
}
