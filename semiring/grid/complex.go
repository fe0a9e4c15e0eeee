package grid

import (
	"example.org/pathsum/semiring/internal/weights"
)

// number is a type that a forward-backward pass computes with. In a complex pass, real parts
// equal the numbers of the same pass over float64. If arcs weigh w·(1 + i·h·v) for a small h, the
// imaginary part divided by h is the derivative of the real part along v: terms in h² are rounded
// off.
type number interface{ float64 | complex128 }

// realPart returns the real part of x.
func realPart[T number](x T) float64 {
	switch x := any(&x).(type) {
	case *float64:
		return *x
	case *complex128:
		return real(*x)
	}
	return 0
}

// times2 returns x·2^k, false if its absolute value is above limit or k beyond ±1000.
func times2[T number](x T, k int, limit float64) (y T, ok bool) {
	switch x := any(&x).(type) {
	case *float64:
		*x, ok = weights.Times2(*x, k, limit)
	case *complex128:
		var re float64
		re, ok = weights.Times2(real(*x), k, limit)
		im, _ := weights.Times2(imag(*x), k, limit)
		*x = complex(re, im)
	}
	return x, ok
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
