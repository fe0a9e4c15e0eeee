// Package simplex minimizes smooth convex functions of matrices whose rows are
// probability distributions.
package simplex

import (
	"math"
	"slices"
)

// Stop has the conditions that end Minimize: a gap of at most Gap, or Iterations.
type Stop struct {
	Gap        float64
	Iterations int
}

// Solution describes the end of Minimize.
type Solution struct {
	// Gap is the Frank–Wolfe gap Σ_rows (gradient·w − least element of gradient). It bounds the
	// difference of the value and the minimum.
	Gap        float64
	Iterations int
}

// Minimize minimizes a convex function of w from w, which it overwrites. The rows of w have the
// given length, each sums to 1, and no element is negative. lipschitz has a number > 0 for each
// row, a diagonal matrix that exceeds the second derivatives by a positive semidefinite one.
// The method is accelerated projected gradients with restarts (Beck and Teboulle 2009;
// O'Donoghue and Candès 2015). The result is the point with the least gap; the gap is evaluated
// at every tenth point.
func Minimize(w []float64, columns int, stop Stop, lipschitz []float64, gradient func(g, w []float64)) Solution {
	g, z, next := make([]float64, len(w)), slices.Clone(w), make([]float64, len(w))
	gradient(g, w)
	best := Solution{Gap: Gap(g, w, columns)}
	at := slices.Clone(w)
	theta := 1.0
	for n := 1; n <= stop.Iterations && best.Gap > stop.Gap; n++ {
		gradient(g, z)
		turn := 0.0
		for row, l := range lipschitz {
			lo, hi := row*columns, (row+1)*columns
			for i := lo; i < hi; i++ {
				next[i] = z[i] - g[i]/l
			}
			Project(next[lo:hi])
			for i := lo; i < hi; i++ {
				turn += l * (z[i] - next[i]) * (next[i] - at[i])
			}
		}
		if turn > 0 {
			theta = 1
		}
		t := (1 + math.Sqrt(1+4*theta*theta)) / 2
		for i, x := range next {
			z[i] = x + (theta-1)/t*(x-at[i])
		}
		theta = t
		at, next = next, at
		if n%gapEvery == 0 || n == stop.Iterations {
			gradient(g, at)
			if gap := Gap(g, at, columns); gap < best.Gap {
				best.Gap = gap
				copy(w, at)
			}
		}
		best.Iterations = n
	}
	return best
}

// gapEvery is the number of iterations between two evaluations of the gap. An evaluation takes
// a gradient.
const gapEvery = 10

// Gap returns the Frank–Wolfe gap at w, given the gradient g there.
func Gap(g, w []float64, columns int) float64 {
	gap := 0.0
	for lo := 0; lo < len(w); lo += columns {
		least := slices.Min(g[lo : lo+columns])
		for i := lo; i < lo+columns; i++ {
			gap += (g[i] - least) * w[i]
		}
	}
	return gap
}

// Project replaces row by the nearest distribution (Michelot 1986). It subtracts a constant
// from every element so that they sum to 1, and repeats this without the elements that would
// become negative, until all are non-negative.
func Project(row []float64) {
	shift, n := math.Inf(-1), len(row)
	for {
		sum, above := 0.0, 0
		for _, x := range row {
			if x > shift {
				sum += x
				above++
			}
		}
		if above >= n && !math.IsInf(shift, -1) { // more: by rounding
			break
		}
		n = above
		shift = (sum - 1) / float64(n)
	}
	for i, x := range row {
		row[i] = max(0, x-shift)
	}
}
