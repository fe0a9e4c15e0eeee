package fst_test

import (
	"errors"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// TestQuotient compares a quotient with the sums over what its parts are made of, in
// a ring that tells the parts, and wants the machine itself back from classes of one.
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
