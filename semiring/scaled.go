package semiring

import (
	"encoding/binary"
	"math"
)

// Scaled is the ring of real numbers in ScaledFloat: + and ×, exact to rounding, without overflow
// or underflow, and without any exp or log. Use it wherever probabilities are summed.
//
// Weights may be negative, as in Real. Star has the domain of Real.Star, including the analytic
// continuation for a ≤ −1. Dist is relative: |a−b| / max(|a|, |b|).
type Scaled struct{}

// Zero returns 0.
func (Scaled) Zero() ScaledFloat { return ScaledFloat{} }

// One returns 1.
func (Scaled) One() ScaledFloat { return ScaledFloat{Mant: 1} }

// Plus returns a + b.
func (Scaled) Plus(a, b ScaledFloat) ScaledFloat { return a.Add(b) }

// Times returns a · b.
func (Scaled) Times(a, b ScaledFloat) ScaledFloat { return a.Mul(b) }

// IsZero reports whether a is 0.
func (Scaled) IsZero(a ScaledFloat) bool { return a.Mant == 0 }

// Star returns 1/(1−a), under the conditions of Real.Star.
func (Scaled) Star(a ScaledFloat) (ScaledFloat, bool) {
	pivot := Scaled{}.One().Sub(a)
	if !pivot.IsFinite() || pivot.Cmp(ScaledFloat{Mant: minPivot}) <= 0 {
		return ScaledFloat{}, false
	}
	return Scaled{}.One().Div(pivot), true
}

// LDiv returns b/a; false if a is 0 or NaN.
func (Scaled) LDiv(a, b ScaledFloat) (ScaledFloat, bool) {
	if a.IsZero() || a.IsNaN() {
		return ScaledFloat{}, false
	}
	return b.Div(a), true
}

// RDiv returns LDiv(b, a).
func (Scaled) RDiv(a, b ScaledFloat) (ScaledFloat, bool) { return Scaled{}.LDiv(b, a) }

// Dist returns |a−b| / max(|a|, |b|), 0 for equal numbers.
func (Scaled) Dist(a, b ScaledFloat) float64 { return scaledDistance(a, b) }

// FromLog returns exp(logp).
func (Scaled) FromLog(logp float64) ScaledFloat { return ScaledFromLog(logp) }

// Log returns ln w.
func (Scaled) Log(w ScaledFloat) float64 { return w.Log() }

// Laws returns Commutative.
func (Scaled) Laws() Laws { return Commutative }

// Neg returns −a.
func (Scaled) Neg(a ScaledFloat) ScaledFloat { return a.Neg() }

// AppendKey appends the sign of w and ln|w| rounded to a multiple of delta.
func (Scaled) AppendKey(dst []byte, w ScaledFloat, delta float64) []byte {
	return appendScaledKey(dst, w, delta)
}

// Parse reads a decimal number of any magnitude.
func (Scaled) Parse(s string) (ScaledFloat, error) { return ParseScaled(s) }

// Format writes the decimal number that Parse reads back.
func (Scaled) Format(w ScaledFloat) string { return w.String() }

// appendScaledKey appends a key on a logarithmic grid, so delta is relative, as Dist is.
func appendScaledKey(dst []byte, w ScaledFloat, delta float64) []byte {
	if delta == 0 {
		dst = appendFloatKey(dst, w.Mant, 0)
		return binary.BigEndian.AppendUint64(dst, uint64(w.Exp))
	}
	sign := byte('+')
	if w.Mant < 0 {
		sign, w = '-', w.Neg()
	}
	return appendFloatKey(append(dst, sign), w.Log(), delta)
}

func scaledDistance(a, b ScaledFloat) float64 {
	if a.IsZero() || b.IsZero() || !a.IsFinite() || !b.IsFinite() {
		return relativeDistance(a.Mant, b.Mant)
	}
	e := max(a.Exp, b.Exp)
	return relativeDistance(shiftDigits(a.Mant, a.Exp-e), shiftDigits(b.Mant, b.Exp-e))
}

// Dot sets *dst to Σ w[k]·x[i].
func (Scaled) Dot(dst *ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	var z float64
	var e int64
	if k == nil {
		w = w[:len(i)]
		for n, in := range i {
			a, b := &w[n], &x[in]
			if t, q := a.Mant*b.Mant, a.Exp+b.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
	} else {
		k = k[:len(i)]
		for n, in := range i {
			a, b := &w[k[n]], &x[in]
			if t, q := a.Mant*b.Mant, a.Exp+b.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
	}
	*dst = normalize(z, e)
}

// Sweep adds Σ w·x[i] over row s to x[s], row by row. It has its own loop, since a call or a
// subslice per row would cost as much as three terms.
func (Scaled) Sweep(x []ScaledFloat, order, row []int32, w []ScaledFloat, i []int32) {
	w = w[:len(i)]
	var e int64 // the exponent of a sum that is still 0: guess the previous row's
	for _, s := range rowsOf(order, row) {
		sum := &x[s]
		z := sum.Mant
		if z != 0 {
			e = sum.Exp
		}
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			b, a := &x[i[n]], &w[n]
			if t, q := a.Mant*b.Mant, a.Exp+b.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
		if isNormal(z, e) {
			sum.Mant, sum.Exp = z, e
		} else {
			*sum = renormalize(z, e)
		}
	}
}

// SweepTerms is Sweep, and leaves the terms of every sum in units of its mantissa.
func (Scaled) SweepTerms(term, own, unit []float64, x []ScaledFloat, order, row []int32, w []ScaledFloat, i []int32) bool {
	w, term, own, unit = w[:len(i)], term[:len(i)], own[:len(x)], unit[:len(x)]
	ok := true
	var e int64 // as in Sweep
	for _, s := range rowsOf(order, row) {
		sum := &x[s]
		before := *sum
		z := before.Mant
		if z != 0 {
			e = before.Exp
		}
		alike := true // all numbers have the exponent of the sum
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			b, a := &x[i[n]], &w[n]
			t, q := a.Mant*b.Mant, a.Exp+b.Exp
			term[n] = t
			if q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
				alike = false
			}
		}
		if isNormal(z, e) {
			sum.Mant, sum.Exp = z, e
		} else {
			*sum = renormalize(z, e)
			alike = false
		}
		own[s], unit[s] = before.Mant, 1/sum.Mant
		if !alike {
			own[s] = shiftDigits(before.Mant, before.Exp-sum.Exp)
			if sum.Mant == 0 {
				unit[s] = 0
			}
			lo := row[s]
			ok = scaledTerms(term[lo:hi], *sum, x, w[lo:hi], i[lo:hi]) && sum.IsFinite() &&
				(sum.Mant != 0 || before.Mant == 0) && ok
		}
	}
	return ok
}

// scaledTerms sets term[n] to w[n]·x[i[n]] in units of the mantissa of sum. It returns false if a
// term is infinite or NaN, or if sum is 0 and a term is not.
//
//go:noinline
func scaledTerms(term []float64, sum ScaledFloat, x, w []ScaledFloat, i []int32) bool {
	ok := true
	for n, in := range i {
		a, b := &w[n], &x[in]
		t := shiftDigits(a.Mant*b.Mant, a.Exp+b.Exp-sum.Exp)
		term[n] = t
		ok = ok && t-t == 0 && (sum.Mant != 0 || a.Mant*b.Mant == 0)
	}
	return ok
}

// Spread adds x[s]·w to x[i] over row s, row by row. A sum is normalized when its own row comes,
// or in the end.
func (Scaled) Spread(x []ScaledFloat, order, row []int32, w []ScaledFloat, i []int32) {
	w = w[:len(i)]
	for _, s := range rowsOf(order, row) {
		a := normalize(x[s].Mant, x[s].Exp)
		x[s] = a
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			sum, b := &x[i[n]], &w[n]
			t, q, e := a.Mant*b.Mant, a.Exp+b.Exp, sum.Exp
			if math.Float64bits(sum.Mant) == 0 {
				e = q // of a sum that is still 0, without a branch
			}
			if q == e {
				sum.Mant, sum.Exp = sum.Mant+t, e
			} else {
				sum.Mant, sum.Exp = addDigits(sum.Mant, e, t, q)
			}
		}
	}
	if omits(order, row) {
		for s := range x {
			x[s] = normalize(x[s].Mant, x[s].Exp)
		}
	}
}

// Dot2 sets *dst to Σ w[k]·x[i]·y[j].
func (Scaled) Dot2(dst *ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32, y []ScaledFloat, j []int32) {
	n := terms(k, i, w)
	i, j = indices(i, n), indices(j, n)
	j = j[:len(i)]
	var z float64
	var e int64
	if k == nil {
		w = w[:len(i)]
		for n, in := range i {
			a, b, c := &w[n], &x[in], &y[j[n]]
			if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
	} else {
		k = k[:len(i)]
		for n, in := range i {
			a, b, c := &w[k[n]], &x[in], &y[j[n]]
			if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
	}
	*dst = normalize(z, e)
}

// Marginals sets p[n] to a·w[k]·x[i] as a float64.
func (Scaled) Marginals(p []float64, a ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	p = p[:len(i)]
	if k == nil {
		w = w[:len(i)]
		for n, in := range i {
			b, c := &w[n], &x[in]
			if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == 0 {
				p[n] = t
			} else {
				p[n] = shiftDigits(t, q)
			}
		}
		return
	}
	k = k[:len(i)]
	for n, in := range i {
		b, c := &w[k[n]], &x[in]
		if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == 0 {
			p[n] = t
		} else {
			p[n] = shiftDigits(t, q)
		}
	}
}

// Marginals2 sets p[n] to a·w[k]·x[i]·y[j] as a float64.
func (Scaled) Marginals2(p []float64, a ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32, y []ScaledFloat, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j, p = indices(k, n)[:len(i)], indices(j, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		b, c, d := &w[k[n]], &x[in], &y[j[n]]
		p[n] = shiftDigits(b.Mant*c.Mant*d.Mant*a.Mant, a.Exp+b.Exp+c.Exp+d.Exp)
	}
}

// Scatter2 adds a·w·x[j] to sum[i] and a·w·x[i] to sum[j].
func (Scaled) Scatter2(sum []ScaledFloat, a ScaledFloat, w, x []ScaledFloat, i, j []int32) {
	i, j = i[:len(w)], j[:len(w)]
	for n := range w {
		in, jn, t, e := i[n], j[n], a.Mant*w[n].Mant, a.Exp+w[n].Exp
		addTo(&sum[in], t*x[jn].Mant, e+x[jn].Exp)
		addTo(&sum[jn], t*x[in].Mant, e+x[in].Exp)
	}
}

// addTo adds the product t × 2^(512·q) of three mantissas to *sum. It has a fast path for sums
// that change only in the mantissa.
func addTo(sum *ScaledFloat, t float64, q int64) {
	if m := sum.Mant + t; q == sum.Exp && isMantissa(m) {
		sum.Mant = m
	} else {
		addToSlowly(sum, t, q)
	}
}

//go:noinline
func addToSlowly(sum *ScaledFloat, t float64, q int64) {
	if q == sum.Exp {
		*sum = normalize(sum.Mant+t, q)
	} else {
		*sum = normalize(addDigits(sum.Mant, sum.Exp, t, q))
	}
}

// isMantissa reports whether m is the mantissa of a normalized number other than 0.
func isMantissa(m float64) bool {
	const least = 1023 - 256 // exponent bits of mantMin
	return math.Float64bits(m)>>52&0x7ff-least < 512
}
