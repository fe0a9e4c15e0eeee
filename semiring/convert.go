package semiring

import "math"

// Conversions between rings whose weights stand for probabilities. All of them
// map ⊗ to ⊗, 0̄ to 0̄ and 1̄ to 1̄; they map ⊕ to ⊕ as well, and so are
// homomorphisms, where both rings sum or both maximize, and from every ring of
// non-negative masses to Boolean. To KBest none is, as it keeps what ⊕ drops.

// FromScaled returns the map of a number x to the weight of dst that stands for it:
//
//	Scaled, Viterbi  x itself
//	Boolean          x ≠ 0
//	Product, Lex     the pair of both images
//	Expectation      ⟨x, 0⟩
//	Expectation2     ⟨x, 0, 0, 0⟩
//	Series           the constant x
//	KBest            the list of x alone
//	others           what the capability Prober says
//
// Rounding and range are as in dst. The error wraps ErrCapability.
func FromScaled[W any](dst Semiring[W]) (func(ScaledFloat) W, error) {
	if d, ok := As[scaledReader[W]](dst); ok {
		return d.fromScaled, nil
	}
	to, err := Require[Prober[W]](dst)
	if err != nil {
		return nil, err
	}
	return func(x ScaledFloat) W { return to.FromLog(x.Log()) }, nil
}

// Convert returns the map of a weight of src to the weight of dst that stands
// for the same mass: from Real to Tropical, say, x becomes −ln x. Numbers go by
// way of ScaledFloat and logarithms by way of the logarithm, so neither loses
// precision where src and dst are of the same kind. The error wraps
// ErrCapability.
func Convert[A, B any](src Semiring[A], dst Semiring[B]) (func(A) B, error) {
	if s, ok := As[scaledWriter[A]](src); ok {
		to, err := FromScaled(dst)
		return func(a A) B { return to(s.toScaled(a)) }, err
	}
	from, err := Require[Prober[A]](src)
	if err != nil {
		return nil, err
	}
	if to, ok := As[Prober[B]](dst); ok {
		return func(a A) B { return to.FromLog(from.Log(a)) }, nil
	}
	to, err := FromScaled(dst)
	return func(a A) B { return to(ScaledFromLog(from.Log(a))) }, err
}

// ReverseOf returns the map of the weight of a path to its weight when it is read
// backwards: the capability Reverser, the identity in a commutative ring, and
// false if s is neither.
func ReverseOf[W any](s Semiring[W]) (func(W) W, bool) {
	if r, ok := As[Reverser[W]](s); ok {
		return r.Reverse, true
	}
	return func(a W) W { return a }, LawsOf(s).Has(Commutative)
}

// scaledReader is the capability of holding a ScaledFloat more precisely than
// through its logarithm, or without being a Prober; scaledWriter the opposite.
type scaledReader[W any] interface{ fromScaled(x ScaledFloat) W }
type scaledWriter[W any] interface{ toScaled(w W) ScaledFloat }

func (Real) fromScaled(x ScaledFloat) float64 { return x.Float64() }
func (Real) toScaled(w float64) ScaledFloat   { return NewScaled(w) }

func (Scaled) fromScaled(x ScaledFloat) ScaledFloat { return x }
func (Scaled) toScaled(w ScaledFloat) ScaledFloat   { return w }

func (Viterbi) fromScaled(x ScaledFloat) ScaledFloat { return x }
func (Viterbi) toScaled(w ScaledFloat) ScaledFloat   { return w }

func (Boolean) fromScaled(x ScaledFloat) bool { return !x.IsZero() }
func (Boolean) toScaled(w bool) ScaledFloat {
	if w {
		return ScaledFloat{Mant: 1}
	}
	return ScaledFloat{}
}

// Inverse returns the weight that stands for 1/m where w stands for the number m:
// by division if s can divide, which serves negative numbers too, otherwise by way of
// the logarithm; prober is the capability of s. It returns false if m is 0, infinite or
// not a number, or if 1/m is more than s can hold.
func Inverse[W any](s Semiring[W], prober Prober[W], w W) (W, bool) {
	if inverse, ok := scaledInverse(s, w); ok {
		return inverse, true
	}
	log := prober.Log(w)
	if d, ok := As[Divider[W]](s); ok && !math.IsInf(log, 1) {
		if inverse, ok := d.RDiv(s.One(), w); ok && !s.IsZero(inverse) && !math.IsInf(prober.Log(inverse), 1) {
			return inverse, true
		}
	}
	inverse := prober.FromLog(-log)
	return inverse, !math.IsNaN(log) && !math.IsInf(log, 0) && !math.IsInf(prober.Log(inverse), 1)
}

// scaledInverse returns the inverse of a number by way of ScaledFloat, false if that is
// not possible.
func scaledInverse[W any](s Semiring[W], w W) (inverse W, ok bool) {
	writer, ok := As[scaledWriter[W]](s)
	if !ok {
		return inverse, false
	}
	reader, ok := As[scaledReader[W]](s)
	if !ok {
		return inverse, false
	}
	regular := func(x ScaledFloat) bool { return !x.IsZero() && x.IsFinite() }
	x := writer.toScaled(w)
	if !regular(x) {
		return inverse, false
	}
	inverse = reader.fromScaled(NewScaled(1).Div(x))
	return inverse, regular(writer.toScaled(inverse))
}
