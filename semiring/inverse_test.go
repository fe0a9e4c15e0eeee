package semiring_test

import (
	"math"
	"testing"

	. "example.org/pathsum/semiring"
)

func checkInverse[W any](t *testing.T, s Semiring[W], number func(W) float64, w W, want float64) {
	t.Helper()
	prober, err := Require[Prober[W]](s)
	if err != nil {
		t.Fatal(err)
	}
	inverse, ok := Inverse(s, prober, w)
	if exists := !math.IsNaN(want); ok != exists || exists && !(math.Abs(number(inverse)-want) <= 1e-14*math.Abs(want)) {
		t.Errorf("%T: the inverse of %v is %v, %v, want %v", s, w, inverse, ok, want)
	}
}

func TestInverse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	same := func(x float64) float64 { return x }
	for x, want := range map[float64]float64{4: .25, -4: -.25, 0: nan, inf: nan, -inf: nan, 0x1p-1070: nan} {
		checkInverse(t, Real{}, same, x, want)
	}
	checkInverse(t, Real{}, same, nan, nan)
	checkInverse(t, Scaled{}, func(x ScaledFloat) float64 { return x.Log() }, ScaledFromLog(-5000), 5000)
	checkInverse(t, Log{}, func(x LogProb) float64 { return float64(x) }, LogProb(-5000), 5000)
	checkInverse(t, Log{}, func(x LogProb) float64 { return float64(x) }, Log{}.Zero(), nan)
}
