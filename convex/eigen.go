package convex

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// rankFloor is the size, relative to the largest, below which an eigenvalue counts as 0.
const rankFloor = 1e-12

// A projection stores in b the positive semidefinite matrix nearest to x, t×t, and returns
// L with b = LᵀL, whose rows are orthogonal.
type projection func(t int, x, b []float64) blas64.General

// exact is the projection by all eigenvectors.
func exact(t int, x, b []float64) blas64.General {
	values, vectors := spectrum(t, x, true)
	floor := rankFloor * max(1, values[t-1])
	r, negative := 0, 0
	for _, w := range values {
		if w > floor {
			r++
		} else if w < 0 {
			negative++
		}
	}
	l := scaled(values, vectors, t-r, t)
	if r <= negative {
		symmetric(t, 1, l, b)
		return l
	}
	symmetric(t, 1, scaled(values, vectors, 0, negative), b)
	floats.Add(b, x)
	return l
}

// spectrum returns the eigenvalues of x, t×t, ascending, and its eigenvectors, in columns,
// if they are wanted. It panics if x has an entry that is not finite.
func spectrum(t int, x []float64, vectors bool) (values []float64, u *mat.Dense) {
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(t, x), vectors) {
		panic("convex: eigenvalues of a matrix that is not finite")
	}
	if vectors {
		u = new(mat.Dense)
		e.VectorsTo(u)
	}
	return e.RawValues(), u
}

// scaled returns the eigenvectors lo to hi, in rows, each times the root of the magnitude
// of its eigenvalue.
func scaled(values []float64, vectors *mat.Dense, lo, hi int) blas64.General {
	t := len(values)
	l := general(hi-lo, t, make([]float64, (hi-lo)*t))
	for j := range t {
		for i, u := range vectors.RawRowView(j)[lo:hi] {
			l.Data[i*t+j] = u * math.Sqrt(math.Abs(values[lo+i]))
		}
	}
	return l
}

// least returns a lower bound of the least eigenvalue of x, below it by rounding.
func least(t int, x []float64) float64 {
	values, _ := spectrum(t, x, false)
	return values[0] - 1e-15*math.Sqrt(float64(t))*max(values[t-1], -values[0])
}

// Where matrices have more rows than krylovRows, eigenvectors of positive eigenvalues come
// from a Krylov space, of up to krylovShare as many dimensions. It grows by krylovStep, or a
// quarter, until all residuals, relative to the largest eigenvalue, are at most krylovTol.
// Positive eigenvalues below krylovFloor, likewise relative, count as 0.
const (
	krylovRows  = 40
	krylovShare = 2. / 3
	krylovStep  = 8
	krylovTol   = 1e-7
	krylovFloor = 1e-6
)

// near is a projection that has errors of the size of krylovFloor where matrices are large
// and few eigenvalues positive. The bounds of a solver hold for whatever positive
// semidefinite matrix it evaluates, so that what is missed costs iterations at most.
func near(t int, x, b []float64) blas64.General {
	if t > krylovRows {
		if l, ok := krylov(t, x); ok {
			symmetric(t, 1, l, b)
			return l
		}
	}
	return exact(t, x, b)
}

// krylov returns L with rows orthogonal and LᵀL near to the positive semidefinite matrix
// nearest to x, t×t, by Lanczos's method with full orthogonalization: O(t²) time for each
// dimension. It reports false if too many eigenvalues are positive.
func krylov(t int, x []float64) (blas64.General, bool) {
	most := int(krylovShare * float64(t))
	basis := general(most+1, t, make([]float64, (most+1)*t))
	rng := rand.New(rand.NewPCG(0, 0))
	for i := range t {
		basis.Data[i] = rng.NormFloat64()
	}
	floats.Scale(1/floats.Norm(basis.Data[:t], 2), basis.Data[:t])
	diagonal, off := make([]float64, 0, most), make([]float64, 0, most)
	along, look := make([]float64, most+1), krylovStep
	for m := 1; m <= most; m++ {
		v, w := basis.Data[(m-1)*t:m*t], basis.Data[m*t:(m+1)*t]
		times(blas.NoTrans, 1, general(t, t, x), v, 0, w)
		diagonal = append(diagonal, floats.Dot(v, w))
		space := general(m, t, basis.Data[:m*t])
		for range 2 { // twice is enough (Kahan)
			times(blas.NoTrans, 1, space, w, 0, along[:m])
			times(blas.Trans, -1, space, along[:m], 1, w)
		}
		norm := floats.Norm(w, 2)
		off = append(off, norm)
		if norm == 0 {
			return blas64.General{}, false
		}
		floats.Scale(1/norm, w)
		if m == look || m == most {
			look += max(krylovStep, m/4)
			if l, ok := ritz(space, diagonal, off); ok {
				return l, true
			}
		}
	}
	return blas64.General{}, false
}

// times stores scale·m·x, or scale·mᵀ·x, plus keep·dst in dst.
func times(trans blas.Transpose, scale float64, m blas64.General, x []float64, keep float64, dst []float64) {
	blas64.Gemv(trans, scale, m, blas64.Vector{N: len(x), Data: x, Inc: 1}, keep, blas64.Vector{N: len(dst), Data: dst, Inc: 1})
}

// ritz returns the vectors that the space holds of positive eigenvalues, each times the root
// of the eigenvalue, and whether all are good enough. The matrix, in the basis of the
// space, has the diagonal and the elements beside it; the last of these leads out of it.
func ritz(space blas64.General, diagonal, off []float64) (blas64.General, bool) {
	m := len(diagonal)
	x := make([]float64, m*m)
	for i, d := range diagonal {
		x[i*m+i] = d
		if i > 0 {
			x[(i-1)*m+i] = off[i-1] // above the diagonal
		}
	}
	values, vectors := spectrum(m, x, true)
	norm := max(math.Abs(values[0]), math.Abs(values[m-1]))
	first := m
	for first > 0 && values[first-1] > krylovFloor*norm {
		first--
		if math.Abs(off[m-1]*vectors.At(m-1, first)) > krylovTol*norm {
			return blas64.General{}, false
		}
	}
	if first == 0 {
		return blas64.General{}, false
	}
	l := general(m-first, space.Cols, make([]float64, (m-first)*space.Cols))
	if first < m {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, scaled(values, vectors, first, m), space, 0, l)
	}
	return l, true
}
