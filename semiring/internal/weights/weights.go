// Package weights queries rings for the operations that sums require, however their arcs are
// stored: the mass of a weight, its number in float64, and bulk products with the correct order
// of ⊗.
package weights

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// The exponent of a semiring.ScaledFloat counts digits of 512 bits.
const (
	DigitUp  = 0x1p512  // a digit
	DigitLow = 0x1p-512 // 1 / DigitUp
	MantLow  = 0x1p-256 // the least absolute value of a normalized mantissa
	MantHigh = 0x1p256  // bound above the absolute value of a normalized mantissa
)

// Mass translates between the weights of a ring of probabilities and numbers.
type Mass[W any] struct {
	Of     func(W) semiring.ScaledFloat
	Weight func(semiring.ScaledFloat) W // nil if a weight is more than its mass
	Exact  bool                         // Of is exact
}

// Adds reports whether ⊕ of a ring adds masses instead of, for example, selecting one.
func Adds[W any](ring semiring.Semiring[W]) bool {
	p, ok := semiring.As[semiring.Probabilistic[W]](ring)
	return ok && math.Abs(p.Log(ring.Plus(ring.One(), ring.One()))-math.Ln2) < 1e-9
}

// MassOf returns the masses of a ring, or nil if it has no masses or ⊕ does not add them.
func MassOf[W any](ring semiring.Semiring[W]) *Mass[W] {
	if !Adds(ring) {
		return nil
	}
	of, err := semiring.Convert(ring, semiring.Scaled{})
	if err != nil {
		return nil
	}
	m := &Mass[W]{Of: of}
	switch any(ring).(type) {
	case semiring.Real, semiring.Scaled:
		m.Weight, _ = semiring.FromScaled(ring)
		m.Exact = true
	case semiring.Log:
		m.Weight, _ = semiring.FromScaled(ring)
	}
	return m
}

// CheckMass returns semiring.ErrNotFinite or semiring.ErrNegative if w cannot be the mass
// of a probability.
func CheckMass(w semiring.ScaledFloat) error {
	switch {
	case !w.IsFinite():
		return semiring.ErrNotFinite
	case w.Mant < 0:
		return semiring.ErrNegative
	}
	return nil
}

// Inverse returns the inverse of a non-zero total. The error wraps semiring.ErrNotFinite.
func Inverse[W any](ring semiring.Semiring[W], prober semiring.Probabilistic[W], total W) (W, error) {
	scale, ok := semiring.Inverse(ring, prober, total)
	if !ok {
		return scale, fmt.Errorf("%w: the inverse of the total %v", semiring.ErrNotFinite, total)
	}
	return scale, nil
}

// IsNaN reports whether w is NaN, as far as the ring can determine it.
func IsNaN[W any](ring semiring.Semiring[W], w W) bool {
	m, ok := semiring.As[semiring.Metric[W]](ring)
	return ok && math.IsNaN(m.Dist(w, w))
}
