package graph_test

import (
	"math"
	"testing"
	"time"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// BenchmarkWorkers measures one large sum without workers, with one and with two, in turns, so
// that a change of the speed of the processors affects all. It reports the least elapsed time and
// the least processor time of each, in nanoseconds per arc; -benchtime=20x makes 20 turns.
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
	if _, ok := semiring.As[semiring.Probabilistic[W]](g.Ring()); ok {
		b.Run("PosteriorsInto", func(b *testing.B) {
			p := new(graph.Posterior[W])
			inTurns(b, g, func(g *graph.Graph[W]) (*graph.Posterior[W], error) { return p, graph.PosteriorsInto(p, g) })
		})
	}
}

func inTurns[W, R any](b *testing.B, g *graph.Graph[W], f func(*graph.Graph[W]) (R, error)) {
	all := []*graph.Graph[W]{g, g.WithWorkers(1), g.WithWorkers(2)}
	least, cpu := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}, []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	for range max(3, b.N) {
		for i, h := range all {
			begin, used := time.Now(), benchtime.CPU()
			if _, err := f(h); err != nil {
				b.Fatal(err)
			}
			least[i] = min(least[i], float64(time.Since(begin))/float64(g.NumArcs()))
			cpu[i] = min(cpu[i], float64(benchtime.CPU()-used)/float64(g.NumArcs()))
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, name := range []string{"without", "1", "2"} {
		b.ReportMetric(least[i], "ns/arc-"+name)
		b.ReportMetric(cpu[i], "cpu-ns/arc-"+name)
	}
}
