package graph_test

import (
	"errors"
	"math"
	"slices"
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

// Sums of pairs are the same in Real and in Scaled where Real overflows on the way, and none
// is infinite or not a number.
func TestPairsInRealAreScaledOrAnError(t *testing.T) {
	compared, refused := 0, 0
	for seed := range trials.Seeds(3000) {
		r := graphtest.Rand(seed)
		g := graphtest.Substochastic(r, graphtest.CyclicShapes[seed%2], .95)
		for e := range g.Weights() {
			switch r.IntN(8) {
			case 0:
				g.Weights()[e] *= 1e200
			case 1:
				g.Weights()[e] = 0
			}
		}
		inScaled, errScaled := graph.AllPairs(graphtest.Scaled(g))
		all, err := graph.AllPairs(g)
		rows := must(graph.NewPairs(g))(t)
		for p := range inScaled {
			states, sums, err := rows.From(int32(p))
			for n, q := range states {
				switch want := inScaled[p][q].Float64(); {
				case err != nil:
				case math.IsInf(want, 0) || !near(sums[n], want):
					t.Errorf("seed %d: from %d to %d %v, in Scaled %v", seed, p, q, sums[n], inScaled[p][q])
				}
			}
		}
		switch inRange := !slices.ContainsFunc(slices.Concat(inScaled...), func(x semiring.ScaledFloat) bool { return math.IsInf(x.Float64(), 0) }); {
		case (err == nil) != (errScaled == nil && inRange):
			t.Fatalf("seed %d: error %v, in Scaled %v", seed, err, errScaled)
		case err != nil:
			refused++
		default:
			compared++
			for p, row := range all {
				for q, x := range row {
					if !near(x, inScaled[p][q].Float64()) {
						t.Fatalf("seed %d: from %d to %d %v, in Scaled %v", seed, p, q, x, inScaled[p][q])
					}
				}
			}
		}
	}
	if compared == 0 || refused == 0 {
		t.Errorf("%d compared, %d out of range", compared, refused)
	}
}

// A sequence by way of weights that overflow in Real has the weight that it has in Scaled, or
// there is an error: 1e200·1e200·1e-300 is 1e100.
func TestBestSequencesOverflow(t *testing.T) {
	g := loops(4, []arc{{0, 1, 1e200}, {1, 2, 1e200}, {2, 3, 1e-300}, {0, 3, 1e99}})
	labels := []int32{1, 2, 3, 4} // by arc
	for s, err := range graph.BestSequences(g, labels, nil) {
		switch {
		case err != nil && errors.Is(err, semiring.ErrNotFinite):
		case err != nil || !(s.Weight <= math.MaxFloat64):
			t.Errorf("%d weighs %v, error %v, want a finite weight or semiring.ErrNotFinite", s.Labels, s.Weight, err)
		}
	}
}
