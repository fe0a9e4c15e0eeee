package convex

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
)

// Where matrices have more rows than krylovRows, eigenvectors of positive eigenvalues come
// from a Krylov space, of up to krylovShare as many dimensions. It grows by krylovStep until
// all residuals, relative to the largest eigenvalue, are at most krylovTol. Positive
// eigenvalues below krylovFloor, likewise relative, count as 0.
const (
	krylovRows  = 256
	krylovShare = 1. / 4
	krylovStep  = 16
	krylovTol   = 1e-7
	krylovFloor = 1e-6
)

// krylov returns L with rows orthogonal and LᵀL near to the positive semidefinite matrix
// nearest to x, t×t, by Lanczos's method with full orthogonalization: O(t²) time for each
// dimension. It reports false if too many eigenvalues are positive. The bounds of a
// solver hold for whatever positive semidefinite matrix it evaluates, so that what is
// missed costs iterations at most.
func (e *eigen) krylov(t int, x []float64) (blas64.General, bool) {
	most := int(krylovShare * float64(t))
	basis := general(most+1, t, make([]float64, (most+1)*t))
	rng := rand.New(rand.NewPCG(0, 0))
	for i := range t {
		basis.Data[i] = rng.NormFloat64()
	}
	floats.Scale(1/floats.Norm(basis.Data[:t], 2), basis.Data[:t])
	diagonal, off := make([]float64, 0, most), make([]float64, 0, most)
	projection := make([]float64, most+1)
	for m := 1; m <= most; m++ {
		v, w := basis.Data[(m-1)*t:m*t], basis.Data[m*t:(m+1)*t]
		times(general(t, t, x), blas.NoTrans, v, w)
		diagonal = append(diagonal, floats.Dot(v, w))
		space := general(m, t, basis.Data[:m*t])
		for range 2 { // twice is enough (Kahan)
			times(space, blas.NoTrans, w, projection[:m])
			blas64.Gemv(blas.Trans, -1, space, blas64.Vector{N: m, Data: projection, Inc: 1}, 1, blas64.Vector{N: t, Data: w, Inc: 1})
		}
		norm := floats.Norm(w, 2)
		off = append(off, norm)
		if norm == 0 {
			return blas64.General{}, false
		}
		floats.Scale(1/norm, w)
		if m%krylovStep == 0 || m == most {
			if l, ok := ritz(space, diagonal, off); ok {
				return l, true
			}
		}
	}
	return blas64.General{}, false
}

// ritz returns the vectors that the space holds of positive eigenvalues, each times the root
// of the eigenvalue, and whether all are good enough. The matrix, in the basis of the
// space, has the diagonal and the elements beside it; the last of these leads out of it.
func ritz(space blas64.General, diagonal, off []float64) (blas64.General, bool) {
	m := len(diagonal)
	values, vectors := append([]float64(nil), diagonal...), make([]float64, m*m)
	if !impl.Dsteqr(lapack.EVTridiag, m, values, append([]float64(nil), off[:m-1]...), vectors, m, make([]float64, 2*m)) {
		return blas64.General{}, false
	}
	norm := max(math.Abs(values[0]), math.Abs(values[m-1]))
	first := m
	for first > 0 && values[first-1] > krylovFloor*norm {
		first--
		if math.Abs(off[m-1]*vectors[(m-1)*m+first]) > krylovTol*norm {
			return blas64.General{}, false
		}
	}
	if first == 0 {
		return blas64.General{}, false
	}
	chosen := general(m, m-first, make([]float64, m*(m-first)))
	for i := range m {
		for j := first; j < m; j++ {
			chosen.Data[i*chosen.Cols+j-first] = vectors[i*m+j] * math.Sqrt(values[j])
		}
	}
	l := general(m-first, space.Cols, make([]float64, (m-first)*space.Cols))
	if first < m {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, chosen, space, 0, l)
	}
	return l, true
}

func times(m blas64.General, trans blas.Transpose, x, dst []float64) {
	blas64.Gemv(trans, 1, m, blas64.Vector{N: len(x), Data: x, Inc: 1}, 0, blas64.Vector{N: len(dst), Data: dst, Inc: 1})
}
