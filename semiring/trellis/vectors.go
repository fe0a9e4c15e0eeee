package trellis

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// Vectors of weights are converted to float64 numbers with a common exponent, weight x[i] being
// m[i]·2^(512·exp). A product of matrix and vector then is a float64 product.

// toNumbers sets m[i]·2^(512·exp) to x[i], exactly. It reports whether all numbers ≠ 0 are finite
// and lie, in absolute value, within [2^-510, 2^256) times a common power of 2^512. Numbers
// within 76 decimal digits of the greatest one always do. A product of two numbers then is at
// least 2^-1020, so no product underflows. If it returns false, m holds garbage.
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

// toNumbersApart is toNumbers for numbers with different exponents.
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
	const farthest = 1 << 52 // from this exponent on, every number is checked
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

// absBits returns the bits of the absolute value. Bits have the same order as absolute values;
// infinities and NaNs are above all others.
func absBits(a float64) uint64 { return math.Float64bits(a) &^ (1 << 63) }

// greatest returns the greatest absolute value, NaN if x contains a NaN.
func greatest(x []float64) float64 {
	var most uint64
	for _, a := range x {
		most = max(most, absBits(a))
	}
	return math.Float64frombits(most)
}

// arrive sets alpha and arrival to y·v, and returns the greatest absolute values of alpha
// and of v.
func arrive(alpha, arrival, y, v []float64) (top, factor float64) {
	alpha, arrival, y = alpha[:len(v)], arrival[:len(v)], y[:len(v)]
	var most, mostV uint64
	for i, w := range v {
		a := y[i] * w
		arrival[i], alpha[i] = a, a
		most, mostV = max(most, absBits(a)), max(mostV, absBits(w))
	}
	return math.Float64frombits(most), math.Float64frombits(mostV)
}

// arriveOrStay sets arrival to y·v, and alpha to arrival + stay·before. It returns the greatest
// absolute values of alpha and of v.
func arriveOrStay(alpha, arrival, y, v []float64, stay float64, before []float64) (top, factor float64) {
	alpha, arrival, y, before = alpha[:len(v)], arrival[:len(v)], y[:len(v)], before[:len(v)]
	var most, mostV uint64
	for i, w := range v {
		a := y[i] * w
		arrival[i] = a
		a += stay * before[i]
		alpha[i] = a
		most, mostV = max(most, absBits(a)), max(mostV, absBits(w))
	}
	return math.Float64frombits(most), math.Float64frombits(mostV)
}

// leave sets p to the products of arrival, unit and beta, and z to the products of v and beta.
func leave(p, z, arrival []float64, unit float64, v, beta []float64) {
	p, z, arrival, v = p[:len(beta)], z[:len(beta)], arrival[:len(beta)], v[:len(beta)]
	for i, b := range beta {
		p[i] = arrival[i] * unit * b
		z[i] = v[i] * b
	}
}

// posteriors sets p to the products of alpha, unit and beta.
func posteriors(p, alpha []float64, unit float64, beta []float64) {
	alpha, beta = alpha[:len(p)], beta[:len(p)]
	for i := range p {
		p[i] = alpha[i] * unit * beta[i]
	}
}

// back sets beta to y and returns the greatest absolute value.
func back(beta, y []float64) float64 {
	beta = beta[:len(y)]
	var most uint64
	for i, b := range y {
		beta[i] = b
		most = max(most, absBits(b))
	}
	return math.Float64frombits(most)
}

// backOrStay replaces beta by stay·beta + y. It returns the greatest absolute value and the dot
// product of alpha and the old beta.
func backOrStay(beta, y []float64, stay float64, alpha []float64) (top, share float64) {
	y, alpha = y[:len(beta)], alpha[:len(beta)]
	var most uint64
	for i, b := range beta {
		share += alpha[i] * b
		b = y[i] + stay*b
		beta[i] = b
		most = max(most, absBits(b))
	}
	return math.Float64frombits(most), share
}
