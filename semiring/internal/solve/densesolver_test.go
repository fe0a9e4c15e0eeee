package solve_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/internal/solve"
)

// chainOfCycles is a chain of components of a few states each, in which each leads to the next by
// arcs of any magnitude.
func chainOfCycles(r *rand.Rand) *graph.Graph[semiring.ScaledFloat] {
	const size = 4
	var arcs []arc // logarithms of weights
	n := size * (1 + r.IntN(5))
	for s := range n {
		first := s - s%size
		arcs = append(arcs, arc{s, first + (s+1)%size, math.Log(.9 * r.Float64())})
		for range r.IntN(3) {
			if to := first + size + r.IntN(size); to < n {
				arcs = append(arcs, arc{s, to, 1400 * (2*r.Float64() - 1)})
			}
		}
	}
	return graph.Map(loops(n, arcs), semiring.Scaled{}, semiring.ScaledFromLog)
}

// Terms from outside a small component may be out of the range of float64, or of the range of its
// other states.
func TestSmallComponentsOfAnyMagnitude(t *testing.T) {
	for seed := range trials.Seeds(1000) {
		g := chainOfCycles(graphtest.Rand(seed))
		logs := graph.Map(g, semiring.Log{}, func(w semiring.ScaledFloat) semiring.LogProb { return semiring.LogProb(w.Log()) })
		near := func(a, b semiring.LogProb) bool { return a == b || math.Abs(float64(a-b)) <= 1e-9 }
		for _, both := range []struct {
			by   func(*graph.Graph[semiring.ScaledFloat], solve.Method[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error)
			logs func(*graph.Graph[semiring.LogProb]) ([]semiring.LogProb, error)
		}{
			{forwardBy[semiring.ScaledFloat], graph.Forward[semiring.LogProb]},
			{backwardBy[semiring.ScaledFloat], graph.Backward[semiring.LogProb]},
		} {
			want, err := both.by(g, solve.Elimination)
			if err != nil {
				t.Fatal(err)
			}
			got, err := both.by(g, solve.InStages)
			checkSlices(t, seed, got, err, want, nearScaled)
			inLogs := make([]semiring.LogProb, len(want))
			for s, x := range want {
				inLogs[s] = semiring.LogProb(x.Log())
			}
			gotLogs, err := both.logs(logs)
			checkSlices(t, seed, gotLogs, err, inLogs, near)
		}
	}
}

func nearScaled(a, b semiring.ScaledFloat) bool {
	x, y := a.Float64(), b.Float64()
	return x == y || math.Abs(x-y) <= 1e-11*max(math.Abs(x), math.Abs(y))
}

func checkSlices[W any](t *testing.T, seed uint64, got []W, err error, want []W, same func(a, b W) bool) {
	t.Helper()
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if !slices.EqualFunc(got, want, same) {
		t.Fatalf("seed %d: %v, want %v", seed, got, want)
	}
}
