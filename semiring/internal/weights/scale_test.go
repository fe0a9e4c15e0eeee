package weights_test

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/semiring/internal/weights"
)

// Center changes only the exponent, by the exponent of Frexp, for any greatest number.
func TestCenter(t *testing.T) {
	for _, top := range []float64{
		1, .75, math.Nextafter(1, 0), 3e-7, 1e300, 0x1p1000, 0x1p-1000, 0x1p1023, math.MaxFloat64,
		0x1p-1022,
	} {
		x, y := []float64{top / 4, top, 0}, []float64{top / 2}
		_, want := math.Frexp(top)
		if got := weights.Center(top, x, y); got != want {
			t.Errorf("%g: divided by 2^%d, want 2^%d", top, got, want)
		}
		back := []float64{math.Ldexp(x[1], want), math.Ldexp(y[0], want)}
		if !(.5 <= x[1] && x[1] < 1) || !slices.Equal(back, []float64{top, top / 2}) || x[2] != 0 {
			t.Errorf("%g: became %g and %g", top, x, y)
		}
	}
}

// TestWithin compares bits of exponents with logarithms.
func TestWithin(t *testing.T) {
	for e := -1074; e <= 1023; e++ {
		for _, exponent := range []int{0, 1, 180, 300, 900} {
			for _, y := range []float64{math.Ldexp(1, e), -math.Ldexp(1, e)} {
				if got, want := weights.Within(exponent, 1, 0, y), -exponent <= e && e <= exponent; got != want {
					t.Errorf("%g within 2^±%d: %t, want %t", y, exponent, got, want)
				}
			}
		}
	}
	for _, y := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		if weights.Within(900, y) {
			t.Errorf("%g is within 2^±900", y)
		}
	}
}
