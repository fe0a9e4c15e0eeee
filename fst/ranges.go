package fst

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// ranges tells whether arithmetic has stayed in the range of a ring: what has left it
// would be a wrong weight without a word.
type ranges[W any] struct {
	ring   semiring.Semiring[W]
	ranged semiring.Ranged[W] // nil: the ring has no limits
}

func rangesOf[W any](ring semiring.Semiring[W]) ranges[W] {
	ranged, _ := semiring.As[semiring.Ranged[W]](ring)
	return ranges[W]{ring, ranged}
}

// has reports whether x, a product or a quotient of a and b, is in range.
func (r ranges[W]) has(x, a, b W) bool { return r.ranged == nil || r.ranged.InRange(x, a, b) }

// hasSum reports whether a sum of weights in range is.
func (r ranges[W]) hasSum(x W) bool { return r.ranged == nil || r.ranged.InRange(x, x, x) }

// hasDivisor reports whether a sum of products is, of which any weight may be a summand.
func (r ranges[W]) hasDivisor(x W) bool {
	return r.ranged == nil || r.ranged.InRange(x, r.ring.One(), r.ring.Zero())
}

// err returns the error for what has left the range, described by a and b.
func (r ranges[W]) err(what string, x W) error {
	return fmt.Errorf("%w: %s is %v, out of the range of %T: see semiring.Scaled", semiring.ErrLimit, what, x, r.ring)
}
