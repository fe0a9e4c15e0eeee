package semiring

import "math"

// LogProb is the natural logarithm of a non-negative number: the weight of Log.
type LogProb float64

// Log is the ring of non-negative real numbers held as their logarithms: ⊕ is
// ln(eᵃ + eᵇ), ⊗ is +, 0̄ is −Inf and 1̄ is 0. It is there for users whose
// numbers are logarithms already; Scaled is faster and more accurate.
//
// Dist is |a−b|, the difference of logarithms, which is the relative difference
// of small ones.
type Log struct{}

// Zero returns −Inf.
func (Log) Zero() LogProb { return LogProb(math.Inf(-1)) }

// One returns 0.
func (Log) One() LogProb { return 0 }

// Plus returns ln(eᵃ + eᵇ).
func (Log) Plus(a, b LogProb) LogProb {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(float64(a), 0) && !math.IsNaN(float64(b)) {
		return a
	}
	return a + LogProb(math.Log1p(math.Exp(float64(b-a))))
}

// Times returns a + b.
func (Log) Times(a, b LogProb) LogProb { return a + b }

// IsZero reports whether a is −Inf.
func (Log) IsZero(a LogProb) bool { return math.IsInf(float64(a), -1) }

// Star returns −ln(1−eᵃ), under the conditions of Real.Star on eᵃ. It is
// accurate for every a.
func (Log) Star(a LogProb) (LogProb, bool) {
	pivot := -math.Expm1(float64(a))
	if !(pivot > minPivot) {
		return 0, false
	}
	if pivot < 0.5 {
		return LogProb(-math.Log(pivot)), true
	}
	return LogProb(-math.Log1p(-math.Exp(float64(a)))), true
}

// LDiv returns b − a; false if a is −Inf or NaN.
func (Log) LDiv(a, b LogProb) (LogProb, bool) {
	if !(a >= -math.MaxFloat64) {
		return 0, false
	}
	return b - a, true
}

// RDiv returns LDiv(b, a).
func (Log) RDiv(a, b LogProb) (LogProb, bool) { return Log{}.LDiv(b, a) }

// Dist returns |a−b|, 0 for equal infinities.
func (Log) Dist(a, b LogProb) float64 { return absoluteDistance(float64(a), float64(b)) }

// FromLog returns logp.
func (Log) FromLog(logp float64) LogProb { return LogProb(logp) }

// Log returns w.
func (Log) Log(w LogProb) float64 { return float64(w) }

// Laws returns Commutative.
func (Log) Laws() Laws { return Commutative }

// AppendKey appends w rounded to a multiple of delta.
func (Log) AppendKey(dst []byte, w LogProb, delta float64) []byte {
	return appendFloatKey(dst, float64(w), delta)
}

// Parse reads a natural logarithm of a probability (not a negated one).
func (Log) Parse(s string) (LogProb, error) {
	x, err := parseFloat(s)
	return LogProb(x), err
}

// Format writes what Parse reads back.
func (Log) Format(w LogProb) string { return formatFloat(float64(w)) }
