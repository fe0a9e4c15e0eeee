package fst_test

import (
	"errors"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
)

// The relation with other labels, which may become ε, is that of the paths with them.
func TestRelabel(t *testing.T) {
	turn := func(label int32) int32 { return []int32{2, 0, 1}[label] }
	for seed := range trials.Seeds(100) {
		r := fsttest.Rand(seed)
		letters := 0
		f := fsttest.New(r, traces, fsttest.Shape{States: 4, Arcs: 6, Labels: 2, Epsilon: .3, Acyclic: true}, &letters)
		f = f.WithSymbols(fst.NewSymbols("a", "b"), fst.NewSymbols("a", "b"))
		g := must(fst.Expand(fst.Relabel(f, nil, turn), nil))(t)
		if !slices.Equal(g.In(), f.In()) || g.InSymbols() != f.InSymbols() || g.OutSymbols() != nil {
			t.Fatalf("seed %d: the input tape changed, or names stayed", seed)
		}
		for e, label := range f.Out() {
			if g.Out()[e] != turn(label) {
				t.Fatalf("seed %d: label %d became %d", seed, label, g.Out()[e])
			}
		}
		there := must(fst.Expand(fst.Relabel(f, turn, turn), nil))(t)
		back := must(fst.Expand(fst.Relabel(there, func(l int32) int32 { return turn(turn(l)) }, func(l int32) int32 { return turn(turn(l)) }), nil))(t)
		if d := fsttest.Diff(fsttest.RelationOf(back), fsttest.RelationOf(f)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		if d := fsttest.Diff(fsttest.RelationOf(must(fst.Expand(fst.Relabel(g, turn, nil), nil))(t)), fsttest.RelationOf(there)); d != "" {
			t.Fatalf("seed %d: tape by tape: %s", seed, d)
		}
	}
	if _, err := fst.Expand(fst.Relabel(fst.FromString(reals, []int32{1}), nil, func(int32) int32 { return -1 }), nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a negative label: %v", err)
	}
}
