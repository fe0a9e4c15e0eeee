package graph_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// TestFromArcs: the rows are those that were listed, whatever states are named where.
func TestFromArcs(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		arcs := make([][]graph.Arc[float64], rng.IntN(4))
		final, states := map[int32]float64{}, max(1, len(arcs))
		name := func() int32 {
			s := rng.Int32N(6)
			states = max(states, int(s)+1)
			return s
		}
		for range rng.IntN(3) {
			final[name()] = rng.Float64()
		}
		for s := range arcs {
			for range rng.IntN(3) {
				arcs[s] = append(arcs[s], graph.Arc[float64]{To: name(), Weight: rng.Float64()})
			}
		}
		g, err := graph.FromArcs(semiring.Real{}, final, arcs...)
		if err != nil {
			t.Fatal(err)
		}
		if g.NumStates() != states {
			t.Fatalf("seed %d: %d states, want %d", seed, g.NumStates(), states)
		}
		if starts := g.Starts(); len(starts) != 1 || starts[0] != (graph.Start[float64]{State: 0, Weight: 1}) {
			t.Errorf("seed %d: starts %v", seed, starts)
		}
		for s := range states {
			var got, want []graph.Arc[float64]
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				got = append(got, graph.Arc[float64]{To: g.To()[e], Weight: g.Weights()[e]})
			}
			if s < len(arcs) {
				want = arcs[s]
			}
			if !slices.Equal(got, want) || g.Finals()[s] != final[int32(s)] {
				t.Errorf("seed %d: state %d has %v and ends with %g, want %v and %g", seed, s, got, g.Finals()[s], want, final[int32(s)])
			}
		}
	}
	for state, target := range map[int32]error{-1: semiring.ErrShape, math.MaxInt32: semiring.ErrLimit} {
		if _, err := graph.FromArcs(semiring.Real{}, map[int32]float64{state: 1}); !errors.Is(err, target) {
			t.Errorf("final state %d: %v", state, err)
		}
		if _, err := graph.FromArcs(semiring.Real{}, nil, []graph.Arc[float64]{{To: state, Weight: 1}}); !errors.Is(err, target) {
			t.Errorf("an arc to state %d: %v", state, err)
		}
	}
}
