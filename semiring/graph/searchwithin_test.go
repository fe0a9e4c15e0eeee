package graph_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// ExpandWithin returns the same as PruneBeam, with any estimates.
func TestExpandWithin(t *testing.T) {
	shape := graphtest.Shape{States: 6, Arcs: 12, Starts: 3, Finals: .4, Zero: .1}
	pruned := 0
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		g := merged(graphtest.New(r, semiring.Tropical{}, shape, cost))
		beam := semiring.Cost(r.IntN(6))
		want := must(graph.PruneBeam(g, beam))(t)
		pruned += g.NumStates() - len(want.State)
		for name, h := range heuristics(r, must(graph.Backward(g))(t)) {
			m := &implicit[semiring.Cost]{g: g}
			p := must(graph.ExpandWithin(t.Context(), m, beam, &graph.SearchOptions[semiring.Cost]{Heuristic: h}))(t)
			states, arcs := make([]int32, len(p.State)), make([]int32, len(p.In))
			for i, s := range p.State {
				states[i] = s / stride
			}
			for i, label := range p.In {
				arcs[i] = label - 1
			}
			for s := range p.State {
				if i, ok := slices.BinarySearch(want.State, states[s]); ok && p.Graph.Finals()[s] != want.Graph.Finals()[i] {
					t.Errorf("seed %d, %s: state %d has the final weight %v", seed, name, states[s], p.Graph.Finals()[s])
				}
				for e := p.Graph.Row()[s]; e < p.Graph.Row()[s+1]; e++ {
					to := states[p.Graph.To()[e]]
					if from := states[s]; arcs[e] < g.Row()[from] || arcs[e] >= g.Row()[from+1] || g.To()[arcs[e]] != to || p.Graph.Weights()[e] != g.Weights()[arcs[e]] {
						t.Errorf("seed %d, %s: arc %d from %d to %d, weight %v", seed, name, arcs[e], from, to, p.Graph.Weights()[e])
					}
				}
			}
			slices.Sort(states)
			slices.Sort(arcs)
			if !slices.Equal(states, want.State) || !slices.Equal(arcs, want.Arc) || len(p.Graph.Starts()) != len(want.Start) {
				t.Fatalf("seed %d, %s, beam %v: states %v, arcs %v, %d starts; want %v, %v, %d", seed, name, beam,
					states, arcs, len(p.Graph.Starts()), want.State, want.Arc, len(want.Start))
			}
		}
	}
	if pruned == 0 {
		t.Error("nothing was pruned")
	}
}

// In an infinite graph few states are expanded, and limits hold.
func TestWithinPlane(t *testing.T) {
	m := plane{x: 6, y: 3}
	opts := &graph.SearchOptions[semiring.Cost]{Heuristic: m.toGo}
	p := must(graph.ExpandWithin(t.Context(), m, 0, opts))(t)
	// The best ways turn onto the avenue y = 2 at once, and leave it at x = 6.
	if len(p.State) != 3+6+1 || len(p.In) != 3+6 {
		t.Errorf("%d states, %d arcs", len(p.State), len(p.In))
	}
	if p := must(graph.ExpandWithin(t.Context(), m, 1, opts))(t); len(p.In) <= 9 || len(p.In) >= 100 {
		t.Errorf("%d arcs within 1", len(p.In))
	}
	if _, err := graph.ExpandWithin(t.Context(), m, 0, &graph.SearchOptions[semiring.Cost]{MaxStates: 5}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := graph.ExpandWithin(ctx, m, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// failing is a graph that fails at all states from a given number on.
type failing struct {
	plane
	from int32
	err  error
}

var errFails = errors.New("no such street")

func (f *failing) Err() error { return f.err }

func (f *failing) AppendArcs(dst []graph.Arc[semiring.Cost], s int32) []graph.Arc[semiring.Cost] {
	if s >= f.from {
		f.err = errFails
		return dst
	}
	return f.plane.AppendArcs(dst, s)
}

// Every function that takes a graph returns the error of the graph, if it met it.
func TestFailingGraph(t *testing.T) {
	home := plane{x: 2, y: 2}
	calls := map[string]func(m graph.Implicit[semiring.Cost]) error{
		"search": func(m graph.Implicit[semiring.Cost]) error {
			n := 0
			for _, err := range graph.Search(t.Context(), m, &graph.SearchOptions[semiring.Cost]{Heuristic: home.toGo}) {
				if n++; err != nil || n == 3 {
					return err
				}
			}
			return nil
		},
		"within": func(m graph.Implicit[semiring.Cost]) error {
			_, err := graph.ExpandWithin(t.Context(), m, 1, &graph.SearchOptions[semiring.Cost]{Heuristic: home.toGo})
			return err
		},
		"beam": func(m graph.Implicit[semiring.Cost]) error {
			_, err := graph.Beam(t.Context(), m, &graph.BeamOptions[semiring.Cost]{MaxLayers: 5})
			return err
		},
	}
	for name, call := range calls {
		if err := call(&failing{plane: home, from: number(1, 0)}); !errors.Is(err, errFails) {
			t.Errorf("%s: error %v, want that of the graph", name, err)
		}
		if err := call(&failing{plane: home, from: number(1000, 0)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// With a limit on kept states, the best path remains, and the limit holds.
func TestWithinKeepsStates(t *testing.T) {
	shape := graphtest.Shape{States: 30, Arcs: 90, Starts: 2, Finals: .2}
	fewer := 0
	for seed := range trials.Seeds(200) {
		r := graphtest.Rand(seed)
		g := merged(graphtest.New(r, semiring.Tropical{}, shape, cost))
		all := must(graph.ExpandWithin(t.Context(), &implicit[semiring.Cost]{g: g}, 50, nil))(t)
		m := &implicit[semiring.Cost]{g: g}
		take(t, m, nil, 1)
		keep := 1 + r.IntN(20)
		p := must(graph.ExpandWithin(t.Context(), &implicit[semiring.Cost]{g: g}, 50, &graph.SearchOptions[semiring.Cost]{KeepStates: keep}))(t)
		if len(p.State) > max(keep, m.expanded) || len(p.State) > len(all.State) {
			t.Errorf("seed %d: %d states, want %d at most", seed, len(p.State), max(keep, m.expanded))
		}
		if got, want := must(graph.PathSum(p.Graph))(t), must(graph.PathSum(all.Graph))(t); got != want {
			t.Errorf("seed %d: best path %v, want %v", seed, got, want)
		}
		if len(p.State) < len(all.State) {
			fewer++
		}
	}
	if fewer < 20 {
		t.Errorf("the limit took effect %d times", fewer)
	}
}
