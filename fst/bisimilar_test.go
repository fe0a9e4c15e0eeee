package fst_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// nondeterministic returns a random transducer with few different weights and labels, and with
// copies of states.
func nondeterministic[W any](r *rand.Rand, ring semiring.Semiring[W], weights ...W) *fst.FST[W] {
	n := 2 + r.IntN(2)
	shape := fsttest.Shape{States: n, Arcs: 4 * n, Labels: 1 + r.IntN(2), Epsilon: .3 * float64(r.IntN(2)), Acyclic: r.IntN(2) == 0, Plain: r.IntN(2) == 0}
	return copied(r, weighted(r, ring, shape, func() W { return weights[r.IntN(len(weights))] }))
}

// futures returns the number of bisimilarity classes of f by definition: it refines classes by
// signature until a fixed point.
func futures[W any](t *testing.T, f *fst.FST[W]) int {
	ring := f.Semiring()
	keyer := must(semiring.Require[semiring.Keyer[W]](ring))(t)
	key := func(w W) string { return string(keyer.AppendKey(nil, w, 1e-9)) }
	class := make([]int, f.NumStates())
	type move struct {
		in, out int32
		class   int
	}
	for n := min(1, f.NumStates()); ; {
		number := map[string]int{}
		next := make([]int, len(class))
		for s := range class {
			sums := map[move]W{}
			for _, a := range f.AppendArcs(nil, int32(s)) {
				m := move{a.In, a.Out, class[a.To]}
				if w, ok := sums[m]; ok {
					sums[m] = ring.Plus(w, a.Weight)
				} else {
					sums[m] = a.Weight
				}
			}
			keys := map[move]string{}
			for m, w := range sums {
				if !ring.IsZero(w) {
					keys[m] = fmt.Sprintf("%q", key(w))
				}
			}
			// Maps are printed in sorted order.
			what := fmt.Sprintf("%d %q %v", class[s], key(f.Final(int32(s))), keys)
			if _, ok := number[what]; !ok {
				number[what] = len(number)
			}
			next[s] = number[what]
		}
		class = next
		if len(number) == n {
			return n
		}
		n = len(number)
	}
}

// The number of remaining states equals the number of different states, in idempotent and other
// rings, including rings with cancellation and rings that are not commutative.
func TestMergeBisimilar(t *testing.T) {
	ring := semiring.Semiring[series](keyed{fsttest.Traces{Max: 5}})
	x, y := fsttest.Letter(0), fsttest.Letter(1)
	smaller := map[string]int{}
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		merging(t, seed, smaller, nondeterministic(r, reals, .0625, .0625, .125, -.0625), func(t *testing.T, seed uint64, what string, got, want *fst.FST[float64]) {
			sameWeightsBy(t, seed, what, got, want, func(a, b float64) float64 {
				return math.Abs(a-b) / max(math.Abs(a), math.Abs(b), 1e-6) // cancellation leaves rounding
			})
		})
		merging(t, seed, smaller, nondeterministic(r, costs, 0, 0, 1), sameWeights)
		merging(t, seed, smaller, nondeterministic(r, ring, x, x, y), func(t *testing.T, seed uint64, what string, got, want *fst.FST[series]) {
			check(t, seed, what, got, fsttest.RelationOf(want))
		})
	}
	for _, ring := range []any{reals, costs, ring} {
		if what := fmt.Sprintf("%T", ring); smaller[what] < 20 {
			t.Errorf("%d machines over %s became smaller", smaller[what], what)
		}
	}
}

func merging[W any](t *testing.T, seed uint64, smaller map[string]int, f *fst.FST[W], same func(*testing.T, uint64, string, *fst.FST[W], *fst.FST[W])) {
	t.Helper()
	what, trimmed := fmt.Sprintf("%T", f.Semiring()), must(fst.Connect(f, nil))(t)
	got := must(fst.MergeBisimilar(f, nil))(t)
	same(t, seed, what, got, f)
	if got.NumStates() < trimmed.NumStates() {
		smaller[what]++
	}
	if got.NumArcs() > trimmed.NumArcs() {
		t.Fatalf("seed %d, %s: %d arcs became %d", seed, what, trimmed.NumArcs(), got.NumArcs())
	}
	// The sum of a class may have cancelled, so that other classes are no longer reachable.
	if n := futures(t, trimmed); got.NumStates() > n || futures(t, got) != got.NumStates() {
		t.Fatalf("seed %d, %s: %d states, of which %d differ, want %d\n%s\nwas\n%s", seed, what, got.NumStates(), futures(t, got), n, got, trimmed)
	}
}

// For deterministic machines, the result equals the result of Minimize.
func TestMergeBisimilarMinimizes(t *testing.T) {
	for seed := range trials.Seeds(150) {
		f := automaton(fsttest.Rand(seed), reals, .25, .25, .125)
		pushed := must(fst.PushWeights(f, fst.TowardInitial, nil))(t)
		got, want := must(fst.MergeBisimilar(pushed, nil))(t), must(fst.Minimize(f, nil))(t)
		if !must(fst.Isomorphic(got, want, nil))(t) {
			t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got, want)
		}
		if again := must(fst.MergeBisimilar(got, nil))(t); !must(fst.Equal(again, got, nil))(t) {
			t.Fatalf("seed %d:\n%s\nbecame\n%s", seed, got, again)
		}
	}
}

func TestMergeBisimilarErrors(t *testing.T) {
	if _, err := fst.MergeBisimilar(fst.FromString(traces, []int32{1}), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("weights without keys: %v", err)
	}
	words := semiring.LeftString{}
	if _, err := fst.MergeBisimilar(fst.FromString(words, []int32{1}), nil); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("common prefixes, over which concatenation distributes from the left alone: %v", err)
	}
	empty := must(fst.NewBuilder(reals).Freeze())(t)
	if f := must(fst.MergeBisimilar(empty, nil))(t); f.NumStates() != 0 {
		t.Errorf("the empty machine has %d states", f.NumStates())
	}
}

func TestOpenFstMinimizesNondeterministic(t *testing.T) {
	x := newOpenFst(t, costs, "standard")
	unpaid := func(f *fst.FST[semiring.Cost]) *fst.FST[semiring.Cost] {
		starts := []fst.Start[semiring.Cost]{{State: f.AppendStarts(nil)[0].State}}
		return must(f.WithWeights(f.Graph().Weights(), starts, f.Graph().Finals()))(t)
	}
	smaller := 0
	for seed := range trials.Seeds(20) {
		f := must(fst.Connect(nondeterministic(fsttest.Rand(seed), costs, 0, 0, 1), nil))(t)
		if seed%2 == 0 {
			f = fsttest.Frozen(fst.ProjectIn(f))
		}
		if f.NumStates() == 0 {
			continue
		}
		// fstminimize pushes weights itself, so they are pushed here, too.
		f = unpaid(must(fst.PushWeights(unpaid(f), fst.TowardInitial, nil))(t))
		x.write(t, "f", f)
		got, want := must(fst.MergeBisimilar(f, nil))(t), x.result(t, "fstminimize", "--allow_nondet", "f")
		agree(t, seed, "bisimulation", got, want, false)
		if got.NumStates() > want.NumStates() || got.NumArcs() > want.NumArcs() {
			t.Errorf("seed %d: %d states and %d arcs, OpenFst has %d and %d of %d and %d", seed,
				got.NumStates(), got.NumArcs(), want.NumStates(), want.NumArcs(), f.NumStates(), f.NumArcs())
		}
		if got.NumStates() < f.NumStates() {
			smaller++
		}
	}
	if smaller < 5 {
		t.Errorf("%d machines became smaller", smaller)
	}
}

// TestQuotient compares a quotient with the sums over the members of its classes, in a ring
// that keeps the summands apart. Classes with single members must give the machine itself.
func TestQuotient(t *testing.T) {
	type place struct{ from, in, out, to int32 }
	for seed := range trials.Seeds(150) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, traces, shapes(r), &letters)
		n := f.NumStates()
		if n == 0 {
			continue
		}
		k := 1 + r.IntN(n)
		class := make([]int32, n)
		for i, s := range r.Perm(n) {
			class[s] = int32(i % k)
		}
		arcs, finals, starts := map[place]series{}, map[int32]series{}, map[int32]series{}
		var out []fst.Arc[series]
		for s := range int32(n) {
			out = f.AppendArcs(out[:0], s)
			for _, a := range out {
				p := place{class[s], a.In, a.Out, class[a.To]}
				arcs[p] = traces.Plus(arcs[p], a.Weight)
			}
			finals[class[s]] = traces.Plus(finals[class[s]], f.Final(s))
		}
		for _, s := range f.AppendStarts(nil) {
			starts[class[s.State]] = traces.Plus(starts[class[s.State]], s.Weight)
		}
		q := must(fst.Quotient(f, class, nil))(t)
		if q.NumStates() != k || q.NumArcs() != len(arcs) {
			t.Fatalf("seed %d: %d states, %d arcs, want %d, %d", seed, q.NumStates(), q.NumArcs(), k, len(arcs))
		}
		same := func(what string, got, want series) {
			t.Helper()
			if d := fsttest.Diff(fsttest.Relation{{}: got}, fsttest.Relation{{}: want}); d != "" {
				t.Errorf("seed %d: %s: %s", seed, what, d)
			}
		}
		for s := range int32(k) {
			for _, a := range q.AppendArcs(nil, s) {
				same("arc", a.Weight, arcs[place{s, a.In, a.Out, a.To}])
			}
			same("final", q.Final(s), finals[s])
		}
		for _, s := range q.AppendStarts(nil) {
			same("start", s.Weight, starts[s.State])
			delete(starts, s.State)
		}
		if len(starts) > 0 {
			t.Errorf("seed %d: starts are missing: %v", seed, starts)
		}
		for s := range class {
			class[s] = int32(s)
		}
		check(t, seed, "classes of one", must(fst.Quotient(f, class, nil))(t), fsttest.RelationOf(f))
	}
}

func TestBadClasses(t *testing.T) {
	f := fst.FromString(semiring.Boolean{}, []int32{1})
	for _, class := range [][]int32{{0}, {0, 2}, {1, 1}, {0, -1}, {0, 1, 2}} {
		if _, err := fst.Quotient(f, class, nil); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("classes %v: error %v", class, err)
		}
	}
}
