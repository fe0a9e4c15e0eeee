package cascade_test

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
)

func shifted(x []float64, step float64, dx []float64) []float64 {
	y := slices.Clone(x)
	for i := range y {
		y[i] += step * dx[i]
	}
	return y
}

// derivative returns that of f at 0 with an error of the order of h⁴.
func derivative(f func(step float64) float64) float64 {
	const h = 3e-4
	return (8*(f(h)-f(-h)) - (f(2*h) - f(-2*h))) / (12 * h)
}

func closeTo(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*(1+math.Abs(want))
}

// coordinatesOf returns the coordinates of the parameters at theta.
func coordinatesOf(t testing.TB, params *em.Params, theta []float64) *em.Coordinates {
	t.Helper()
	c, err := params.Coordinates(theta)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
