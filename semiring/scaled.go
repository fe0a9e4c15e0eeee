package semiring

import "encoding/binary"

// Scaled is the ring of real numbers in ScaledFloat: + and ×, exact to rounding,
// that neither overflow nor underflow, with no exp or log anywhere. It is the
// ring to use wherever probabilities are summed.
//
// Weights may be negative, as in Real. Star refuses what Real refuses. Dist is
// relative: |a−b| / max(|a|, |b|).
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

// appendScaledKey appends a key on a logarithmic grid, so that delta is relative
// as Dist is.
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
