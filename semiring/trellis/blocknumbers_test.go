package trellis_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// TestBlockReset: a block of numbers is the block of their weights, whatever it was before:
// another shape, sparse, or made of weights. Numbers beyond the range of sums are weights.
func TestBlockReset(t *testing.T) {
	var b trellis.Block
	sparse, err := trellis.NewSparseBlock(2, 2, []int32{0, 1, 2}, []int32{1, 0}, make([]semiring.ScaledFloat, 2))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range trials.Seeds(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(5)
		scale := []float64{1, 1e-30, 1e30, 1e-200, 1e250}[r.IntN(5)]
		numbers, weights := make([]float64, n*n), make([]semiring.ScaledFloat, n*n)
		for i := range numbers {
			if r.IntN(4) > 0 {
				numbers[i] = r.ExpFloat64() * scale
			}
			weights[i] = semiring.NewScaled(numbers[i])
		}
		want, err := trellis.NewBlock(n, n, weights)
		if err != nil {
			t.Fatal(err)
		}
		given := slices.Clone(numbers)
		got := &b
		if r.IntN(8) == 0 {
			got = sparse
		}
		if err := got.Reset(n, n, numbers); err != nil {
			t.Fatal(err)
		}
		if got.NumCells() != n*n {
			t.Fatalf("%d cells", got.NumCells())
		}
		ones := slices.Repeat([]semiring.ScaledFloat{semiring.NewScaled(1)}, n)
		var answers [2][]any
		for i, b := range []*trellis.Block{got, want} {
			x, err := trellis.New(ones, []*trellis.Block{b}, make([]int32, 4), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			var s trellis.Scratch
			sum := trellis.Parts{Node: make([]float64, 5*n), Block: [][]float64{make([]float64, n*n)}}
			total, err := x.Counts(1, sum, &s)
			if err != nil {
				t.Fatal(err)
			}
			answers[i] = []any{total, x.PathSum(&s)}
			for _, p := range slices.Concat(sum.Node, sum.Block[0]) {
				answers[i] = append(answers[i], p)
			}
			for _, w := range slices.Concat(x.Forward(nil, &s), x.Backward(nil, &s), b.Weights()) {
				answers[i] = append(answers[i], w)
			}
			if r.IntN(2) == 0 {
				if err := b.SetWeights(weights); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !slices.Equal(given, numbers) {
			t.Fatal("the numbers are modified")
		}
		if !slices.Equal(answers[0], answers[1]) {
			t.Fatalf("seed %d, scale %g:\n%v, want\n%v", seed, scale, answers[0], answers[1])
		}
	}
}

// TestBlockResetShared: several goroutines may want the weights of a block of numbers first.
func TestBlockResetShared(t *testing.T) {
	var b trellis.Block
	for range 100 {
		if err := b.Reset(2, 2, []float64{1, 2, 3, 4}); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if w := b.Weights(); w[3].Float64() != 4 {
					t.Errorf("weight %v", w[3])
				}
			})
		}
		wg.Wait()
	}
}

func TestBlockResetFaults(t *testing.T) {
	var b trellis.Block
	for _, x := range []struct{ rows, cols, n int }{{0, 1, 0}, {1, 0, 0}, {2, 2, 3}, {-1, -1, 1}} {
		if err := b.Reset(x.rows, x.cols, make([]float64, x.n)); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%+v: %v", x, err)
		}
	}
	if err := b.Reset(1, 2, []float64{1, math.Inf(1)}); err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(b.Weights()[1].Float64(), 1) {
		t.Errorf("weights %v", b.Weights())
	}
}
