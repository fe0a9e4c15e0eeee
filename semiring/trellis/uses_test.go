package trellis_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// Uses of several trellises are the sums of their Counts, whatever the weights are.
func TestUses(t *testing.T) {
	var s trellis.Scratch
	var u trellis.Uses
	eachTrellis(t, func(t *testing.T, seed uint64, l *layers) {
		r := graphtest.Rand(seed + 1<<33)
		u.Reset(l.blocks)
		want := l.zeros()
		for range 1 + r.IntN(3) {
			weight := []float64{0, .5, 3, 0x1p-100, 0x1p100}[r.IntN(5)]
			total, err := l.trellis.Counts(weight, want, &s)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := u.Add(l.trellis, weight, &s); err != nil || got != total {
				t.Fatalf("seed %d: path sum %v, %v, want %v", seed, got, err, total)
			}
		}
		got, last := l.zeros(), -1
		u.Drain(func(b int, counts []float64) {
			if b <= last {
				t.Fatalf("seed %d: block %d after %d", seed, b, last)
			}
			last = b
			copy(got.Block[b], counts)
		})
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-11*max(1e-100, a, b) }
		if !slices.EqualFunc(got.Block, want.Block, func(x, y []float64) bool { return slices.EqualFunc(x, y, near) }) {
			t.Fatalf("seed %d: uses %v, want %v", seed, got.Block, want.Block)
		}
		u.Drain(func(b int, _ []float64) { t.Fatalf("seed %d: block %d has uses after Drain", seed, b) })
	})
}

// Where numbers fail at a step, weights take over, and no step is counted twice. Node 0 is
// far more likely than node 1 in the first layer, and far less so two steps on.
func TestUsesHalfByNumbers(t *testing.T) {
	var u trellis.Uses
	var s trellis.Scratch
	for seed := range trials.Seeds(50) {
		r := graphtest.Rand(seed)
		alike := newBlock(t, 2, 2, scaled(r.Float64(), r.Float64(), r.Float64(), r.Float64())...)
		apart := newBlock(t, 2, 2, scaled(math.Ldexp(r.Float64(), -197), 0, 0, 1)...)
		blocks := []*trellis.Block{alike, apart}
		tr := must(trellis.New(scaled(1, 0x1p-230), blocks, []int32{1, 1, 0, 0}, nil, nil))
		want := zeros(tr, 4, blocks...)
		u.Reset(blocks)
		for range 2 {
			if _, err := tr.Counts(2, trellis.Parts{Block: want.Block}, &s); err != nil {
				t.Fatal(err)
			}
			if _, err := u.Add(tr, 2, &s); err != nil {
				t.Fatal(err)
			}
		}
		u.Drain(func(b int, counts []float64) {
			if !slices.EqualFunc(counts, want.Block[b], func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }) {
				t.Fatalf("seed %d: uses %v of block %d, want %v", seed, counts, b, want.Block[b])
			}
		})
	}
}

func TestUsesRefuses(t *testing.T) {
	b := newBlock(t, 1, 1, scaled(1)...)
	tr := must(trellis.New(scaled(1), []*trellis.Block{b}, []int32{0}, nil, nil))
	var u trellis.Uses
	if _, err := u.Add(tr, 1, new(trellis.Scratch)); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("error %v, want semiring.ErrShape", err)
	}
	u.Reset([]*trellis.Block{b})
	infinite := must(trellis.New([]weight{semiring.NewScaled(math.Inf(1))}, []*trellis.Block{b}, []int32{0}, nil, nil))
	if _, err := u.Add(infinite, 1, new(trellis.Scratch)); !errors.Is(err, semiring.ErrNotFinite) {
		t.Errorf("error %v, want semiring.ErrNotFinite", err)
	}
	u.Drain(func(int, []float64) { t.Error("an infinite path sum was counted") })
}
