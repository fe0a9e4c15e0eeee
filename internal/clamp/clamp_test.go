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

func TestLogQuotient(t *testing.T) {
	for _, c := range []struct {
		part, total float64
		factors     int
		want        float64
		ok          bool
	}{
		{-3, -2, 1, -1, true}, {-2, -2, 0, 0, true}, {math.Nextafter(700, 800), 700, 3, 0, true}, {-5, -5 - 1e-13, 1, 0, true},
		{-1, -2, 10, 1, false}, {1e-6, 0, 10, 1e-6, false}, {math.Inf(-1), -2, 3, math.Inf(-1), true},
	} {
		got, err := clamp.LogQuotient(c.part, c.total, c.factors)
		if got != c.want || (err == nil) != c.ok || err != nil && !errors.Is(err, semiring.ErrInaccurate) {
			t.Errorf("%+v: %g, error %v", c, got, err)
		}
	}
	if _, err := clamp.LogQuotient(math.NaN(), 0, 1); !errors.Is(err, semiring.ErrInaccurate) {
		t.Errorf("NaN: error %v", err)
	}
}
