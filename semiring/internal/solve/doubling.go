package solve

import (
	"bytes"
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

const (
	// doublingTolerance is the distance below which the last step of doubling
	// must stay; what is still missing then is about its square.
	doublingTolerance = 1e-12
	// doublingSteps is the limit of its steps: 2⁴⁸ terms.
	doublingSteps = 48
)

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

// doubled returns the star of a for a ring that has none but can measure distances: the
// fixpoint of x = 1̄ ⊕ a ⊗ x by an iteration that doubles the number of terms in
// every step, Σ_{n<2m} aⁿ = (1̄ ⊕ aᵐ) ⊗ Σ_{n<m} aⁿ. A sum of 1/ε terms of like size
// takes log₂(1/ε) steps.
//
// It ends once a step has gone no farther than doublingTolerance, and is false if none of
// doublingSteps does or a distance is not a number; last is how far the last one went.
func doubled[W any](ring semiring.Semiring[W], distance func(a, b W) float64, a W) (star W, last float64, ok bool) {
	sum := ring.One()
	for range doublingSteps {
		more := ring.Plus(sum, ring.Times(a, sum))
		last = distance(sum, more)
		a = ring.Times(a, a)
		if last <= doublingTolerance {
			// A single term more must not matter either: −1 + 1 − 1 + … does.
			if last = distance(more, ring.Plus(more, a)); last <= doublingTolerance {
				return more, last, true
			}
		}
		if last != last {
			break
		}
		sum = more
	}
	return sum, last, false
}

// undoubled says why a star by doubling, whose last step went so far, has no value.
func undoubled(last float64) string {
	return fmt.Sprintf("the last of at most %d doublings of the terms went as far as %g, more than %g",
		doublingSteps, last, doublingTolerance)
}
