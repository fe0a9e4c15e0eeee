package fst_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Pruning keeps the good paths, with their labels, and possibly others.
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

// For a lazy machine, the part within a beam equals the pruned complete machine.
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
	// A machine without a deterministic form, and names of labels.
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

// PruneArcs keeps the paths without rejected arcs, with their weights: the traces of the
// relation without such arcs.
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

// Machine is an alias of graph.Implicit.
var _ graph.Implicit[bool] = fst.Machine[bool](nil)

// priced returns m with small costs for weights.
func priced(r *rand.Rand, m *fst.FST[series]) *fst.FST[semiring.Cost] {
	return fsttest.Frozen(fst.Map(m, semiring.Tropical{}, func(series) semiring.Cost {
		return semiring.Cost(r.IntN(4))
	}))
}

// Searching a lazy composition finds the best paths of the expanded one, with their labels.
func TestSearchComposition(t *testing.T) {
	for seed := range trials.Seeds(500) {
		r := fsttest.Rand(seed)
		letters := 0
		machine := func() *fst.FST[semiring.Cost] { return priced(r, fsttest.New(r, bags, shapes(r), &letters)) }
		a, b, c := machine(), machine(), machine()
		compose := func() fst.Machine[semiring.Cost] {
			ab := fst.Compose(a, b)
			return fst.Compose(ab, c)
		}
		eager := must(fst.Expand(compose(), nil))(t)
		var want []semiring.Cost
		for p := range must(graph.BestPaths(eager.Graph()))(t) {
			if want = append(want, p.Weight); len(want) == 30 {
				break
			}
		}
		lazy, n := compose(), 0
		for p, err := range graph.Search(t.Context(), lazy, nil) {
			if err != nil {
				t.Fatal(err)
			}
			if n == len(want) || p.Weight != want[n] {
				t.Fatalf("seed %d: path %d costs %v, want costs %v", seed, n, p.Weight, want)
			}
			if s := p.Start; !isPath(lazy, s, p.Arcs) {
				t.Fatalf("seed %d: path %d is none: %v", seed, n, p)
			}
			if n++; n == 30 {
				break
			}
		}
		if n != len(want) {
			t.Fatalf("seed %d: %d paths, want %d", seed, n, len(want))
		}
	}
}

// isPath reports whether m has the given consecutive arcs, starting from state s.
func isPath(m fst.Machine[semiring.Cost], s int32, arcs []fst.Arc[semiring.Cost]) bool {
	for _, a := range arcs {
		found := false
		for _, b := range m.AppendArcs(nil, s) {
			found = found || a == b
		}
		if !found {
			return false
		}
		s = a.To
	}
	return true
}

// The sum over a beam that drops nothing equals the sum over the expanded machine.
func TestBeamComposition(t *testing.T) {
	real := semiring.Real{}
	for seed := range trials.Seeds(300) {
		r := fsttest.Rand(seed)
		letters := 0
		machine := func() *fst.FST[float64] {
			shape := shapes(r)
			shape.Acyclic = true
			return fsttest.Frozen(fst.Map(fsttest.New(r, bags, shape, &letters), real, func(series) float64 { return r.Float64() }))
		}
		c := fst.Compose(machine(), machine())
		want := must(fst.PathSum(c, nil))(t)
		part := must(graph.Beam(t.Context(), c, nil))(t)
		if got := must(graph.PathSum(part.Graph))(t); got < want*(1-1e-12) || got > want*(1+1e-12) {
			t.Fatalf("seed %d: path sum %v, want %v", seed, got, want)
		}
	}
}

// counted counts the states whose arcs are created.
type counted struct {
	fst.Machine[semiring.Cost]
	states int
}

func (c *counted) AppendArcs(dst []fst.Arc[semiring.Cost], s int32) []fst.Arc[semiring.Cost] {
	c.states++
	return c.Machine.AppendArcs(dst, s)
}

// With the heuristic of the two machines, the best path is equally good, and fewer states are
// expanded in total.
func TestSearchWithHeuristic(t *testing.T) {
	without, with := 0, 0
	for seed := range trials.Seeds(200) {
		r := fsttest.Rand(seed)
		letters := 0
		machine := func() *fst.FST[semiring.Cost] { return priced(r, fsttest.New(r, bags, shapes(r), &letters)) }
		a, b := machine(), machine()
		ways := func(f *fst.FST[semiring.Cost]) []semiring.Cost { return must(graph.Backward(f.Graph()))(t) }
		best := func(n *int, of func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost) (costs []semiring.Cost) {
			c := fst.Compose(a, b)
			m := &counted{Machine: c}
			for p, err := range graph.Search(t.Context(), m, &graph.SearchOptions[semiring.Cost]{Heuristic: of(c)}) {
				if err != nil {
					t.Fatal(err)
				}
				if costs = append(costs, p.Weight); len(costs) == 1 {
					*n += m.states
				}
				if len(costs) == 10 {
					break
				}
			}
			return costs
		}
		want := best(&without, func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost { return c.Heuristic(nil, nil) })
		for i, of := range []func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost{
			func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost {
				return c.Heuristic(ways(a), ways(b))
			},
			func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost { return c.Heuristic(ways(a), nil) },
			func(c *fst.Composition[semiring.Cost]) func(s int32) semiring.Cost { return c.Heuristic(nil, ways(b)) },
		} {
			n := 0
			if got := best(&n, of); !slices.Equal(got, want) {
				t.Fatalf("seed %d, heuristic %d: paths cost %v, want %v", seed, i, got, want)
			}
			if i == 0 {
				with += n
			}
		}
	}
	if with >= without {
		t.Errorf("%d states expanded, without heuristic %d", with, without)
	}
}
