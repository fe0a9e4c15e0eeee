package semiring_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// What ToBlock accepts it writes exactly, with numbers whose products are exact to
// rounding, and it accepts all vectors within 76 digits.
func TestScaledBlockFloat(t *testing.T) {
	ring := semiring.Scaled{}
	refused := 0
	for seed := range trials.Seeds(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		spread := []float64{20, 250, 400, 800, 5000}[r.IntN(5)]
		middle := 2e4 * (r.Float64() - .5)
		x, w := make([]semiring.ScaledFloat, 6), make([]semiring.ScaledFloat, 6)
		for i := range x {
			x[i] = semiring.ScaledFromLog(math.Ln2 * (middle + spread*(r.Float64()-.5)))
			if r.IntN(5) == 0 {
				x[i] = semiring.ScaledFloat{}
			}
			if r.IntN(5) == 0 {
				x[i] = x[i].Neg()
			}
			w[i] = semiring.ScaledFromLog(2e4 * (r.Float64() - .5))
		}
		m, y := make([]float64, 8), make([]semiring.ScaledFloat, 6)
		exp, ok := ring.ToBlock(m, x)
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
		ring.FromBlock(y, m[:6], exp, nil)
		for i := range x {
			if y[i] != x[i] {
				t.Fatalf("seed %d: %v became %v", seed, x[i], y[i])
			}
		}
		ring.FromBlock(y, m[:6], exp, w)
		for i := range x {
			if want := x[i].Mul(w[i]); y[i] != want {
				t.Fatalf("seed %d: %v · %v is %v, want %v", seed, x[i], w[i], y[i], want)
			}
		}
	}
	if refused < 100 {
		t.Errorf("%d vectors refused", refused)
	}
}

// FromBlock takes numbers beyond mantissas, as sums and products of them are.
func TestScaledFromBlockNormalizes(t *testing.T) {
	ring := semiring.Scaled{}
	m := []float64{0x1p-1020, 0x1p600, 0x1p-1074, 0, math.Inf(1), math.Copysign(0, -1)}
	y := make([]semiring.ScaledFloat, len(m))
	ring.FromBlock(y, m, 3, nil)
	for i, x := range m {
		if want := semiring.NewScaled(x).Mul(semiring.ScaledFloat{Mant: 1, Exp: 3}); y[i] != want {
			t.Errorf("%v·2^1536 is %v, want %v", x, y[i], want)
		}
	}
	const far = 1 << 53 // one digit more is out of range
	ring.FromBlock(y[:2], []float64{0x1p300, 1}, far, nil)
	if !math.IsInf(y[0].Mant, 1) || y[1].Exp != far {
		t.Errorf("%v and %v at the end of the range", y[0], y[1])
	}
}

func TestBlockFloatNotFinite(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, other := range []semiring.ScaledFloat{{Mant: 1}, {Mant: 1, Exp: 1}} {
			if _, ok := (semiring.Scaled{}).ToBlock(make([]float64, 2), []semiring.ScaledFloat{other, semiring.NewScaled(x)}); ok {
				t.Errorf("Scaled accepts %v", x)
			}
		}
		if _, ok := (semiring.Real{}).ToBlock(make([]float64, 2), []float64{1, x}); ok {
			t.Errorf("Real accepts %v", x)
		}
	}
}

func TestRealBlockFloat(t *testing.T) {
	ring, x, m, y := semiring.Real{}, []float64{1, 0, -3e-300}, make([]float64, 3), make([]float64, 3)
	exp, ok := ring.ToBlock(m, x)
	ring.FromBlock(y, m, exp, []float64{2, 2, 2})
	if !ok || y[0] != 2 || y[1] != 0 || y[2] != -6e-300 {
		t.Errorf("%v, %v, want twice %v", y, ok, x)
	}
	ring.FromBlock(y, m, 1, nil)
	if y[0] != 0x1p512 || y[2] != -3e-300*0x1p512 {
		t.Errorf("%v, want %v times 2^512", y, x)
	}
}

// A derived ring must not claim what only a part of it has.
func TestBlockFloatIsNotInherited(t *testing.T) {
	p := semiring.Product[semiring.ScaledFloat, semiring.ScaledFloat](semiring.Scaled{}, semiring.Scaled{})
	if _, ok := semiring.As[semiring.BlockFloat[semiring.Pair[semiring.ScaledFloat, semiring.ScaledFloat]]](p); ok {
		t.Error("a product has the capability BlockFloat")
	}
	if _, ok := semiring.As[semiring.BlockFloat[semiring.ScaledFloat]](semiring.Viterbi{}); ok {
		t.Error("Viterbi, which does not add, has the capability BlockFloat")
	}
}
