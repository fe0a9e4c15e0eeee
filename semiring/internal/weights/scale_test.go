package weights_test

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/semiring/internal/weights"
)

// Center moves nothing but the exponent, by that of Frexp, whatever the greatest number is.
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
