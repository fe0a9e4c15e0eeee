package graph

import (
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

// widened returns g in Scaled if its ring is Real and its sums were lost, else nil.
func widened[W any](g *Graph[W], lost bool) *Graph[semiring.ScaledFloat] {
	if !lost {
		return nil
	}
	inReal, ok := any(g).(*Graph[float64])
	if !ok {
		return nil
	}
	if _, ok := inReal.ring.(semiring.Real); !ok {
		return nil
	}
	return Map(inReal, semiring.Scaled{}, semiring.NewScaled)
}

// lost reports whether sums x, taken with that error, have left the range of float64, be
// it on the way to a number inside it.
func lost[W any](x []W, err error) bool {
	if err != nil {
		return errors.Is(err, semiring.ErrNotFinite)
	}
	numbers, _ := any(x).([]float64)
	for _, y := range numbers {
		if y-y != 0 {
			return true
		}
	}
	return false
}

// narrowed returns sums over Scaled as weights of Real. The error wraps
// semiring.ErrNotFinite if one is finite and yet out of range.
func narrowed[W any](x []semiring.ScaledFloat, err error) ([]W, error) {
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, len(x))
	for i, y := range x {
		numbers[i] = y.Float64()
		if math.IsInf(numbers[i], 0) && y.IsFinite() {
			return nil, fmt.Errorf("graph: %w in Real: sum %d of %d is %v; semiring.Scaled holds it", semiring.ErrNotFinite, i, len(x), y)
		}
	}
	return any(numbers).([]W), nil
}
