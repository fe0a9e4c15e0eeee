package fst_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// replaced returns the relation of f with machines for labels, by following all paths:
// calls are made by recursion, with these labels.
func replaced(f fst.Machine[series], parts map[int32]fst.Machine[series], labels *fst.Calls) fsttest.Relation {
	all := fsttest.Relation{}
	write := func(p fsttest.Pair, in, out int32) fsttest.Pair {
		return fsttest.Pair{In: p.In + fsttest.String(in), Out: p.Out + fsttest.String(out)}
	}
	var follow func(f fst.Machine[series], s int32, p fsttest.Pair, w series, after func(fsttest.Pair, series))
	follow = func(f fst.Machine[series], s int32, p fsttest.Pair, w series, after func(fsttest.Pair, series)) {
		if len(w) == 0 {
			return
		}
		after(p, traces.Times(w, f.Final(s)))
		for _, a := range f.AppendArcs(nil, s) {
			w := traces.Times(w, a.Weight)
			part, ok := parts[a.Out]
			if !ok {
				follow(f, a.To, write(p, a.In, a.Out), w, after)
				continue
			}
			var in, out, backIn, backOut int32
			if labels != nil {
				in, out = labels.Enter(a.In, a.Out)
				backIn, backOut = labels.Leave(a.Out)
			}
			for _, x := range part.AppendStarts(nil) {
				follow(part, x.State, write(p, in, out), traces.Times(w, x.Weight), func(p fsttest.Pair, w series) {
					follow(f, a.To, write(p, backIn, backOut), w, after)
				})
			}
		}
	}
	for _, x := range f.AppendStarts(nil) {
		follow(f, x.State, fsttest.Pair{}, x.Weight, all.Add)
	}
	return all
}

// Machines that call each other and themselves, with all weights in their place; what
// is nested deeper than the longest trace has no weight.
func TestReplace(t *testing.T) {
	for seed := range trials.Seeds(40) {
		r := fsttest.Rand(seed)
		letters := 0
		machine := func() *fst.FST[series] {
			shape := shapes(r)
			shape.Labels, shape.Arcs = 4, 5
			return fsttest.New(r, traces, shape, &letters)
		}
		root, parts := machine(), map[int32]fst.Machine[series]{3: machine(), 4: machine()}
		lazy := fst.Replace(root, parts, &fst.Calls{Depth: 7})
		if d := fsttest.Diff(fsttest.RelationOf(lazy), replaced(root, parts, nil)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		brackets := &fst.Calls{
			Depth: 7,
			Enter: func(in, out int32) (int32, int32) { return in, out + 2 },
			Leave: func(label int32) (int32, int32) { return label, label + 4 },
		}
		lazy = fst.Replace(root, parts, brackets)
		if d := fsttest.Diff(fsttest.RelationOf(lazy), replaced(root, parts, brackets)); d != "" {
			t.Fatalf("seed %d, brackets: %s", seed, d)
		}
		parts[3] = fst.FromPair(traces, []int32{4, 1}, []int32{4, 2})
		parts[4] = fst.FromString(traces, []int32{2})
		if d := fsttest.Diff(fsttest.RelationOf(must(fst.Expand(fst.Replace(root, parts, nil), nil))(t)), replaced(root, parts, nil)); d != "" {
			t.Fatalf("seed %d, frozen: %s", seed, d)
		}
	}
}

func TestReplaceErrors(t *testing.T) {
	one := fst.FromString(reals, []int32{1})
	_, err := fst.Expand(fst.Replace(one, map[int32]fst.Machine[float64]{1: fst.FromString(reals, []int32{2, 1})}, &fst.Calls{Depth: 5}), nil)
	if !errors.Is(err, semiring.ErrLimit) || !strings.Contains(err.Error(), "deeper than 5, on the way to state 2 of the machine for 1") {
		t.Errorf("a machine that calls itself: %v", err)
	}
	names := fst.NewSymbols("S")
	self := fst.FromString(reals, []int32{1}).WithSymbols(names, names)
	if _, err = fst.Expand(fst.Replace(self, map[int32]fst.Machine[float64]{1: self}, &fst.Calls{Depth: 5}), nil); !strings.Contains(fmt.Sprint(err), `the machine for "S"`) {
		t.Errorf("a machine with a name: %v", err)
	}
	if _, err := fst.Expand(fst.Replace(one, map[int32]fst.Machine[float64]{0: one}, nil), nil); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("ε is replaced: %v", err)
	}
	for _, o := range []*fst.Calls{
		{Enter: func(in, _ int32) (int32, int32) { return in, -1 }},
		{Leave: func(label int32) (int32, int32) { return -label, label }},
	} {
		r := fst.Replace(one, map[int32]fst.Machine[float64]{1: fst.FromString(reals, nil)}, o)
		if _, err := fst.Expand(r, nil); !errors.Is(err, fst.ErrInvalid) || err != fst.Err(r) {
			t.Errorf("a negative label: %v", err)
		}
	}
	other := one.WithSymbols(fst.NewSymbols("b"), nil)
	if _, err := fst.Expand(fst.Replace(one.WithSymbols(fst.NewSymbols("a"), nil), map[int32]fst.Machine[float64]{2: other}, nil), nil); !errors.Is(err, fst.ErrMismatch) {
		t.Errorf("other symbols: %v", err)
	}
}
