package graph_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// A cycle diverges though the weights behind it, or before it, underflow in Real.
func TestUnderflowHidesNoDivergence(t *testing.T) {
	behind := func(extra ...arc) []arc { return append(extra, arc{1, 2, 1e-310}, arc{2, 3, 1e-315}) }
	before := func(extra ...arc) []arc { return append(extra, arc{0, 1, 1e-310}, arc{1, 2, 1e-315}) }
	for name, g := range map[string]*graph.Graph[float64]{
		"a loop, behind":        loops(4, behind(arc{0, 1, .5}, arc{1, 1, 14})),
		"two states, behind":    loops(4, behind(arc{0, 1, .5}, arc{1, 0, 14})),
		"a loop, before":        loops(4, before(arc{2, 2, 14}, arc{2, 3, .5})),
		"two states, before":    loops(4, before(arc{2, 3, 14}, arc{3, 2, 1})),
		"twenty states, behind": loops(23, append(circle(20, 1), arc{0, 20, 1e-310}, arc{20, 21, 1e-315}, arc{21, 22, 1})),
	} {
		for way, sum := range map[string]func(*graph.Graph[float64]) error{
			"path sum":   func(g *graph.Graph[float64]) error { _, err := graph.PathSum(g); return err },
			"forward":    func(g *graph.Graph[float64]) error { _, err := graph.Forward(g); return err },
			"backward":   func(g *graph.Graph[float64]) error { _, err := graph.Backward(g); return err },
			"posteriors": func(g *graph.Graph[float64]) error { _, err := graph.Posteriors(g); return err },
		} {
			if err := sum(g); !errors.Is(err, semiring.ErrDiverges) {
				t.Errorf("%s, %s: error %v, want semiring.ErrDiverges", name, way, err)
			}
		}
	}
}

// circle is a cycle of n states with weights w.
func circle(n int, w float64) []arc {
	var arcs []arc
	for s := range n {
		arcs = append(arcs, arc{s, (s + 1) % n, w})
	}
	return arcs
}

// Totals are the same in Real and in Scaled, on the way to which Real overflows or
// underflows: the right number, or an error.
func TestRealIsScaledOrAnError(t *testing.T) {
	refused := 0
	for seed := range trials.Seeds(4000) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%2], .95)
		for e := range g.Weights() {
			if r.IntN(3) == 0 {
				g.Weights()[e] *= math.Ldexp(1, r.IntN(1600)-800)
			}
		}
		want, errScaled := graph.PathSum(graphtest.Scaled(g))
		got, err := graph.PathSum(g)
		switch {
		case err != nil && errScaled == nil:
			if refused++; !errors.Is(err, semiring.ErrNotFinite) {
				t.Fatalf("seed %d: %v, and in Scaled %v", seed, err, want)
			}
		case (err == nil) != (errScaled == nil):
			t.Fatalf("seed %d: %v, error %v, and in Scaled %v, %v", seed, got, err, want, errScaled)
		case err == nil && !near(got, want.Float64()) && math.Abs(want.Float64()) > 1e-300:
			t.Fatalf("seed %d: %v, and in Scaled %v", seed, got, want)
		}
	}
	if refused == 0 {
		t.Error("nothing was out of range")
	}
}
