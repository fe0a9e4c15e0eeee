package trellis

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// What toNumbers accepts it writes exactly, with numbers whose products are exact to
// rounding, and it accepts all vectors within 76 digits.
func TestToNumbers(t *testing.T) {
	refused := 0
	for seed := range trials.Seeds(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		spread := []float64{20, 250, 400, 800, 5000}[r.IntN(5)]
		middle := 2e4 * (r.Float64() - .5)
		x := make([]semiring.ScaledFloat, 6)
		for i := range x {
			x[i] = semiring.ScaledFromLog(math.Ln2 * (middle + spread*(r.Float64()-.5)))
			if r.IntN(5) == 0 {
				x[i] = semiring.ScaledFloat{}
			}
			if r.IntN(5) == 0 {
				x[i] = x[i].Neg()
			}
		}
		m, y := make([]float64, 8), make([]semiring.ScaledFloat, 6)
		exp, ok := toNumbers(m, x)
		if !ok {
			if spread < 252 {
				t.Fatalf("seed %d: %v refused", seed, x)
			}
			refused++
			continue
		}
		for i, a := range x {
			if b := math.Abs(m[i]); a.IsZero() != (b == 0) || b != 0 && !(b >= 0x1p-510 && b < 0x1p256) {
				t.Fatalf("seed %d: %v is %v", seed, a, m[i])
			}
		}
		fromNumbers(y, m[:6], exp)
		for i := range x {
			if y[i] != x[i] {
				t.Fatalf("seed %d: %v became %v", seed, x[i], y[i])
			}
		}
	}
	if refused < 100 {
		t.Errorf("%d vectors refused", refused)
	}
}

// fromNumbers takes numbers beyond mantissas, as sums and products of them are.
func TestFromNumbersNormalizes(t *testing.T) {
	m := []float64{0x1p-1020, 0x1p600, 0x1p-1074, 0, math.Inf(1), math.Copysign(0, -1)}
	y := make([]semiring.ScaledFloat, len(m))
	fromNumbers(y, m, 3)
	for i, x := range m {
		if want := semiring.NewScaled(x).Mul(semiring.ScaledFloat{Mant: 1, Exp: 3}); y[i] != want {
			t.Errorf("%v·2^1536 is %v, want %v", x, y[i], want)
		}
	}
	const far = 1 << 53 // one digit more is out of range
	fromNumbers(y[:2], []float64{0x1p300, 1}, far)
	if !math.IsInf(y[0].Mant, 1) || y[1].Exp != far {
		t.Errorf("%v and %v at the end of the range", y[0], y[1])
	}
}

func TestToNumbersNotFinite(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, other := range []semiring.ScaledFloat{{Mant: 1}, {Mant: 1, Exp: 1}} {
			if _, ok := toNumbers(make([]float64, 2), []semiring.ScaledFloat{other, semiring.NewScaled(x)}); ok {
				t.Errorf("%v is accepted", x)
			}
		}
	}
}
