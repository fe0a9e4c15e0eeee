package batch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/internal/graphtest"
)

var acyclic = graphtest.Shape{States: 8, Arcs: 16, Acyclic: true, Starts: 4, Finals: .4, Zero: .1}

// perArc is to be deferred before the loop of a benchmark.
func perArc(b *testing.B, arcs int) func() { return benchtime.Per(b, arcs, "arc") }

func nearTo(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func nearSlices[W any](a, b []W, near func(a, b W) bool) bool {
	for i := range a {
		if !near(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

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
