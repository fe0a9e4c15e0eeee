package expr

import (
	"math"

	"example.org/pathsum/semiring"
)

// flatTerms is the number of terms up to which a sum is flat. It bounds what a
// long sum, built one term at a time, costs per term.
const flatTerms = 8

// product returns a ⊗ b^sign for sign = ±1; false if an exponent does not fit.
func (s *Space) product(a, b W, sign int64) (W, bool) {
	var self [2][1]pair
	ca, fa := s.factors(a, &self[0])
	cb, fb := s.factors(b, &self[1])
	var ok bool
	if s.buf, ok = merge(s.buf[:0], fa, fb, sign); !ok {
		return Zero, false
	}
	c := ca
	switch {
	case cb == unit:
	case sign > 0:
		c = ca.Mul(cb)
	default:
		c = ca.Div(cb)
	}
	return s.monomialOf(c, s.buf), true
}

// raise returns c^n and appends to dst the factors with n times their exponents, for n ≠ 0;
// false if one does not fit.
func raise(dst []pair, c semiring.ScaledFloat, factors []pair, n int32) (semiring.ScaledFloat, []pair, bool) {
	for _, f := range factors {
		e := int64(f.number) * int64(n)
		if e > math.MaxInt32 || e < -math.MaxInt32 {
			return c, dst, false
		}
		dst = append(dst, pair{f.of, int32(e)})
	}
	if n < 0 {
		c, n = unit.Div(c), -n
	}
	return repeat(semiring.ScaledFloat.Mul, c, n), dst, true
}

// factors returns the constant and the factors of w as a monomial; it puts the factors of
// an atom in self.
func (t *table) factors(w W, self *[1]pair) (semiring.ScaledFloat, []pair) {
	t, n := t.at(w)
	if n.kind() == monomial {
		return t.constant(n), t.pairsOf(n)
	}
	self[0] = pair{int32(w), 1}
	return unit, self[:]
}

// monomialOf returns c ⊗ the product of factors, which are in order.
func (s *Space) monomialOf(c semiring.ScaledFloat, factors []pair) W {
	switch {
	case c.Mant == 0:
		return Zero
	case same(c, unit) && len(factors) == 0:
		return One
	case same(c, unit) && len(factors) == 1 && factors[0].number == 1:
		return W(factors[0].of)
	}
	return s.intern(monomial, c, factors)
}

// sum returns a ⊕ b.
func (s *Space) sum(a, b W) W {
	var self [2][1]pair
	var ok bool
	s.buf, ok = merge(s.buf[:0], s.terms(a, &self[0]), s.terms(b, &self[1]), 1)
	if !ok || len(s.buf) > flatTerms {
		if a == b {
			s.buf = append(s.buf[:0], pair{int32(a), 2})
		} else {
			s.buf = append(s.buf[:0], pair{int32(a), 1}, pair{int32(b), 1})
		}
	}
	return s.intern(sum, unit, s.buf)
}

// terms returns the terms of w as a sum; w itself, if it is none, is put in self.
func (t *table) terms(w W, self *[1]pair) []pair {
	t, n := t.at(w)
	if n.kind() == sum {
		return t.pairsOf(n)
	}
	self[0] = pair{int32(w), 1}
	return self[:]
}

// merge appends the union of x and y to dst, all in order of pair.of. Where both have an
// entry it adds the number in x and sign times the number in y, and drops what cancels. It
// returns false if a number does not fit.
func merge(dst, x, y []pair, sign int64) ([]pair, bool) {
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		var of int32
		var number int64
		switch {
		case j == len(y) || i < len(x) && x[i].of < y[j].of:
			of, number = x[i].of, int64(x[i].number)
			i++
		case i == len(x) || y[j].of < x[i].of:
			of, number = y[j].of, sign*int64(y[j].number)
			j++
		default:
			of, number = x[i].of, int64(x[i].number)+sign*int64(y[j].number)
			i, j = i+1, j+1
		}
		if number > math.MaxInt32 || number < -math.MaxInt32 {
			return dst, false
		}
		if number != 0 {
			dst = append(dst, pair{of, int32(number)})
		}
	}
	return dst, true
}
