package semiring_test

import (
	"math"
	"math/big"
	"math/rand/v2"

	"example.org/pathsum/semiring"
)

// Oracles in arithmetic of 300 bits.

const prec = 300

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

// bigScaled returns the value of a, whose exponent has to be moderate.
func bigScaled(a semiring.ScaledFloat) *big.Float {
	return new(big.Float).SetPrec(prec).SetMantExp(newBig(a.Mant), int(512*a.Exp))
}

// fromBig rounds x to a ScaledFloat.
func fromBig(x *big.Float) semiring.ScaledFloat {
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64() // ½ ≤ |f| ≤ 1
	digit := math.Floor(float64(e) / 512)
	scale := math.Ldexp(1, e-512*int(digit)-256)
	return semiring.NewScaled(f * scale).Mul(semiring.ScaledFloat{Mant: 1, Exp: int64(digit)}).Mul(semiring.NewScaled(0x1p256))
}

// bigExp returns eˣ by a Taylor series of x/2^k.
func bigExp(x *big.Float) *big.Float {
	k := max(0, x.MantExp(nil)+20)
	r := new(big.Float).SetPrec(prec+100).SetMantExp(x, -k)
	sum, term := newBig(1).SetPrec(prec+100), newBig(1).SetPrec(prec+100)
	for n := 1; n < 30; n++ {
		term.Mul(term, r)
		term.Quo(term, newBig(float64(n)))
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum.SetPrec(prec)
}

// bigLog returns ln x for x > 0 by Newton's method on exp.
func bigLog(x *big.Float) *big.Float {
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64()
	y := newBig(math.Log(f) + float64(e)*math.Ln2)
	for range 4 { // doubles the digits each time
		q := new(big.Float).SetPrec(prec).Quo(x, bigExp(y))
		y.Add(y, q.Sub(q, newBig(1)))
	}
	return y
}

// relativeError returns |got − want| / |want|.
func relativeError(got semiring.ScaledFloat, want *big.Float) float64 {
	d := new(big.Float).Sub(bigScaled(got), want)
	if d.Sign() == 0 {
		return 0
	}
	if want.Sign() == 0 {
		return math.Inf(1)
	}
	e, _ := d.Quo(d, want).Float64()
	return math.Abs(e)
}

// randomScaled returns a number with a random sign, any mantissa and an exponent
// within ±digits.
func randomScaled(r *rand.Rand, digits int) semiring.ScaledFloat {
	m := math.Ldexp(0.5+r.Float64()/2, r.IntN(513)-255)
	m = min(max(m, 0x1p-256), 0x1.fffffffffffffp255)
	switch r.IntN(20) {
	case 0:
		m = 0x1p-256
	case 1:
		m = 0x1.fffffffffffffp255
	case 2:
		return semiring.ScaledFloat{}
	}
	if r.IntN(2) == 0 {
		m = -m
	}
	return semiring.ScaledFloat{Mant: m, Exp: int64(r.IntN(2*digits+1) - digits)}
}

func positive(a semiring.ScaledFloat) semiring.ScaledFloat {
	a.Mant = math.Abs(a.Mant)
	return a
}
