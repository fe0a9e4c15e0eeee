package clamp_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/semiring"
)

func TestProbabilities(t *testing.T) {
	p := []float64{0, .5, 1, math.Nextafter(1, 2), 1 + 1e-10}
	if err := clamp.Probabilities(p); err != nil || !slices.Equal(p, []float64{0, .5, 1, 1, 1}) {
		t.Errorf("%v, error %v", p, err)
	}
	for _, x := range []float64{1 + 1e-8, 2, math.Inf(1), math.NaN()} {
		if y, err := clamp.Probability(x); !errors.Is(err, semiring.ErrInaccurate) {
			t.Errorf("%v: %v, error %v", x, y, err)
		}
	}
	if x, err := clamp.Probability(1 + 0x1p-51); x != 1 || err != nil {
		t.Errorf("%v, error %v", x, err)
	}
}

func TestLogProb(t *testing.T) {
	for _, c := range []struct {
		x       float64
		factors int
		want    float64
	}{
		{-1, 1, -1}, {0, 0, 0}, {0x1p-52, 0, 0}, {1e-12, 10000, 0}, {1e-12, 10, 1e-12}, {1e-6, 1 << 20, 1e-6},
		{3, 5, 3}, {math.Inf(-1), 3, math.Inf(-1)}, {math.Inf(1), 3, math.Inf(1)},
	} {
		if got := clamp.LogProb(c.x, c.factors); got != c.want {
			t.Errorf("%g of %d factors: %g, want %g", c.x, c.factors, got, c.want)
		}
	}
	if x := clamp.LogProb(math.NaN(), 1); x == x {
		t.Errorf("NaN becomes %g", x)
	}
}
