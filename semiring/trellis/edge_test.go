package trellis_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

func TestRefuses(t *testing.T) {
	b := newBlock(t, 2, 3, scaled(1, 2, 3, 4, 5, 6)...)
	blocks := []*trellis.Block{b}
	two, three := scaled(1, 1), scaled(1, 1, 1)
	for name, f := range map[string]func() error{
		"too few weights": func() error { _, err := trellis.NewBlock(2, 3, three); return err },
		"no rows":         func() error { _, err := trellis.NewBlock(0, 3, nil); return err },
		"other weights":   func() error { return b.SetWeights(two) },
		"no start":        func() error { _, err := trellis.New(nil, blocks, nil, nil, nil); return err },
		"rows":            func() error { _, err := trellis.New(three, blocks, []int32{0}, nil, nil); return err },
		"no block":        func() error { _, err := trellis.New(two, blocks, []int32{1}, nil, nil); return err },
		"columns":         func() error { _, err := trellis.New(two, blocks, []int32{0, 0}, nil, nil); return err },
		"final":           func() error { _, err := trellis.New(two, blocks, []int32{0}, nil, two); return err },
		"layers":          func() error { _, err := trellis.New(two, blocks, []int32{0}, [][]weight{two}, nil); return err },
		"nodes":           func() error { _, err := trellis.New(two, blocks, []int32{0}, [][]weight{two, two}, nil); return err },
	} {
		if err := f(); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%s: error %v, want semiring.ErrShape", name, err)
		}
	}
	if _, err := trellis.NewBlock(1<<20, 1<<20, nil); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("error %v, want semiring.ErrLimit", err)
	}
}

func TestSetStayRefuses(t *testing.T) {
	square, wide := newBlock(t, 1, 1, scaled(1)...), newBlock(t, 1, 2, scaled(1, 1)...)
	tr, err := trellis.New(scaled(1), []*trellis.Block{square, wide}, []int32{0, 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, stay := range [][]weight{{}, scaled(1), scaled(1, 1), scaled(1, 0, 0)} {
		if err := tr.SetStay(stay); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("stays %v: error %v, want semiring.ErrShape", stay, err)
		}
	}
	if err := tr.SetStay(scaled(.5, 0)); err != nil {
		t.Fatal(err)
	}
	s, p := new(trellis.Scratch), zeros(tr, 2)
	if got := tr.PathSum(s).Float64(); got != 3 {
		t.Errorf("path sum %v, want 3", got)
	}
	if _, err := tr.Counts(1, p, s); err != nil || !near(p.Stay[0], 1./3) || p.Stay[1] != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// A node far more likely from the left than all paths together, but without a way on.
func TestCountsOfUnlikelyTotal(t *testing.T) {
	b := newBlock(t, 2, 2, scaled(1, 0, 0, 1)...)
	tr, err := trellis.New(scaled(0x1p255, 0x1p-510), []*trellis.Block{b}, []int32{0}, nil, scaled(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	s, p := new(trellis.Scratch), zeros(tr, 1, b)
	for range 2 {
		if _, err := tr.Counts(.5, trellis.Parts{Node: p.Node}, s); err != nil {
			t.Fatal(err)
		}
		if _, err := tr.Counts(.5, trellis.Parts{Block: p.Block}, s); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(p.Node, []float64{0, 1, 0, 1}) || !slices.Equal(p.Block[0], []float64{0, 0, 0, 1}) {
		t.Errorf("posteriors %v", p)
	}
}

// Negative numbers cancel exactly.
func TestCancels(t *testing.T) {
	b := newBlock(t, 2, 1, scaled(1, -1)...)
	tr, err := trellis.New(scaled(2, 2), []*trellis.Block{b}, []int32{0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := zeros(tr, 1, b)
	if total, err := tr.Counts(1, p, new(trellis.Scratch)); err != nil || !total.IsZero() || slices.Max(p.Node) != 0 {
		t.Errorf("%v, %v, %v, want nothing", total, p, err)
	}
}

func TestNotFinite(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		b := newBlock(t, 2, 2, scaled(1, 1, 1, x)...)
		tr, err := trellis.New(scaled(1, 1), []*trellis.Block{b}, []int32{0, 0}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := new(trellis.Scratch)
		if _, err := tr.Counts(1, trellis.Parts{}, s); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("posteriors with %v: error %v, want semiring.ErrNotFinite", x, err)
		}
		if _, err := tr.HessianVector(trellis.Parts{}, 1, trellis.Parts{}, s); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("second derivatives with %v: error %v, want semiring.ErrNotFinite", x, err)
		}
	}
	b := newBlock(t, 1, 1, scaled(math.NaN())...)
	tr, err := trellis.New(scaled(1), []*trellis.Block{b}, []int32{0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if path, _, err := tr.BestPath(nil, new(trellis.Scratch)); !errors.Is(err, semiring.ErrNotFinite) || path != nil {
		t.Errorf("best path %v of weight NaN: error %v, want semiring.ErrNotFinite", path, err)
	}
}

// A corpus of sequences shares blocks; the weights change between iterations, and neither
// Reset nor SetWeights allocates.
func TestAllocatesNothing(t *testing.T) {
	m := randomHMM(5, 4, 200)
	tr, block := m.trellis()
	initial := scaled(m.initial...)
	cells := slices.Clone(block.Weights())
	nodes := make([][]weight, 200)
	for layer := range nodes {
		nodes[layer] = initial
	}
	blocks, steps := []*trellis.Block{block}, make([]int32, 199)
	work := func() {
		if err := block.SetWeights(cells); err != nil {
			t.Fatal(err)
		}
		for length := 50; length <= 200; length += 50 {
			if err := tr.Reset(initial, blocks, steps[:length-1], nodes[:length], nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	work()
	if n := testing.AllocsPerRun(20, work); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
