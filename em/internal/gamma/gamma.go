// Package gamma implements the logarithm of the gamma function and its derivatives.
package gamma

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Trigamma returns x·ψ′(x), which is 1/x for small x.
func Trigamma(x float64) float64 {
	if x < 1e-100 {
		return 1 / x
	}
	return x * mathext.Zeta(2, x)
}

// Tetragamma returns x²·ψ″(x), which is −2/x for small x.
func Tetragamma(x float64) float64 {
	if x < 1e-100 {
		return -2 / x
	}
	return -2 * x * x * mathext.Zeta(3, x)
}

// Log returns ln |Γ(x)|.
func Log(x float64) float64 {
	l, _ := math.Lgamma(x)
	return l
}

// Digamma returns ψ(x), the derivative of ln Γ, for x > 0, within a few units in the
// last place of the larger of 1 and |ψ(x)|. It uses recurrence up to x ≥ 10, and the
// asymptotic series there (Abramowitz and Stegun 1964, 6.3.5 and 6.3.18). It is
// monotone across this boundary to 1e-15; the monotonicity of the variational bound depends on it.
func Digamma(x float64) float64 {
	below := 0.0
	for ; x < 10; x++ {
		below += 1 / x
	}
	r := 1 / (x * x)
	series := r * (1./12 - r*(1./120-r*(1./252-r*(1./240-r*(1./132-r*(691./32760-r/12))))))
	return math.Log(x) - .5/x - series - below
}

// Excess returns ln Γ(x) − ln Γ(y) − (x−y)·ψ(y) for x and y ≥ 1000, by Stirling's series. Its error
// is a few roundings of x − y, while the separate terms have rounding errors of x·ln x.
func Excess(x, y float64) float64 {
	series := func(x float64) float64 { return (1./12 - 1./360/(x*x)) / x }
	slope := (-1./12 + 1./120/(y*y)) / (y * y)
	d := x - y
	u := d / y
	return (x-.5)*math.Log1p(u) - d + .5*u + series(x) - series(y) - d*slope
}
