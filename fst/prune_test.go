package fst_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// What pruning leaves are the good paths, with their labels, and perhaps others.
func TestPrune(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		shape.Acyclic = true
		f := weighted(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(20)) })
		beam := semiring.Cost(r.IntN(20))
		all, kept := map[string]int{}, map[string]int{}
		best := must(graph.PathSum(f.Graph()))(t)
		key := func(p fst.Path[semiring.Cost]) string {
			return fsttest.String(p.In...) + " " + fsttest.String(p.Out...) + " " + semiring.Tropical{}.Format(p.Weight)
		}
		pruned := must(fst.PruneBeam(f, beam, nil))(t)
		for p := range pruned.Paths() {
			kept[key(p)]++
		}
		for p := range f.Paths() {
			all[key(p)]++
			if p.Weight <= best+beam && kept[key(p)] == 0 {
				t.Fatalf("seed %d: path %v is lost, the best costs %v", seed, p, best)
			}
		}
		for k, n := range kept {
			if n > all[k] {
				t.Fatalf("seed %d: %d paths %s, there were %d", seed, n, k, all[k])
			}
		}
	}
	b := fst.NewBuilder(reals)
	b.AddStates(2)
	b.AddStart(0, 1)
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 2, To: 1, Weight: .9})
	b.AddArc(0, fst.Arc[float64]{In: 3, Out: 4, To: 1, Weight: .1})
	b.SetFinal(1, 1)
	f := must(fst.PrunePosterior(must(b.Freeze())(t), .5, nil))(t)
	if f.NumArcs() != 1 || f.In()[0] != 1 || f.Out()[0] != 2 {
		t.Errorf("half of the posterior: %s", f)
	}
	if _, err := fst.PruneBeam(f, .5, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a beam in a ring without order: %v", err)
	}
	if _, err := fst.PrunePosterior(fst.FromString(bags, nil), .5, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("posteriors in a ring without probabilities: %v", err)
	}
}

// Of a lazy machine, what is within a beam is what pruning leaves of all of it.
func TestExpandWithin(t *testing.T) {
	for seed := range trials.Seeds(150) {
		r := fsttest.Rand(seed)
		shape := acceptors(r)
		shape.Acyclic = true
		f := acceptor(r, costs, shape, func() semiring.Cost { return semiring.Cost(r.IntN(8)) })
		beam := semiring.Cost(r.IntN(6))
		lazy := fst.Determinize(f, nil)
		got := must(fst.ExpandWithin(t.Context(), lazy, beam, nil))(t)
		want := must(fst.PruneBeam(fst.Determinize(f, nil), beam, nil))(t)
		if !must(fst.Isomorphic(got, want, nil))(t) {
			t.Fatalf("seed %d, beam %v: %v, want %v", seed, beam, got, want)
		}
	}
	// What has no deterministic form, and names of labels.
	letters := fst.NewSymbols("a", "b", "c", "d", "e")
	f := noTwins(t, 1, 2, false).WithSymbols(letters, letters)
	costly := fsttest.Frozen(fst.Map(f, costs, func(w float64) semiring.Cost { return semiring.Cost(w) }))
	lazy := fst.Determinize(costly, nil)
	got := must(fst.ExpandWithin(t.Context(), lazy, 3, nil))(t)
	best := must(graph.PathSum(costly.Graph()))(t)
	want := map[string]semiring.Cost{}
	for p := range must(fst.PruneBeam(fst.Compose(costly, within(t, 12)), 3, nil))(t).Paths() {
		if key := fsttest.String(p.In...); p.Weight <= best+3 {
			if w, ok := want[key]; !ok || p.Weight < w {
				want[key] = p.Weight
			}
		}
	}
	found := 0
	for p := range got.Paths() {
		if w, ok := want[fsttest.String(p.In...)]; ok && w == p.Weight {
			found++
		} else if p.Weight <= best+3 {
			t.Errorf("path %v, want %v", p, w)
		}
	}
	if found != len(want) || found == 0 || got.InSymbols() != letters || got.OutSymbols() != letters {
		t.Errorf("%d of %d strings within the beam: %s", found, len(want), got)
	}
	if _, err := fst.ExpandWithin(t.Context(), f, 1, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without order: %v", err)
	}
}

// within accepts all strings of up to n of the labels 1 … 5.
func within(t *testing.T, n int) *fst.FST[semiring.Cost] {
	b := fst.NewBuilder(costs)
	b.AddStates(n + 1)
	b.AddStart(0, 0)
	for s := range int32(n + 1) {
		b.SetFinal(s, 0)
		for l := int32(1); l <= 5 && int(s) < n; l++ {
			b.AddArc(s, fst.Arc[semiring.Cost]{In: l, Out: l, To: s + 1})
		}
	}
	return must(b.Freeze())(t)
}

// PruneArcs leaves the paths that take no rejected arc, with their weights: of a weight of
// the relation, the traces without such an arc.
func TestPruneArcs(t *testing.T) {
	in, out := fst.NewSymbols("x"), fst.NewSymbols("y")
	for seed := range trials.Seeds(150) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, traces, shapes(r), &letters).WithSymbols(in, out)
		rejected := map[string]bool{} // letters
		for _, w := range f.Graph().Weights() {
			for letter := range w {
				rejected[letter] = r.IntN(3) == 0
			}
		}
		keep := func(w series) bool {
			for letter := range w {
				return !rejected[letter]
			}
			return true
		}
		want := fsttest.Relation{}
		for p, w := range fsttest.RelationOf(f) {
			left := maps.Clone(w)
			maps.DeleteFunc(left, func(trace string, _ int) bool {
				for letter, bad := range rejected {
					if bad && strings.Contains(trace, letter) {
						return true
					}
				}
				return false
			})
			want.Add(p, left)
		}
		got := must(fst.PruneArcs(f, keep, nil))(t)
		check(t, seed, "pruned arcs", got, want)
		checkConnected(t, seed, got)
		if got.InSymbols() != in || got.OutSymbols() != out {
			t.Fatal("other symbols")
		}
		if none := must(fst.PruneArcs(f, func(series) bool { return false }, nil))(t); none.NumArcs() > 0 {
			t.Fatalf("seed %d: %d arcs are left of none", seed, none.NumArcs())
		}
	}
}
