package semiring

import (
	"cmp"
	"math"
)

// Width is a weight of Bottleneck: what an arc lets through.
type Width float64

// Bottleneck is the ring of widths: ⊕ is the maximum, ⊗ is the minimum, 0̄ is −Inf
// and 1̄ is +Inf. The path sum is the width of the widest path; a path is as wide
// as its narrowest arc.
//
// No path is wider than the empty one, so the ring is bounded. It is not
// cancellative. Dist is |a−b|.
type Bottleneck struct{}

// Zero returns −Inf.
func (Bottleneck) Zero() Width { return Width(math.Inf(-1)) }

// One returns +Inf.
func (Bottleneck) One() Width { return Width(math.Inf(1)) }

// Plus returns the greater width.
func (Bottleneck) Plus(a, b Width) Width { return max(a, b) }

// Times returns the lesser width.
func (Bottleneck) Times(a, b Width) Width { return min(a, b) }

// IsZero reports whether a is −Inf.
func (Bottleneck) IsZero(a Width) bool { return math.IsInf(float64(a), -1) }

// Star returns +Inf; false for NaN.
func (Bottleneck) Star(a Width) (Width, bool) { return Bottleneck{}.One(), a == a }

// LDiv returns b, the least x with min(a, x) = b, if b ≤ a; false otherwise, and if
// a is −Inf.
func (Bottleneck) LDiv(a, b Width) (Width, bool) {
	return b, b <= a && !(Bottleneck{}).IsZero(a)
}

// RDiv returns LDiv(b, a).
func (Bottleneck) RDiv(a, b Width) (Width, bool) { return Bottleneck{}.LDiv(b, a) }

// Compare puts the greater width first, NaN before all.
func (Bottleneck) Compare(a, b Width) int {
	if a != a || b != b {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(b, a)
}

// Dist returns |a−b|, 0 for equal infinities.
func (Bottleneck) Dist(a, b Width) float64 { return absoluteDistance(float64(a), float64(b)) }

// Laws returns Commutative | Selective | Bounded.
func (Bottleneck) Laws() Laws { return Commutative | Selective | Bounded }

// AppendKey appends w rounded to a multiple of delta.
func (Bottleneck) AppendKey(dst []byte, w Width, delta float64) []byte {
	return appendFloatKey(dst, float64(w), delta)
}

// Parse reads a width.
func (Bottleneck) Parse(s string) (Width, error) {
	x, err := parseFloat(s)
	return Width(x), err
}

// Format writes what Parse reads back.
func (Bottleneck) Format(w Width) string { return formatFloat(float64(w)) }
