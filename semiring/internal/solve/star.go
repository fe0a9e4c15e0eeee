package solve

import (
	"bytes"
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

const (
	// doublingTolerance is the distance below which the last step of doubling
	// must stay; what is still missing then is about its square.
	doublingTolerance = 1e-12
	// doublingSteps is the limit of its steps: 2⁴⁸ terms.
	doublingSteps = 48
)

// closedOf returns the star of a ring: its own, or, if the ring can tell whether
// weights are equal, one by doubling. The error wraps ErrCapability.
func closedOf[W any](ring semiring.Semiring[W]) (semiring.Closed[W], error) {
	closed, err := semiring.RequireClosed(ring)
	if err == nil {
		return closed, nil
	}
	if distance := DistanceOf(ring); distance != nil {
		return &doubling[W]{ring: ring, distance: distance}, nil
	}
	return nil, nested.Errorf("graph: %w, nor Metric or Keyer, nor Laws that say semiring.Bounded", err)
}

// DistanceOf returns how far apart two weights are: by the ring's Metric, or, by its
// Keyer, 0 if they are equal and +Inf if not; nil if it has neither.
func DistanceOf[W any](ring semiring.Semiring[W]) func(a, b W) float64 {
	if metric, ok := semiring.As[semiring.Metric[W]](ring); ok {
		return metric.Dist
	}
	keyer, ok := semiring.As[semiring.Keyer[W]](ring)
	if !ok {
		return nil
	}
	var x, y []byte
	return func(a, b W) float64 {
		x, y = keyer.AppendKey(x[:0], a, 0), keyer.AppendKey(y[:0], b, 0)
		if bytes.Equal(x, y) {
			return 0
		}
		return math.Inf(1)
	}
}

// doubling is the star of a ring that has none but can measure distances: the
// fixpoint of x = 1̄ ⊕ a ⊗ x by an iteration that doubles the number of terms in
// every step, Σ_{n<2m} aⁿ = (1̄ ⊕ aᵐ) ⊗ Σ_{n<m} aⁿ. A sum of 1/ε terms of like size
// takes log₂(1/ε) steps.
type doubling[W any] struct {
	ring     semiring.Semiring[W]
	distance func(a, b W) float64
	last     float64 // how far the last step of the latest Star went
}

// Star returns a* once a step has gone no farther than doublingTolerance, false if
// none of doublingSteps does or a distance is not a number.
func (d *doubling[W]) Star(a W) (W, bool) {
	sum := d.ring.One()
	for range doublingSteps {
		more := d.ring.Plus(sum, d.ring.Times(a, sum))
		d.last = d.distance(sum, more)
		a = d.ring.Times(a, a)
		if d.last <= doublingTolerance {
			// A single term more must not matter either: −1 + 1 − 1 + … does.
			if d.last = d.distance(more, d.ring.Plus(more, a)); d.last <= doublingTolerance {
				return more, true
			}
		}
		if d.last != d.last {
			break
		}
		sum = more
	}
	return sum, false
}

// refusal says why the star of a, which was asked for last, has no value.
func refusal[W any](closed semiring.Closed[W], a W) string {
	if d, ok := closed.(*doubling[W]); ok {
		return fmt.Sprintf("the last of at most %d doublings of the terms went as far as %g, more than %g",
			doublingSteps, d.last, doublingTolerance)
	}
	return fmt.Sprintf("the star of %v has no value", a)
}
