package fst_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// followed returns all paths of an acyclic machine, with their states, in no certain order.
func followed(f *fst.FST[semiring.Cost]) (all []fst.Path[semiring.Cost]) {
	ring := f.Semiring()
	var follow func(p fst.Path[semiring.Cost])
	follow = func(p fst.Path[semiring.Cost]) {
		s := p.States[len(p.States)-1]
		if w := ring.Times(p.Weight, f.Final(s)); !ring.IsZero(w) {
			end := p
			end.Weight = w
			all = append(all, end)
		}
		for _, a := range f.AppendArcs(nil, s) {
			next := fst.Path[semiring.Cost]{
				In: slices.Clone(p.In), Out: slices.Clone(p.Out),
				Weight: ring.Times(p.Weight, a.Weight), States: append(slices.Clone(p.States), a.To),
			}
			if a.In != fst.Epsilon {
				next.In = append(next.In, a.In)
			}
			if a.Out != fst.Epsilon {
				next.Out = append(next.Out, a.Out)
			}
			follow(next)
		}
	}
	starts := map[int32]semiring.Cost{} // several at a state count once
	for _, s := range f.AppendStarts(nil) {
		if w, ok := starts[s.State]; ok {
			s.Weight = ring.Plus(w, s.Weight)
		}
		starts[s.State] = s.Weight
	}
	for s, w := range starts {
		follow(fst.Path[semiring.Cost]{Weight: w, States: []int32{s}})
	}
	return all
}

// The best paths are the first of all paths by their weights, with the arcs and states that
// package graph finds.
func TestBestPaths(t *testing.T) {
	several := 0
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		f := weighted(r, costs, fsttest.Shape{States: 6, Arcs: 12, Labels: 2, Epsilon: .3, Acyclic: true}, func() semiring.Cost { return semiring.Cost(r.IntN(9)) })
		all := followed(f)
		slices.SortFunc(all, func(p, q fst.Path[semiring.Cost]) int { return cmp.Compare(p.Weight, q.Weight) })
		left := map[string]int{}
		for _, p := range all {
			left[fmt.Sprint(p)]++
		}
		n := r.IntN(len(all) + 3)
		got := must(fst.BestPaths(f, n, nil))(t)
		if len(got) != min(n, len(all)) {
			t.Fatalf("seed %d: %d paths, want %d of %d", seed, len(got), n, len(all))
		}
		for i, p := range got {
			if x := fmt.Sprint(p); p.Weight != all[i].Weight || left[x] == 0 {
				t.Fatalf("seed %d, path %d: %s, want one of weight %v that is left", seed, i, x, all[i].Weight)
			} else {
				left[x]--
			}
		}
		if len(got) > 1 {
			several++
		}
		i := 0
		for p := range must(graph.BestPaths(f.Graph()))(t) {
			if i == len(got) {
				break
			}
			states := []int32{p.Start}
			for _, e := range p.Arcs {
				states = append(states, f.Graph().To()[e])
			}
			if !slices.Equal(states, got[i].States) || p.Weight != got[i].Weight {
				t.Fatalf("seed %d, path %d: %v, want states %v and weight %v", seed, i, got[i], states, p.Weight)
			}
			i++
		}
		// A lazy machine has the states of its frozen form.
		lazy := opaque(f)
		if x, y := fmt.Sprint(must(fst.BestPaths(lazy, n, nil))(t)), fmt.Sprint(must(fst.BestPaths(must(fst.Expand(lazy, nil))(t), n, nil))(t)); x != y {
			t.Fatalf("seed %d: a lazy machine has %s, want %s", seed, x, y)
		}
	}
	if several < 50 {
		t.Errorf("%d lists of several paths", several)
	}
}

func TestBestPathsErrors(t *testing.T) {
	if _, err := fst.BestPaths(fst.FromString(reals, []int32{1}), 1, nil); !errors.Is(err, semiring.ErrCapability) || !strings.HasPrefix(err.Error(), "fst: BestPaths(2 states and 1 arc): ") {
		t.Errorf("a ring without order: %v", err)
	}
	if _, err := fst.BestPaths(opaque(fst.FromString(costs, []int32{1})), 1, &fst.Options{Limit: 2}); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("3 states and arcs within 2: %v", err)
	}
	for _, n := range []int{0, -1} {
		if paths, err := fst.BestPaths(fst.FromString(costs, nil), n, nil); len(paths) > 0 || err != nil {
			t.Errorf("%d paths: %v, %v", n, paths, err)
		}
	}
}
