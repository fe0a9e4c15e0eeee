package graph_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// BenchmarkWorkers measures one large sum without workers, with one and with two, in turns, so
// that a change of the speed of the processors affects all. It reports the least elapsed time of
// each, in nanoseconds per arc; -benchtime=20x makes 20 turns.
func BenchmarkWorkers(b *testing.B) {
	for _, span := range []struct {
		name string
		span int
	}{{"near", 50}, {"far", 1 << 30}} {
		g := randomCosts(b, 10_000_000, span.span)
		b.Run(span.name, func(b *testing.B) {
			b.Run("Scaled", func(b *testing.B) { benchWorkers(b, scaledOf(g)) })
			b.Run("Real", func(b *testing.B) { benchWorkers(b, balanced(g)) })
			b.Run("Log", func(b *testing.B) { benchWorkers(b, logOf(g)) })
			b.Run("Tropical", func(b *testing.B) { benchWorkers(b, g) })
			b.Run("Expectation", func(b *testing.B) { benchWorkers(b, expectationOf(g)) })
		})
	}
}

// balanced returns g with random probabilities of the arcs out of each state, which sum to 1, so
// numbers stay in the range of Real.
func balanced(g *graph.Graph[semiring.Cost]) *graph.Graph[float64] {
	p := realOf(g)
	w := p.Weights()
	for s, lo := range g.Row()[:g.NumStates()] {
		sum, leaving := 0.0, w[lo:g.Row()[s+1]]
		for _, x := range leaving {
			sum += x
		}
		for e := range leaving {
			leaving[e] /= sum
		}
	}
	return p
}

func benchWorkers[W any](b *testing.B, g *graph.Graph[W]) {
	b.Run("PathSum", func(b *testing.B) { inTurns(b, g, graph.PathSum) })
	if _, ok := semiring.As[semiring.Prober[W]](g.Ring()); ok {
		b.Run("Posteriors", func(b *testing.B) { inTurns(b, g, graph.Posteriors) })
	}
	if _, ok := semiring.As[semiring.Ordered[W]](g.Ring()); ok {
		b.Run("BestPath", func(b *testing.B) { inTurns(b, g, graph.BestPath) })
	}
}

func inTurns[W, R any](b *testing.B, g *graph.Graph[W], f func(*graph.Graph[W]) (R, error)) {
	all := []*graph.Graph[W]{g, g.WithWorkers(1), g.WithWorkers(2)}
	least := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	for range max(3, b.N) {
		for i, g := range all {
			begin := time.Now()
			if _, err := f(g); err != nil {
				b.Fatal(err)
			}
			least[i] = min(least[i], float64(time.Since(begin))/float64(g.NumArcs()))
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(least[0], "ns/arc-without")
	for i, ns := range least[1:] {
		b.ReportMetric(ns, fmt.Sprintf("ns/arc-%d", i+1))
	}
}
