package trellis_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/trellis"
)

// TestIndependent: the path sum and the posteriors are those of a Trellis with single nodes
// between the layers, also of numbers that are very small or large.
func TestIndependent(t *testing.T) {
	for seed := range trials.Seeds(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		layers, width := 1+r.IntN(5), 1+r.IntN(5)
		ones := slices.Repeat([]semiring.ScaledFloat{semiring.NewScaled(1)}, width)
		to, err := trellis.NewBlock(width, 1, ones)
		if err != nil {
			t.Fatal(err)
		}
		from, err := trellis.NewBlock(1, width, ones)
		if err != nil {
			t.Fatal(err)
		}
		scale := []float64{1, 1e-200, 1e-310, 1e300}[r.IntN(4)]
		var nodes, all []float64
		var steps []int32
		for layer := range layers {
			if layer > 0 {
				all, steps = append(all, 1), append(steps, 0, 1)
			}
			for range width {
				x := 0.0
				if r.IntN(4) > 0 {
					x = r.ExpFloat64() * scale
				}
				nodes, all = append(nodes, x), append(all, x)
			}
		}
		whole, err := trellis.New(ones, []*trellis.Block{to, from}, steps, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := whole.SetNumbers(all); err != nil {
			t.Fatal(err)
		}
		want := make([]float64, len(all))
		wantTotal, err := whole.Counts(1, trellis.Parts{Node: want}, new(trellis.Scratch))
		if err != nil {
			t.Fatal(err)
		}
		total, err := trellis.Independent(nodes, width)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := total.Log(), wantTotal.Log(); a != b && !(math.Abs(a-b) < 1e-9*(1+math.Abs(b))) {
			t.Fatalf("seed %d: path sum exp(%v), want exp(%v)", seed, a, b)
		}
		for i, p := range nodes {
			if total.IsZero() {
				break
			}
			if w := want[i/width*(width+1)+i%width]; math.Abs(p-w) > 1e-12 && scale != 1e-310 || math.Abs(p-w) > 1e-6 {
				t.Fatalf("seed %d: node %d has posterior %v, want %v", seed, i, p, w)
			}
		}
	}
}

func TestIndependentFaults(t *testing.T) {
	for _, x := range [][]float64{{1, 2, 3}, {1}} {
		if _, err := trellis.Independent(x, 2); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%v: %v", x, err)
		}
	}
	if _, err := trellis.Independent(nil, 0); !errors.Is(err, semiring.ErrShape) {
		t.Errorf("no width: %v", err)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := trellis.Independent([]float64{1, 2, x, 1}, 2); !errors.Is(err, semiring.ErrNotFinite) {
			t.Errorf("%v: %v", x, err)
		}
	}
	if total, err := trellis.Independent([]float64{1, 2, 0, 0}, 2); err != nil || !total.IsZero() {
		t.Errorf("a layer of zeros: %v, %v", total, err)
	}
	if total, err := trellis.Independent(nil, 3); err != nil || total.Float64() != 1 {
		t.Errorf("no layers: %v, %v", total, err)
	}
}
