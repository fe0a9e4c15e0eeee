package graph_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// randomRows returns the rows of an acyclic graph with ten arcs out of each state,
// the first to the next state and the others at most span ahead.
func randomRows(r *rand.Rand, arcs, span int) (row, to []int32) {
	const degree = 10
	states := arcs/degree + 1
	row, to = make([]int32, 1, states+1), make([]int32, 0, arcs)
	for s := range states - 1 {
		to = append(to, int32(s+1))
		for range degree - 1 {
			to = append(to, int32(s+1+r.IntN(min(span, states-1-s))))
		}
		row = append(row, int32(len(to)))
	}
	return append(row, int32(len(to))), to
}

// randomCosts returns a graph over randomRows with costs between 1 and 4.
func randomCosts(tb testing.TB, arcs, span int) *graph.Graph[semiring.Cost] {
	r := graphtest.Rand(uint64(arcs))
	row, to := randomRows(r, arcs, span)
	weight, final := make([]semiring.Cost, len(to)), make([]semiring.Cost, len(row)-1)
	for e := range weight {
		weight[e] = semiring.Cost(1 + 3*r.Float64())
	}
	for s := range final {
		final[s] = semiring.Tropical{}.Zero()
	}
	final[len(final)-1] = 0
	g, err := graph.New(semiring.Tropical{}, row, to, weight, []graph.Start[semiring.Cost]{{State: 0}}, final)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// The cost of one arc in graphs of growing size, in processor time. The targets of
// arcs are within the next 50 states (near) or anywhere ahead (far).
func BenchmarkScale(b *testing.B) {
	for _, span := range []struct {
		name string
		span int
	}{{"near", 50}, {"far", 1 << 30}} {
		for arcs := 10_000; arcs <= 10_000_000; arcs *= 10 {
			b.Run(fmt.Sprintf("%s/%.0e", span.name, float64(arcs)), func(b *testing.B) {
				benchScale(b, randomCosts(b, arcs, span.span))
			})
		}
	}
}

func benchScale(b *testing.B, g *graph.Graph[semiring.Cost]) {
	b.Run("Scaled", func(b *testing.B) { benchRing(b, scaledOf(g)) })
	b.Run("Log", func(b *testing.B) { benchRing(b, logOf(g)) })
	b.Run("Tropical", func(b *testing.B) { benchRing(b, g) })
	b.Run("Expectation", func(b *testing.B) { benchRing(b, expectationOf(g)) })
}

// expectationOf returns g with the expected number of arcs along.
func expectationOf(g *graph.Graph[semiring.Cost]) *graph.Graph[counted] {
	scaled := semiring.Scaled{}
	ring := semiring.Expectation(scaled, semiring.Scalar(scaled))
	return graph.Map(g, ring, func(c semiring.Cost) counted {
		p := semiring.ScaledFromLog(-float64(c))
		return counted{P: p, V: p}
	})
}

type counted = semiring.Expected[semiring.ScaledFloat, semiring.ScaledFloat]

func benchRing[W any](b *testing.B, g *graph.Graph[W]) {
	b.Run("PathSum", func(b *testing.B) { benchCall(b, g, graph.PathSum) })
	b.Run("Forward", func(b *testing.B) { benchCall(b, g, graph.Forward) })
	b.Run("Posteriors", func(b *testing.B) { benchCall(b, g, graph.Posteriors) })
}

// perArc is to be deferred before the loop of a benchmark.
func perArc(b *testing.B, arcs int) func() { return benchtime.Per(b, arcs, "arc") }
