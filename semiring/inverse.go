package semiring

import "math"

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
