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

// Lost reports whether sums, computed with the given error, have left the range of float64, even
// if only in an intermediate result: infinity times 0 is NaN.
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

// Within reports whether the absolute value of every non-zero number is between 2^−exponent and
// 2^(exponent+1).
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

// Narrowed returns sums over Scaled as weights of Real; W must be float64. The error wraps
// semiring.ErrNotFinite if a finite sum is out of range.
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

// CheckNumbers returns an error that wraps semiring.ErrNotFinite for the first NaN among sums in
// a ring derived from others, such as semiring.Expectation over semiring.Real: an intermediate
// result in a part has left the range of float64. In other rings every result is accepted.
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
