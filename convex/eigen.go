package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
)

// eigen decomposes symmetric matrices of one size in storage of its own.
type eigen struct {
	tridiagonal
	values  []float64 // ascending
	vectors []float64 // in columns; what makes the matrix tridiagonal before complete
}

// rankFloor is the size, relative to the largest, below which an eigenvalue counts as 0.
const rankFloor = 1e-12

// fewVectors is the share of eigenvalues that are positive up to which their vectors are
// found one by one.
const fewVectors = 1. / 3

// project stores in b the positive semidefinite matrix nearest to x, t×t, and returns L
// with b = LᵀL, whose rows are orthogonal. It panics if x has an entry that is not finite.
func (e *eigen) project(t int, x, b []float64) blas64.General {
	e.spectrum(t, x)
	floor := rankFloor * max(1, e.values[t-1])
	r, negative := 0, 0
	for _, w := range e.values {
		if w > floor {
			r++
		} else if w < 0 {
			negative++
		}
	}
	if float64(r) <= fewVectors*float64(t) {
		if l, ok := e.leading(e.values[t-r:], e.vectors); ok {
			e.scale(l, t-r)
			symmetric(t, 1, l, b)
			return l
		}
	}
	e.complete()
	l := e.scaled(t, t-r, t)
	if r <= negative {
		symmetric(t, 1, l, b)
		return l
	}
	symmetric(t, 1, e.scaled(t, 0, negative), b)
	floats.Add(b, x)
	return l
}

// spectrum finds the eigenvalues of x, t×t.
func (e *eigen) spectrum(t int, x []float64) {
	e.vectors = append(e.vectors[:0], x...)
	e.reduce(t, e.vectors)
	e.values = append(e.values[:0], e.diagonal...)
	if !impl.Dsterf(t, e.values, append([]float64(nil), e.off...)) {
		panic("convex: eigenvalues of a matrix that is not finite")
	}
}

// complete finds all eigenvectors, after spectrum.
func (e *eigen) complete() {
	t := len(e.values)
	impl.Dorgtr(blas.Lower, t, e.vectors, t, e.tau, e.work, len(e.work))
	copy(e.values, e.diagonal)
	if !impl.Dsteqr(lapack.EVOrig, t, e.values, append([]float64(nil), e.off...), e.vectors, t, make([]float64, max(1, 2*t))) {
		panic("convex: eigenvectors of a matrix that is not finite")
	}
}

// decompose finds the eigenvalues and eigenvectors of x, t×t.
func (e *eigen) decompose(t int, x []float64) {
	e.spectrum(t, x)
	e.complete()
}

// scaled returns the eigenvectors lo to hi, in rows, each times the root of the magnitude
// of its eigenvalue.
func (e *eigen) scaled(t, lo, hi int) blas64.General {
	l := general(hi-lo, t, make([]float64, (hi-lo)*t))
	for j := range t {
		row := e.vectors[j*t+lo : j*t+hi]
		for i, u := range row {
			l.Data[i*t+j] = u
		}
	}
	e.scale(l, lo)
	return l
}

// scale multiplies rows, from that of eigenvalue lo on, by the roots of their magnitudes.
func (e *eigen) scale(l blas64.General, lo int) {
	for i := range l.Rows {
		floats.Scale(math.Sqrt(math.Abs(e.values[lo+i])), l.Data[i*l.Cols:(i+1)*l.Cols])
	}
}

// least returns a lower bound of the least eigenvalue of x, below it by rounding.
func (e *eigen) least(t int, x []float64) float64 {
	e.spectrum(t, x)
	return e.values[0] - 1e-15*math.Sqrt(float64(t))*max(e.values[t-1], -e.values[0])
}
