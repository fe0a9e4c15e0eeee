// Package clamp corrects rounding errors of probabilities. The idea: a posterior is a quotient
// of two sums with different rounding errors, so it may be computed as 1 + 2⁻⁵²; and the total
// probability of a model may have a logarithm slightly above 0. Callers compute 1−p, √(1−p) and
// ln(1−p) of such numbers.
package clamp

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

const (
	// most bounds the amount by which rounding can raise a probability above 1. A larger excess
	// is an error.
	most = 1e-9
	// unit is the largest relative error of rounding in a product of probabilities, for each of
	// its factors.
	unit = 8 * 0x1p-52
)

// Probabilities replaces elements of p that are above 1 because of rounding by 1. It returns an
// error that wraps semiring.ErrInaccurate if an element exceeds 1 by more than 1e-9, or is NaN.
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

// Probability returns p, or 1 if p is above 1 because of rounding. It returns the same error as
// Probabilities.
func Probability(p float64) (float64, error) {
	one := [1]float64{p}
	err := Probabilities(one[:])
	return one[0], err
}

// LogQuotient returns the logarithm of a part of a total, part − total, given the logarithms of
// both, which are sums of products of up to the given number of factors. It returns 0 if the
// part exceeds the total by no more than rounding explains. If it exceeds it by more, the error
// wraps semiring.ErrInaccurate.
func LogQuotient(part, total float64, factors int) (float64, error) {
	x := part - total
	if x <= 0 {
		return x, nil
	}
	if !(x <= most+unit*float64(factors+4)*math.Max(math.Abs(part), math.Abs(total))) {
		return x, fmt.Errorf("%w: an addend has the log probability %g", semiring.ErrInaccurate, x)
	}
	return 0, nil
}

// LogProb returns the logarithm x of a probability that is a sum of products of up to the given
// number of factors. It returns 0 if x is above 0 by no more than rounding explains. A larger x
// is returned unchanged: it cannot come from a probability, but from a density, or from a model
// whose weights do not sum to 1.
func LogProb(x float64, factors int) float64 {
	if x > 0 && x <= unit*float64(factors+4) {
		return 0
	}
	return x
}
