// Package clamp takes off probabilities what rounding added to them. The idea: a posterior is a
// quotient of two sums that are rounded differently, so that it may come out as 1 + 2⁻⁵²; and the
// sum of all that a model may do has a logarithm a little above 0. Callers compute 1−p, √(1−p)
// and ln(1−p) of such numbers.
package clamp

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

const (
	// most is how far above 1 rounding takes a probability. What exceeds it is no rounding.
	most = 1e-9
	// unit is how far rounding takes a product of probabilities above what it is, relative,
	// for each of its factors.
	unit = 8 * 0x1p-52
)

// Probabilities replaces those of p that are above 1 by rounding by 1. The error wraps
// semiring.ErrInaccurate for one that is above 1 by more than 1e-9, or no number.
func Probabilities(p []float64) error {
	for i, x := range p {
		if x <= 1 {
			continue
		}
		if !(x <= 1+most) {
			return fmt.Errorf("%w: a probability of %.17g", semiring.ErrInaccurate, x)
		}
		p[i] = 1
	}
	return nil
}

// Probability returns p, or 1 as Probabilities does. The error is the same.
func Probability(p float64) (float64, error) {
	one := [1]float64{p}
	err := Probabilities(one[:])
	return one[0], err
}

// LogQuotient returns the logarithm of a part of a total, part − total, given the logarithms of
// both, which are sums of products of up to the given number of factors. It is 0 where the part is
// above the total by no more than rounding explains; the error wraps semiring.ErrInaccurate where
// it is above by more.
func LogQuotient(part, total float64, factors int) (float64, error) {
	x := part - total
	if x <= 0 {
		return x, nil
	}
	if !(x <= most+unit*float64(factors+4)*math.Max(math.Abs(part), math.Abs(total))) {
		return x, fmt.Errorf("%w: a part of a total has a probability whose logarithm is %g", semiring.ErrInaccurate, x)
	}
	return 0, nil
}

// LogProb returns the logarithm x of a probability that is a sum of products of up to the given
// number of factors. It is 0 where x is above 0 by no more than rounding explains. It is x where
// that is greater, which no probability has: a density may, and a model whose weights do not sum
// to 1.
func LogProb(x float64, factors int) float64 {
	if x > 0 && x <= unit*float64(factors+4) {
		return 0
	}
	return x
}
