package expr

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
)

// Power returns a^x with an exponent x that may be learnt: w is the expression of e^x. So
// Power(a, w) is exp(ln a · ln w); for a parameter w it is the power of a by ln θ_w, which may
// have any sign. The derivative of its logarithm by x is ln a. It equals Power(w, a): e^f to the
// power x is e^x to the power f.
//
// Products are split in both arguments: (a⊗b)^x is a^x ⊗ b^x and a^(x+y) is a^x ⊗ a^y. Any other
// factor is one number (Whole), and so is the power: under EvaluateTempered its value is raised
// to β. If a and w are Untempered, so is the power.
//
// Power(Zero, w) is Zero. The result is false if w is Zero, the exponent −∞. Evaluation fails for
// a or w below 0 (ErrParam), and for 0 to a negative power (ErrDivision). Other powers of 0 are
// 0, even 0 to the power 0: an impossible choice stays impossible, as at a temperature.
func (s *Space) Power(a, w W) (W, bool) {
	if w == Zero {
		return Zero, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.powerOf(a, w), true
}

// RealPower returns a^x for a given exponent x; false if it is not finite, or a is Zero and x
// negative. For an integer x it is an ordinary integer power, and a^0 is One. For other x see
// Power.
func (s *Space) RealPower(a W, x float64) (W, bool) {
	if x-x != 0 || a == Zero && x < 0 {
		return Zero, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case x == 0:
		return One, true
	case a == Zero:
		return Zero, true
	case x == math.Trunc(x) && math.Abs(x) < math.MaxInt32:
		return s.factor(One, a, int32(x)), true
	}
	return s.powerOf(a, s.monomialOf(semiring.ScaledFromLog(x), nil)), true
}

// powerOf is Power for w ≠ 0.
func (s *Space) powerOf(a, w W) W {
	if a == Zero {
		return Zero
	}
	plain := s.plainFrom(a) == a && s.plainFrom(w) == w
	ca, fa := s.factors(a, new([1]pair))
	cw, fw := s.factors(w, new([1]pair))
	product := One
	if ca != unit && cw != unit {
		product = s.monomialOf(semiring.ScaledFromLog(ca.Log()*cw.Log()), nil)
	}
	add := func(x, y W, n int64) {
		if !plain {
			x, y = s.wholeFrom(x), s.wholeFrom(y)
		}
		if n > math.MaxInt32 || n < -math.MaxInt32 {
			panic("expr: an exponent beyond ±(2³¹−1)")
		}
		product = s.factor(product, s.powerNode(x, y), int32(n))
	}
	for _, x := range fa {
		for _, y := range fw {
			add(W(x.of), W(y.of), int64(x.number)*int64(y.number))
		}
		if cw != unit {
			add(W(x.of), s.monomialOf(cw, nil), int64(x.number))
		}
	}
	for _, y := range fw {
		if ca != unit {
			add(W(y.of), s.monomialOf(ca, nil), int64(y.number))
		}
	}
	return product
}

// plainFrom is Untempered for callers that hold the lock.
func (s *Space) plainFrom(w W) W {
	for _, x := range s.madeOf(w) {
		s.plains[x] = s.plainOf(x)
	}
	return s.plains[w]
}

// wholeFrom is Whole(Untempered(w)) of an atom or a constant.
func (s *Space) wholeFrom(w W) W {
	if _, n := s.at(w); n.kind() == monomial {
		return w
	}
	return s.wholeOf(s.plainFrom(w))
}

// The parts of a power a^ln(w), used as the numbers of its pairs. A temperature must raise the
// power once, not twice, so its value is the value of a to the power ln w̄, where w̄ =
// Untempered(w). Therefore the derivatives by tempered a and w are exactly ln w̄ and ln ā.
const (
	powerBase int32 = 1 + iota
	powerExponent
	plainBase
	plainExponent
)

// powerNode returns the power of two atoms or constants other than Zero.
func (s *Space) powerNode(a, w W) W {
	if a > w {
		a, w = w, a
	}
	parts := []pair{{int32(a), powerBase}, {int32(w), powerExponent}, {int32(s.plainFrom(a)), plainBase}, {int32(s.plainFrom(w)), plainExponent}}
	slices.SortFunc(parts, func(x, y pair) int { return cmp.Or(cmp.Compare(x.of, y.of), cmp.Compare(x.number, y.number)) })
	return s.intern(raised, unit, parts)
}

// powerTerms returns the terms of a power by their numbers.
func powerTerms(pairs []pair) (terms [plainExponent + 1]W) {
	for _, x := range pairs {
		terms[x.number] = W(x.of)
	}
	return terms
}

// power returns the value of a power.
func (e *evaluator) power(pairs []pair) (semiring.ScaledFloat, error) {
	of := powerTerms(pairs)
	a, w := e.values[of[powerBase]], e.values[of[plainExponent]]
	if a.IsNaN() || w.IsNaN() {
		return nan, nil
	}
	if a.Mant < 0 || w.Mant < 0 {
		return nan, fmt.Errorf("%w: a power of %v and %v, a negative number", ErrParam, a, w)
	}
	if w.IsZero() || a.IsZero() { // the power is symmetric in a and w
		if w.IsZero() {
			a, w = w, a
		}
		if w.IsZero() || w.Cmp(unit) < 0 {
			return nan, fmt.Errorf("%w: 0 to the power %g", ErrDivision, w.Log())
		}
		return semiring.ScaledFloat{}, nil
	}
	v := a.Pow(w.Log())
	if !v.IsFinite() || v.IsZero() {
		return nan, fmt.Errorf("%w: %v to the power %g is out of range", ErrParam, a, w.Log())
	}
	return v, nil
}

// powerSlope returns d ln (value of a power) / d ln (value of its part x), and, if tangents is
// not nil, the change of the slope along the tangents.
func powerSlope(values []semiring.ScaledFloat, tangents []float64, pairs []pair, x pair) (slope, change float64) {
	other := plainExponent
	switch x.number {
	case powerBase:
	case powerExponent:
		other = plainBase
	default:
		return 0, 0
	}
	y := powerTerms(pairs)[other]
	if tangents != nil {
		change = tangents[y]
	}
	return values[y].Log(), change
}
