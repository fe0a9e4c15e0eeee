package fst_test

import (
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
)

// Over traces, which name every arc of a path, the paths up to some length are
// the relation of the machine.
func TestPaths(t *testing.T) {
	const most = 5
	for seed := range uint64(200) {
		r := fsttest.Rand(seed)
		letters := 0
		shape := shapes(r)
		shape.Plain = true // the length of a trace is that of the path
		f := fsttest.New(r, traces, shape, &letters)
		got := fsttest.Relation{}
		last := 0
		for p := range f.Paths() {
			n := -1
			for trace := range p.Weight {
				n = len(trace)
			}
			if n < 0 || n > most { // dropped by the ring, or as long as that
				break
			}
			if n < last {
				t.Fatalf("seed %d: a path of %d arcs after one of %d", seed, n, last)
			}
			last = n
			if slices.Contains(p.In, fst.Epsilon) || slices.Contains(p.Out, fst.Epsilon) {
				t.Fatalf("seed %d: ε among the labels %v:%v", seed, p.In, p.Out)
			}
			got.Add(fsttest.Pair{In: fsttest.String(p.In...), Out: fsttest.String(p.Out...)}, p.Weight)
		}
		if d := fsttest.Diff(got, fsttest.RelationOf(f)); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
	}
}

// A chain has one path: finding it takes time and memory in proportion to its
// length.
func TestPathsOfChain(t *testing.T) {
	const n = 100_000
	f := fst.FromString(traces, slices.Repeat([]int32{7}, n))
	count := 0
	for p := range f.Paths() {
		count++
		if len(p.In) != n || len(p.Out) != n {
			t.Errorf("path of %d:%d labels, want %d", len(p.In), len(p.Out), n)
		}
	}
	if count != 1 {
		t.Errorf("%d paths, want 1", count)
	}
	for range fst.FromPair(traces, []int32{1}, nil).Paths() {
		count++
	}
	if count != 2 {
		t.Error("a machine of one arc has not one path")
	}
}

func TestPathsOfNothing(t *testing.T) {
	b := fst.NewBuilder(traces)
	for range must(b.Freeze())(t).Paths() {
		t.Error("a machine without states has a path")
	}
	b.AddStates(2)
	b.AddStart(0, traces.One())
	b.AddArc(0, fst.Arc[series]{To: 0, Weight: traces.One()})
	for range must(b.Freeze())(t).Paths() {
		t.Error("a machine without final states has a path")
	}
}
