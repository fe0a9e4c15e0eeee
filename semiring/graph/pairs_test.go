package graph_test

import (
	"errors"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// checkRows compares the rows of Pairs with those of AllPairs, twice each.
func checkRows[W any](t *testing.T, g *graph.Graph[W], same func(a, b W) bool) {
	t.Helper()
	want := must(graph.AllPairs(g))(t)
	pairs := must(graph.NewPairs(g))(t)
	for s := range 2 * int32(g.NumStates()) {
		s /= 2
		states, sums, err := pairs.From(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(states) == 0 || states[0] != s {
			t.Fatalf("from state %d: states %v", s, states)
		}
		row := make([]W, g.NumStates())
		for q := range row {
			row[q] = g.Ring().Zero()
		}
		for i, q := range states {
			row[q] = sums[i]
		}
		if !nearSlices(row, want[s], same) {
			t.Fatalf("from state %d: %v, want %v", s, row, want[s])
		}
	}
}

// Rows are those of AllPairs, which has tests of its own, in rings whose cycles are
// summed in different ways.
func TestPairs(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := graphtest.Rand(seed)
		real := graphtest.Substochastic(r, tiny, .95)
		checkRows(t, real, near)
		checkRows(t, graph.Map(real, semiring.Scaled{}, semiring.NewScaled), nearScaled)
		checkRows(t, graph.Map(real, plain{}, func(x float64) float64 { return x }), near)
		checkRows(t, graph.Map(real, semiring.Tropical{}, func(x float64) semiring.Cost { return semiring.Cost(1 - x) }),
			func(a, b semiring.Cost) bool { return a == b || near(float64(a), float64(b)) })
		checkRows(t, graph.Map(real, semiring.RightString{}, func(x float64) semiring.Word {
			return semiring.NewWord(int32(8*x), 1)
		}), func(a, b semiring.Word) bool { return a == b })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestPairsErrors(t *testing.T) {
	loop := func(w float64) *graph.Graph[float64] {
		return must(graph.New(semiring.Real{}, []int32{0, 1, 2}, []int32{1, 1}, []float64{.5, w}, nil, []float64{0, 0}))(t)
	}
	pairs := must(graph.NewPairs(loop(1)))(t)
	for range 2 {
		if _, _, err := pairs.From(0); !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("a divergent cycle: %v", err)
		}
	}
	words := graph.Map(loop(.5), semiring.LeftString{}, func(float64) semiring.Word { return semiring.NewWord(1) })
	if _, err := graph.NewPairs(words); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without distribution from the right: %v", err)
	}
	none := must(graph.New(semiring.Real{}, []int32{0}, nil, nil, nil, nil))(t)
	if _, err := graph.NewPairs(none); err != nil {
		t.Errorf("a graph without states: %v", err)
	}
}
