package graph_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func beam[W any](t *testing.T, g *graph.Graph[W], opts *graph.BeamOptions[W]) *graph.Expansion[W] {
	t.Helper()
	return must(graph.Beam(t.Context(), &implicit[W]{g: g}, opts))(t)
}

// A beam without limits keeps all paths.
func TestBeamKeepsAll(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Real{}, acyclic, unit)
		order, _ := g.TopologicalOrder()
		rank := make([]int, len(order))
		for i, s := range order {
			rank[s] = i
		}
		for name, layer := range map[string]func(int32) int{
			"by arcs": nil, "by rank": func(s int32) int { return 3*rank[s/stride] - 7 },
		} {
			part := beam(t, g, &graph.BeamOptions[float64]{Layer: layer})
			if got, want := must(graph.PathSum(part.Graph))(t), oracle.PathSum(g, 8); !near(got, want) || part.Dropped != 0 {
				t.Fatalf("seed %d, %s: path sum %v, want %v, %d states dropped", seed, name, got, want, part.Dropped)
			}
			if layer != nil && part.Graph.NumStates() > g.NumStates() {
				t.Fatalf("seed %d: %d states of %d", seed, part.Graph.NumStates(), g.NumStates())
			}
		}
	}
}

// On a cyclic graph MaxLayers layers contain the paths of fewer arcs.
func TestBeamUnrolls(t *testing.T) {
	for seed := range trials.Seeds(300) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Scaled{}, tiny, func(r *rand.Rand) semiring.ScaledFloat {
			return semiring.NewScaled(unit(r))
		})
		part := beam(t, g, &graph.BeamOptions[semiring.ScaledFloat]{MaxLayers: 5})
		if got, want := must(graph.PathSum(part.Graph))(t), oracle.PathSum(g, 4); !nearScaled(got, want) {
			t.Fatalf("seed %d: path sum %v, want %v", seed, got, want)
		}
	}
}

// beamByHand is the path sum of a beam search over layers by number of arcs, with
// weights that are all different.
func beamByHand(g *graph.Graph[float64], width int, margin float64, layers int) float64 {
	now, sum := map[int32]float64{}, 0.0
	for _, start := range g.Starts() {
		now[start.State] += start.Weight
	}
	for range layers {
		var scores []float64
		for _, x := range now {
			scores = append(scores, x)
		}
		slices.Sort(scores)
		slices.Reverse(scores)
		next := map[int32]float64{}
		for s, x := range now {
			if x == 0 || len(scores) > width && x <= scores[width] || math.Log(x) < math.Log(scores[0])-margin {
				continue
			}
			sum += x * g.Finals()[s]
			for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
				next[g.To()[e]] += x * g.Weights()[e]
			}
		}
		now = next
	}
	return sum
}

func TestBeamLikeByHand(t *testing.T) {
	shape := graphtest.Shape{States: 30, Arcs: 120, Starts: 5, Finals: .4}
	dropped := 0
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		g := graphtest.New(r, semiring.Real{}, shape, unit)
		width, margin := 1+r.IntN(6), .2+2*r.Float64()
		part := beam(t, g, &graph.BeamOptions[float64]{Width: width, Margin: margin, MaxLayers: 8})
		want := beamByHand(g, width, margin, 8)
		if got := must(graph.PathSum(part.Graph))(t); !near(got, want) {
			t.Fatalf("seed %d: path sum %v, want %v", seed, got, want)
		}
		dropped += part.Dropped
		for s, q := range part.State {
			if q%stride != 0 || part.Graph.Finals()[s] != g.Finals()[q/stride] {
				t.Fatalf("seed %d: state %d stands for %d", seed, s, q)
			}
		}
		if n := part.Graph.NumStates(); n > 8*width {
			t.Fatalf("seed %d: %d states in 8 layers of width %d", seed, n, width)
		}
	}
	if dropped < 500 {
		t.Errorf("only %d states dropped", dropped)
	}
}

// Layers of a stage are measured by the best state of it so far.
func TestBeamStage(t *testing.T) {
	// 0 -> 1 -> 2 -> 3, where 1 and 2 are of the stage of 0, and 0 -> 3.
	g := must(graph.New(semiring.Real{}, []int32{0, 2, 3, 4, 4}, []int32{1, 3, 2, 3}, []float64{.1, .5, .1, 1},
		[]graph.Start[float64]{{State: 0, Weight: 1}}, []float64{0, 0, 0, 1}))(t)
	for _, test := range []struct {
		margin  float64
		stage   func(int) int
		sum     float64
		dropped int
	}{
		{1, nil, .51, 0},
		{5, func(l int) int { return l / 3 }, .51, 0},
		{3, func(l int) int { return l / 3 }, .5, 1}, // 2, of .01
		{1, func(l int) int { return l / 3 }, .5, 1}, // 1, of .1
		{1, func(l int) int { return (l + 2) / 3 }, .5, 1},
		{3, func(l int) int { return (l + 2) / 3 }, .51, 0},
	} {
		part := beam(t, g, &graph.BeamOptions[float64]{Margin: test.margin, Layer: func(s int32) int { return int(s) / stride }, Stage: test.stage})
		if sum := must(graph.PathSum(part.Graph))(t); !near(sum, test.sum) || part.Dropped != test.dropped {
			t.Errorf("%+v: %v, %d dropped", test, sum, part.Dropped)
		}
	}
}

// The best path of a wide beam is the best path; the best path of a narrow one is a path.
func TestBeamBestPath(t *testing.T) {
	right := 0
	for seed := range trials.Seeds(300) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Tropical{}, graphtest.Shape{States: 20, Arcs: 60, Acyclic: true, Starts: 3, Finals: .3}, cost)
		best := must(graph.BestPath(g))(t)
		for _, width := range []int{1, 100} {
			part := beam(t, g, &graph.BeamOptions[semiring.Cost]{Width: width})
			path := must(graph.BestPath(part.Graph))(t)
			if path.Start < 0 {
				if width == 100 && best.Start >= 0 {
					t.Fatalf("seed %d: no path", seed)
				}
				continue
			}
			p := (&implicit[semiring.Cost]{g: g}).path(part.Path(path))
			if w := recomputed(g, p); w != path.Weight || w < best.Weight || width == 100 && w != best.Weight {
				t.Fatalf("seed %d, width %d: path %v costs %v, best %v", seed, width, p, w, best)
			}
			if width == 1 && path.Weight == best.Weight {
				right++
			}
		}
	}
	if right < 30 {
		t.Errorf("a greedy search is right %d times", right)
	}
}

// With a heuristic even the narrowest beam follows the best path.
func TestBeamHeuristic(t *testing.T) {
	for seed := range trials.Seeds(200) {
		g := graphtest.New(graphtest.Rand(seed), semiring.Tropical{}, graphtest.Shape{States: 20, Arcs: 80, Acyclic: true, Starts: 3, Finals: .3},
			func(r *rand.Rand) semiring.Cost { return semiring.Cost(r.Float64()) })
		beta, best := must(graph.Backward(g))(t), must(graph.BestPath(g))(t)
		part := beam(t, g, &graph.BeamOptions[semiring.Cost]{Margin: 1e-9, Heuristic: func(s int32) semiring.Cost { return beta[s/stride] }})
		got := must(graph.BestPath(part.Graph))(t)
		if best.Start >= 0 && len(best.Arcs) > 0 && part.Graph.NumStates() == 0 {
			t.Fatalf("seed %d: nothing kept", seed)
		}
		// A state on the best path has the best score of its layer.
		if best.Start >= 0 && (got.Start < 0 || !near(float64(got.Weight), float64(best.Weight))) {
			t.Fatalf("seed %d: %v, want %v", seed, got, best)
		}
	}
}

func TestBeamRefuses(t *testing.T) {
	g := loops(2, []arc{{0, 0, .5}, {0, 1, .5}})
	m := &implicit[float64]{g: g}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, canceled := graph.Beam(ctx, m, nil)
	_, endless := graph.Beam(t.Context(), m, &graph.BeamOptions[float64]{MaxStates: 1000})
	_, level := graph.Beam(t.Context(), m, &graph.BeamOptions[float64]{Layer: func(s int32) int { return int(s) }})
	_, infinite := graph.Beam(t.Context(), &implicit[float64]{g: loops(2, []arc{{0, 1, math.Inf(1)}})}, nil)
	_, negative := graph.Beam(t.Context(), &implicit[float64]{g: loops(2, []arc{{0, 1, -1}})}, nil)
	_, unable := graph.Beam(t.Context(), &implicit[[]int]{g: cycle(t, kCosts{2}, []int{1})}, nil)
	for name, x := range map[string][2]error{
		"canceled": {canceled, context.Canceled}, "endless": {endless, semiring.ErrLimit}, "level": {level, graph.ErrOrder},
		"infinite": {infinite, semiring.ErrNotFinite}, "negative": {negative, semiring.ErrNotFinite}, "unable": {unable, semiring.ErrCapability},
	} {
		if !errors.Is(x[0], x[1]) {
			t.Errorf("%s: error %v, want %v", name, x[0], x[1])
		}
	}
	empty := must(graph.New(semiring.Real{}, []int32{0}, nil, nil, nil, nil))(t)
	if part := beam(t, empty, nil); part.Graph.NumStates() != 0 || part.Dropped != 0 {
		t.Errorf("a part of %d states of nothing", part.Graph.NumStates())
	}
}
