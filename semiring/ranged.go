package semiring

import "math"

// Ranged is the capability of a ring whose numbers have a limited range, as float64 has.
// InRange(x, a, b) reports whether x, a product or a quotient of a and b, has kept its
// digits: it is finite, and not so small that digits are lost, as those of subnormal
// numbers are, unless it is a or b itself. A ring without this capability has no such
// limits.
type Ranged[W any] interface {
	InRange(x, a, b W) bool
}

// minNormal is the least positive float64 with all its digits.
const minNormal = 0x1p-1022

// InRange reports whether x is finite and either normal, a or b.
func (Real) InRange(x, a, b float64) bool {
	size := math.Abs(x)
	return size <= math.MaxFloat64 && (size >= minNormal || x == a || x == b)
}

// pairRange is that of a ring of pairs: a part that has no limits is nil.
type pairRange[A, B any] struct {
	a Ranged[A]
	b Ranged[B]
}

func (c pairRange[A, B]) InRange(x, a, b Pair[A, B]) bool {
	return (c.a == nil || c.a.InRange(x.First, a.First, b.First)) &&
		(c.b == nil || c.b.InRange(x.Second, a.Second, b.Second))
}

type expectedRange[W, V any] struct{ base Ranged[W] }

func (c expectedRange[W, V]) InRange(x, a, b Expected[W, V]) bool {
	return c.base.InRange(x.P, a.P, b.P)
}

type expected2Range[W, R, S, T any] struct{ base Ranged[W] }

func (c expected2Range[W, R, S, T]) InRange(x, a, b Expected2[W, R, S, T]) bool {
	return c.base.InRange(x.P, a.P, b.P)
}

type seriesRange[W any] struct {
	ring series[W]
	base Ranged[W]
}

func (c seriesRange[W]) InRange(x, a, b Polynomial[W]) bool {
	return c.base.InRange(c.constant(x), c.constant(a), c.constant(b))
}

func (c seriesRange[W]) constant(a Polynomial[W]) W {
	if len(a) == 0 {
		return c.ring.base.Zero()
	}
	return a[0]
}
