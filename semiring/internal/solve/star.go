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

// doubling is the star of a ring that has none but can measure distances: the
// fixpoint of x = 1̄ ⊕ a ⊗ x by an iteration that doubles the number of terms in
// every step, Σ_{n<2m} aⁿ = (1̄ ⊕ aᵐ) ⊗ Σ_{n<m} aⁿ. A sum of 1/ε terms of like size
// takes log₂(1/ε) steps.
type doubling struct {
	places
	last float64 // how far the last step of the latest star went
}

// star sets dst to a* once a step has gone no farther than doublingTolerance. It returns
// false if none of doublingSteps does or a distance is not a number.
func (d *doubling) star(dst, a place) bool {
	sum, more, power := spares[0], spares[1], spares[2]
	d.set(sum, one)
	d.set(power, a)
	for range doublingSteps {
		d.times(more, power, sum)
		d.plus(more, sum, more)
		d.last = d.distance(sum, more)
		d.times(power, power, power)
		if d.last <= doublingTolerance {
			// A single term more must not matter either: −1 + 1 − 1 + … does.
			d.plus(sum, more, power)
			if d.last = d.distance(more, sum); d.last <= doublingTolerance {
				d.set(dst, more)
				return true
			}
		}
		if d.last != d.last {
			break
		}
		d.set(sum, more)
	}
	return false
}

// refusal says why the latest star has no value.
func (d *doubling) refusal() string {
	return fmt.Sprintf("the last of at most %d doublings of the terms went as far as %g, more than %g",
		doublingSteps, d.last, doublingTolerance)
}
