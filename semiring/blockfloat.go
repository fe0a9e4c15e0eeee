package semiring

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// BlockFloat is the capability of a ring of real numbers, with + for ⊕ and × for ⊗,
// of writing a vector in block floating point: as float64 numbers with an exponent in
// common. A dense product of matrix and vector then is one of float64 numbers.
type BlockFloat[W any] interface {
	// ToBlock sets m[i] to such numbers that x[i] is m[i]·2^(512·exp), exactly, and
	// reports whether there are any with which products are safe: every product of
	// an m[i] with an m[j] of another vector must be as exact as the ring's own, and
	// a sum of 2²⁴ of them as well. After false, m holds anything.
	ToBlock(m []float64, x []W) (exp int64, ok bool)
	// FromBlock sets dst[i] to the weight of m[i]·2^(512·exp), times w[i] unless w is
	// nil. The m[i] may be any numbers.
	FromBlock(dst []W, m []float64, exp int64, w []W)
	// AddScaled adds a ⊗ x[i] to dst[i].
	AddScaled(dst []W, a W, x []W)
}

// ToBlock copies x; it reports whether all of its numbers are finite.
func (Real) ToBlock(m []float64, x []float64) (exp int64, ok bool) {
	copy(m[:len(x)], x)
	zero := 0.0
	for _, a := range x {
		zero += a - a
	}
	return 0, zero == 0
}

// FromBlock sets dst[i] to m[i]·2^(512·exp)·w[i].
func (Real) FromBlock(dst []float64, m []float64, exp int64, w []float64) {
	dst = dst[:len(m)]
	copy(dst, m)
	if exp != 0 {
		for i, a := range m {
			dst[i] = shiftDigits(a, exp)
		}
	}
	if w != nil {
		for i, a := range w[:len(dst)] {
			dst[i] *= a
		}
	}
}

// AddScaled adds a·x[i] to dst[i].
func (Real) AddScaled(dst []float64, a float64, x []float64) {
	floats.AddScaled(dst[:len(x)], a, x)
}

// ToBlock reports whether all numbers that are not 0 are finite and lie, in absolute
// value, within [2^-510, 2^256) times a common power of 2^512: numbers within 76
// decimal digits of the greatest one always do. A product of two then is no less than
// 2^-1020, so that none is rounded off or lost.
func (Scaled) ToBlock(m []float64, x []ScaledFloat) (exp int64, ok bool) {
	m = m[:len(x)]
	for _, a := range x {
		if a.Mant != 0 {
			exp = a.Exp
			break
		}
	}
	zero := 0.0
	for i := range x {
		a := &x[i]
		m[i] = a.Mant
		zero += a.Mant - a.Mant
		if a.Exp != exp && a.Mant != 0 {
			return toBlock(m, x)
		}
	}
	return exp, zero == 0
}

// toBlock is Scaled.ToBlock for numbers of several exponents.
func toBlock(m []float64, x []ScaledFloat) (exp int64, ok bool) {
	const least = 0x1p-510 * scaleUp
	exp = -maxExp
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
			m[i] = a.Mant * scaleDown
		default:
			return 0, false
		}
	}
	return exp, true
}

// FromBlock sets dst[i] to m[i]·2^(512·exp)·w[i].
func (Scaled) FromBlock(dst []ScaledFloat, m []float64, exp int64, w []ScaledFloat) {
	dst = dst[:len(m)]
	safe := -maxExp/2 < exp && exp < maxExp/2
	for i, a := range m {
		if b := math.Abs(a); safe && mantMin <= b && b < mantMax {
			dst[i] = ScaledFloat{a, exp}
		} else {
			dst[i] = normalize(a, exp)
		}
	}
	if w == nil {
		return
	}
	w = w[:len(dst)]
	for i := range w {
		x, y := &dst[i], &w[i]
		a, e := x.Mant*y.Mant, x.Exp+y.Exp
		if b := math.Abs(a); mantMin <= b && b < mantMax && -maxExp < e && e < maxExp {
			*x = ScaledFloat{a, e}
		} else {
			*x = normalize(a, e)
		}
	}
}

// AddScaled adds a·x[i] to dst[i].
func (Scaled) AddScaled(dst []ScaledFloat, a ScaledFloat, x []ScaledFloat) {
	dst = dst[:len(x)]
	for i := range x {
		addTo(&dst[i], a.Mant*x[i].Mant, a.Exp+x[i].Exp)
	}
}
