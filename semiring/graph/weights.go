// Package weights asks rings for what sums over graphs of any storage need: the mass of a
// weight, its number, products in bulk on the side that ⊗ wants.
package graph

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// ScaledFloat counts in digits of 512 bits. A normalized mantissa lies between mantLow and
// mantHigh.
const (
	digitUp  = 0x1p512
	digitLow = 0x1p-512
	mantHigh = 0x1p256
	mantLow  = 0x1p-256
)

// mass translates between the weights of a ring of probabilities and numbers.
type mass[W any] struct {
	of     func(W) semiring.ScaledFloat
	weight func(semiring.ScaledFloat) W // nil if a weight is more than its mass
	exact  bool                         // of rounds nothing
}

// massOf returns the masses of a ring, nil if it has none or ⊕ does not add them.
func massOf[W any](ring semiring.Semiring[W]) *mass[W] {
	p, ok := semiring.As[semiring.Prober[W]](ring)
	if !ok {
		return nil
	}
	if two := p.Log(ring.Plus(ring.One(), ring.One())); !(math.Abs(two-math.Ln2) < 1e-9) {
		return nil
	}
	of, err := semiring.Convert(ring, semiring.Scaled{})
	if err != nil {
		return nil
	}
	m := &mass[W]{of: of}
	switch any(ring).(type) {
	case semiring.Real, semiring.Scaled:
		m.weight, _ = semiring.FromScaled(ring)
		m.exact = true
	case semiring.Log:
		m.weight, _ = semiring.FromScaled(ring)
	}
	return m
}

// checkMass returns the sentinel for what is wrong with a mass.
func checkMass(w semiring.ScaledFloat) error {
	switch {
	case !w.IsFinite():
		return semiring.ErrNotFinite
	case w.Mant < 0:
		return semiring.ErrNegative
	}
	return nil
}

// inverse returns the inverse of a total that is not Zero. The error wraps
// semiring.ErrNotFinite.
func inverse[W any](ring semiring.Semiring[W], prober semiring.Prober[W], total W) (W, error) {
	scale, ok := semiring.Inverse(ring, prober, total)
	if !ok {
		return scale, fmt.Errorf("%w: the inverse of the total %v", semiring.ErrNotFinite, total)
	}
	return scale, nil
}

// isNaN reports whether w is not a number, as far as the ring can tell.
func isNaN[W any](ring semiring.Semiring[W], w W) bool {
	m, ok := semiring.As[semiring.Metric[W]](ring)
	return ok && math.IsNaN(m.Dist(w, w))
}
