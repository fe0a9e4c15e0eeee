package grid

import (
	"math"

	"example.org/pathsum/semiring/internal/weights"
)

// number is what a forward-backward pass computes with. The real part of a complex number is the
// number of the same pass over float64. Where arcs weigh w·(1 + i·h·v) for a small h, its
// imaginary part divided by h is the derivative of the real part along v, as h² is rounded off.
type number interface{ float64 | complex128 }

// split returns the real part of x, and its imaginary part divided by the real part.
func split[T number](x T) (re, slope float64) {
	switch x := any(x).(type) {
	case float64:
		return x, 0
	case complex128:
		return real(x), imag(x) / real(x)
	}
	return 0, 0
}

// turned returns x·(1 − i·slope).
func turned[T number](x T, slope float64) T {
	if x, ok := any(&x).(*complex128); ok {
		*x = complex(real(*x), imag(*x)-slope*real(*x))
	}
	return x
}

// turnAll multiplies all numbers of row by 1 − i·slope.
func turnAll[T number](row []T, slope float64) {
	if row, ok := any(row).([]complex128); ok && slope != 0 {
		for i, x := range row {
			row[i] = complex(real(x), imag(x)-slope*real(x))
		}
	}
}

// times2 returns x·2^k, false if its absolute value is above limit or k beyond ±1000.
func times2[T number](x T, k int, limit float64) (T, bool) {
	re, _ := split(x)
	if _, ok := weights.Times2(re, k, limit); !ok {
		return x, false
	}
	return x * numberOf[T](math.Ldexp(1, k)), true
}

// numberOf returns x as a number.
func numberOf[T number](x float64) T {
	var y T
	switch y := any(&y).(type) {
	case *float64:
		*y = x
	case *complex128:
		*y = complex(x, 0)
	}
	return y
}

// sumOf returns the sum of a row.
func sumOf[T number](row []T) T {
	var even, odd T
	for len(row) >= 2 {
		even += row[0]
		odd += row[1]
		row = row[2:]
	}
	for _, x := range row {
		even += x
	}
	return even + odd
}
