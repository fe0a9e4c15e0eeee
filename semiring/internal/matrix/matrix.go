// Package matrix multiplies small dense matrices and vectors of float64 numbers.
//
// The idea: each product is defined by a loop of fused multiplications and additions in a fixed
// order, which is here in Go. On a processor with vectors of four numbers the same loop runs in
// assembly, with the same bits: a product does not depend on the processor. Processors without
// fused operations, from before 2013, compute it slowly.
//
// RowTimes and TimesColumn take two thirds of the time of gonum's products, AddOuter nine tenths:
// gonum supports any strides, and its kernels use vectors of two numbers.
//
// Matrices are stored row by row. Results must not overlap other arguments.
package matrix

import "math"

// RowTimes sets y = x·A, where A has len(x) rows and len(y) columns.
//
// The terms of y(j) are added from the first row on, even rows and odd rows separately.
func RowTimes(y, x, a []float64) {
	a = a[:len(x)*len(y)]
	switch {
	case len(a) == 0:
		clear(y)
	case fused:
		rowTimesFMA(&y[0], &x[0], &a[0], len(x), len(y))
	default:
		rowTimes(y, x, a)
	}
}

// rowTimes is RowTimes in Go.
func rowTimes(y, x, a []float64) {
	n := len(y)
	for j := range y {
		even, odd := 0.0, 0.0
		at := j
		for i, f := range x {
			if i&1 == 0 {
				even = math.FMA(f, a[at], even)
			} else {
				odd = math.FMA(f, a[at], odd)
			}
			at += n
		}
		y[j] = even + odd
	}
}

// TimesColumn sets y = A·x, where A has len(y) rows and len(x) columns.
//
// The terms of y(i) are added from the first column on, in four separate sums by the column
// number mod 4.
func TimesColumn(y, a, x []float64) {
	a = a[:len(y)*len(x)]
	switch {
	case len(a) == 0:
		clear(y)
	case fused:
		timesColumnFMA(&y[0], &a[0], &x[0], len(y), len(x))
	default:
		timesColumn(y, a, x)
	}
}

// timesColumn is TimesColumn in Go.
func timesColumn(y, a, x []float64) {
	for i := range y {
		y[i] = dot(a[i*len(x):(i+1)*len(x)], x)
	}
}

// dot returns the sum of x(j)·y(j) in the order of TimesColumn.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var s [4]float64
	for j, a := range x {
		s[j&3] = math.FMA(a, y[j], s[j&3])
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// AddOuter adds factor·x(i)·z(j), the first product rounded, to sum(i, j), which has len(x)
// rows and len(z) columns.
func AddOuter(sum []float64, factor float64, x, z []float64) {
	sum = sum[:len(x)*len(z)]
	switch {
	case len(sum) == 0:
	case fused:
		addOuterFMA(&sum[0], &x[0], &z[0], factor, len(x), len(z))
	default:
		addOuter(sum, factor, x, z)
	}
}

// addOuter is AddOuter in Go.
func addOuter(sum []float64, factor float64, x, z []float64) {
	for i, a := range x {
		f, row := factor*a, sum[i*len(z):(i+1)*len(z)]
		for j, b := range z {
			row[j] = math.FMA(f, b, row[j])
		}
	}
}
