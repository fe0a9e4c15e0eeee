package convex

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
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
// with b = LᵀL, whose rows are orthogonal; of large matrices near to that (krylov). It
// panics if x has an entry that is not finite.
func (e *eigen) project(t int, x, b []float64) blas64.General {
	if t > krylovRows {
		if l, ok := e.krylov(t, x); ok {
			symmetric(t, 1, l, b)
			return l
		}
	}
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

// last returns, in columns, eigenvectors of the k largest eigenvalues of x, t×t, ascending.
func (e *eigen) last(t, k int, x []float64) mat.Matrix {
	e.spectrum(t, x)
	if float64(k) <= fewVectors*float64(t) {
		if l, ok := e.leading(e.values[t-k:], e.vectors); ok {
			return mat.NewDense(k, t, l.Data).T()
		}
	}
	e.complete()
	return mat.NewDense(t, t, e.vectors).Slice(0, t, t-k, t)
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

// scale multiplies rows, from eigenvalue lo on, by the roots of the eigenvalues' magnitudes.
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

var impl gonum.Implementation

// tridiagonal is a symmetric matrix reduced to T = QᵀXQ.
type tridiagonal struct {
	diagonal, off []float64 // of T
	tau           []float64 // of the reflections that Q is made of
	work          []float64
}

// reduce reduces a, n×n, and leaves the reflections below its diagonal.
func (x *tridiagonal) reduce(n int, a []float64) {
	x.diagonal, x.off, x.tau = resized(x.diagonal, n), resized(x.off, n-1), resized(x.tau, n-1)
	if len(x.work) < 64*n {
		x.work = make([]float64, 64*n)
	}
	impl.Dsytrd(blas.Lower, n, a, n, x.diagonal, x.off, x.tau, x.work, len(x.work))
}

// Vectors of eigenvalues that are nearer to each other than clusterGap times the norm of T
// are made orthogonal by force. A vector will do whose residual, relative to the norm, and
// inner products with the others are at most vectorTol; rarely does it take more than two
// solutions.
const (
	clusterGap = 1e-3
	vectorTol  = 1e-12
	maxSolves  = 5
)

// leading returns the eigenvectors of the largest eigenvalues, given ascending, in rows, by
// inverse iteration on T (Jessup and Ipsen 1992); a is what reduce left. It reports false
// if any fails the test; then QR iteration must do.
func (x *tridiagonal) leading(values, a []float64) (blas64.General, bool) {
	n, r := len(x.diagonal), len(values)
	l := general(r, n, make([]float64, r*n))
	norm := math.Max(floats.Norm(x.diagonal, math.Inf(1)), floats.Norm(append(x.off, 0), math.Inf(1)))
	for i, value := range values {
		if !x.iterate(l, i, values, value, norm) {
			return l, false
		}
	}
	v := make([]float64, n)
	for i := n - 2; i >= 0; i-- { // Q = H₀H₁…, H = I − τvvᵀ
		v[i+1] = 1
		for j := i + 2; j < n; j++ {
			v[j] = a[j*n+i]
		}
		for k := range r {
			y := l.Data[k*n+i+1 : (k+1)*n]
			floats.AddScaled(y, -x.tau[i]*floats.Dot(v[i+1:], y), v[i+1:])
		}
	}
	return l, true
}

// iterate finds row i of l, and reports whether it passes the test.
func (x *tridiagonal) iterate(l blas64.General, i int, values []float64, value, norm float64) bool {
	n := l.Cols
	y := l.Data[i*n : (i+1)*n]
	rng := rand.New(rand.NewPCG(uint64(i), 0))
	for j := range y {
		y[j] = rng.Float64() - .5
	}
	for range maxSolves {
		if !x.solve(y, value, norm) {
			return false
		}
		floats.Scale(1/floats.Norm(y, math.Inf(1)), y)
		for range 2 { // twice is enough (Kahan)
			for k := i - 1; k >= 0 && value-values[k] < clusterGap*norm; k-- {
				other := l.Data[k*n : (k+1)*n]
				floats.AddScaled(y, -floats.Dot(y, other), other)
			}
		}
		floats.Scale(1/floats.Norm(y, 2), y)
		if x.residual(y, value) <= vectorTol*norm {
			for k := range i {
				if !(math.Abs(floats.Dot(y, l.Data[k*n:(k+1)*n])) <= vectorTol) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// solve replaces y by the solution of (T − value) z = y, or near to it where that is
// singular.
func (x *tridiagonal) solve(y []float64, value, norm float64) bool {
	n := len(y)
	right := append([]float64(nil), y...)
	for k := range maxSolves {
		d := append([]float64(nil), x.diagonal...)
		floats.AddConst(-value-float64(k)*4e-16*norm, d)
		copy(y, right)
		if impl.Dgtsv(n, 1, append([]float64(nil), x.off...), d, append([]float64(nil), x.off...), y, 1) && !math.IsInf(floats.Norm(y, math.Inf(1)), 0) {
			return true
		}
	}
	return false
}

// residual returns the length of (T − value) y.
func (x *tridiagonal) residual(y []float64, value float64) float64 {
	sum := 0.0
	for i, v := range y {
		e := (x.diagonal[i] - value) * v
		if i > 0 {
			e += x.off[i-1] * y[i-1]
		}
		if i < len(y)-1 {
			e += x.off[i] * y[i+1]
		}
		sum += e * e
	}
	return math.Sqrt(sum)
}
