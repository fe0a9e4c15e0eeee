package trellis

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// Vectors of weights become float64 numbers with an exponent in common, so that a
// product of matrix and vector is one of float64 numbers: weight x[i] is m[i]·2^(512·exp).

// toNumbers sets m[i]·2^(512·exp) to x[i], exactly. It reports whether all numbers that
// are not 0 are finite and lie, in absolute value, within [2^-510, 2^256) times a common
// power of 2^512: numbers within 76 decimal digits of the greatest one always do. A
// product of two then is no less than 2^-1020, so that none is rounded off or lost.
// After false, m holds anything.
func toNumbers(m []float64, x []semiring.ScaledFloat) (exp int64, ok bool) {
	m = m[:len(x)]
	for i := range x {
		if x[i].Mant != 0 {
			exp = x[i].Exp
			break
		}
	}
	zero := 0.0
	for i := range x {
		a := &x[i]
		m[i] = a.Mant
		zero += a.Mant - a.Mant
		if a.Exp != exp && a.Mant != 0 {
			return toNumbersApart(m, x)
		}
	}
	return exp, zero == 0
}

// toNumbersApart is toNumbers for numbers of several exponents.
func toNumbersApart(m []float64, x []semiring.ScaledFloat) (exp int64, ok bool) {
	const least = 0x1p-510 * weights.DigitUp
	exp = math.MinInt64
	for _, a := range x {
		if a.Mant != 0 {
			exp = max(exp, a.Exp)
		}
	}
	for i, a := range x {
		switch {
		case !a.IsFinite():
			return 0, false
		case a.Mant == 0 || a.Exp == exp:
			m[i] = a.Mant
		case a.Exp == exp-1 && (a.Mant >= least || a.Mant <= -least):
			m[i] = a.Mant * weights.DigitLow
		default:
			return 0, false
		}
	}
	return exp, true
}

// fromNumbers sets dst[i] to the weight m[i]·2^(512·exp). The m[i] may be any numbers.
func fromNumbers(dst []semiring.ScaledFloat, m []float64, exp int64) {
	const farthest = 1 << 52 // exponents from there on are looked at one by one
	dst = dst[:len(m)]
	safe := -farthest < exp && exp < farthest
	for i, a := range m {
		if b := math.Abs(a); safe && weights.MantLow <= b && b < weights.MantHigh {
			dst[i] = semiring.ScaledFloat{Mant: a, Exp: exp}
		} else {
			dst[i] = semiring.NewScaled(a).Mul(semiring.ScaledFloat{Mant: 1, Exp: exp})
		}
	}
}

// multiply multiplies x by w, number by number.
func multiply(x, w []semiring.ScaledFloat) {
	w = w[:len(x)]
	for i := range x {
		x[i] = x[i].Mul(w[i])
	}
}

// absBits returns the bits of the absolute value. They are in the order of the numbers,
// with those that are not finite above all others.
func absBits(a float64) uint64 { return math.Float64bits(a) &^ (1 << 63) }

// greatest returns the greatest absolute value, not a number if there is one in x.
func greatest(x []float64) float64 {
	var most uint64
	for _, a := range x {
		most = max(most, absBits(a))
	}
	return math.Float64frombits(most)
}
