package weights

import (
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// IsReal reports whether a ring is semiring.Real, whose products leave the range of float64.
func IsReal[W any](ring semiring.Semiring[W]) bool {
	_, ok := any(ring).(semiring.Real)
	return ok
}

// Lost reports whether sums, taken with that error, have left the range of float64, be it
// on the way to a number inside it: infinity times 0 is not a number.
func Lost[W any](err error, sums ...W) bool {
	if err != nil {
		return errors.Is(err, semiring.ErrNotFinite)
	}
	numbers, _ := any(sums).([]float64)
	for _, y := range numbers {
		if y-y != 0 {
			return true
		}
	}
	return false
}

// Within reports whether every number that is not 0 is from 2^−exponent to 2^(exponent+1), its sign
// aside.
func Within(exponent int, numbers ...float64) bool {
	const digits, bias = 52, 1023
	least, span := uint64(bias-exponent), uint64(2*exponent)
	for _, y := range numbers {
		if e := math.Float64bits(y) << 1 >> (digits + 1); e-least > span && y != 0 {
			return false
		}
	}
	return true
}

// Narrowed returns sums over Scaled as weights of Real, W being float64. The error wraps
// semiring.ErrNotFinite if one is finite and yet out of range.
func Narrowed[W any](sums ...semiring.ScaledFloat) ([]W, error) {
	numbers, err := floats(sums)
	if err != nil {
		return nil, err
	}
	return any(numbers).([]W), nil
}

// floats is Narrowed for W = float64.
func floats(sums []semiring.ScaledFloat) ([]float64, error) {
	numbers := make([]float64, len(sums))
	for i, y := range sums {
		numbers[i] = y.Float64()
		if math.IsInf(numbers[i], 0) && y.IsFinite() {
			return nil, fmt.Errorf("%w in Real: sum %d of %d is %v; semiring.Scaled holds it", semiring.ErrNotFinite, i, len(sums), y)
		}
	}
	return numbers, nil
}

// CheckNumbers returns an error that wraps semiring.ErrNotFinite for the first of sums in a
// ring derived from others, such as semiring.Expectation over semiring.Real, that is not a
// number: a part of it has left the range of float64 on the way. What other rings make of
// their weights is a sum.
func CheckNumbers[W any](ring semiring.Semiring[W], sums ...W) error {
	if _, derived := ring.(interface{ As(target any) bool }); !derived {
		return nil
	}
	metric, ok := semiring.As[semiring.Metric[W]](ring)
	if !ok {
		return nil
	}
	for i, x := range sums {
		if d := metric.Dist(x, x); d != d {
			return fmt.Errorf("%w in %s: sum %d of %d is %v; over semiring.Scaled its parts do not overflow",
				semiring.ErrNotFinite, typename.Of(ring), i, len(sums), x)
		}
	}
	return nil
}
