// Package normal implements the arithmetic of one block of correlated components of a normal
// distribution: moments, the factors of its covariance, and coordinates with derivatives.
package normal

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Block is the N components from Lo on. In a vector of 1, the mean of all components, and the
// lower triangles of the covariances, row by row, its own triangle begins at Tri. Floor is the
// diagonal of a matrix D, all > 0, that bounds the covariance from below: their difference has no
// negative eigenvalue. Nil means 0.
type Block struct {
	Lo, N, Tri int
	Floor      []float64
}

// Blocks returns consecutive blocks of the given sizes, with the floors of all components.
func Blocks(sizes []int, floor []float64) []Block {
	blocks := make([]Block, len(sizes))
	at := Block{Tri: 1}
	for _, n := range sizes {
		at.Tri += n
	}
	for i, n := range sizes {
		at.N = n
		if floor != nil {
			at.Floor = floor[at.Lo : at.Lo+n]
		}
		blocks[i] = at
		at.Lo += n
		at.Tri += n * (n + 1) / 2
	}
	return blocks
}

// In returns the triangle in v.
func (b Block) In(v []float64) []float64 { return v[b.Tri : b.Tri+b.N*(b.N+1)/2] }

// Moments are counts of a block: the expected sums of 1, z and z·zᵀ.
type Moments struct {
	Sum    float64
	First  *mat.VecDense
	Second *mat.Dense
}

// Moments returns the moments of the block in counts.
func (b Block) Moments(counts []float64) Moments {
	s := Moments{counts[0], mat.NewVecDense(b.N, nil), mat.NewDense(b.N, b.N, nil)}
	tri := b.In(counts)
	for i := range b.N {
		s.First.SetVec(i, counts[1+b.Lo+i])
		for j := range i + 1 {
			s.Second.Set(i, j, tri[i*(i+1)/2+j])
			s.Second.Set(j, i, tri[i*(i+1)/2+j])
		}
	}
	return s
}

// Scatter returns Σ (z−m)(z−m)ᵀ.
func (s Moments) Scatter(m *mat.VecDense) *mat.Dense {
	var out mat.Dense
	out.RankOne(s.Second, -1, s.First, m)
	out.RankOne(&out, -1, m, s.First)
	out.RankOne(&out, s.Sum, m, m)
	return &out
}

// residual returns s − K·m.
func (s Moments) residual(m *mat.VecDense) *mat.VecDense {
	var r mat.VecDense
	r.AddScaledVec(s.First, -s.Sum, m)
	return &r
}

// Score returns N·ln|Σ| + tr(Σ⁻¹·scatter) of s, where theta has the covariance and m is the
// mean.
func (b Block) Score(theta []float64, m *mat.VecDense, s Moments) float64 {
	f := b.Factor(theta)
	return s.Sum*f.LogDet() + mat.Trace(product(f.precision, s.Scatter(m)))
}

// Lost bounds variances, relative to the second moment around a center, that consist only of
// rounding errors.
const Lost = 1e-12

// Factor is a covariance as L·Lᵀ.
type Factor struct {
	l, w      *mat.Dense // L and L⁻ᵀ
	precision *mat.Dense
}

var errNotDefinite = errors.New("the covariance is not positive definite")

// NewFactor returns the factor of the covariance of n components whose lower triangle is tri.
func NewFactor(tri []float64, n int) (*Factor, error) {
	cov := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			cov.SetSym(i, j, tri[i*(i+1)/2+j])
		}
	}
	var c mat.Cholesky
	if !c.Factorize(cov) {
		return nil, errNotDefinite
	}
	var l mat.TriDense
	c.LTo(&l)
	for i := range n {
		if pivot := l.At(i, i); !(pivot*pivot > Lost*cov.At(i, i)) {
			return nil, errNotDefinite
		}
	}
	var inverse mat.TriDense
	if err := inverse.InverseTri(&l); err != nil {
		return nil, errNotDefinite
	}
	f := &Factor{l: mat.DenseCopyOf(&l), w: mat.DenseCopyOf(inverse.T()), precision: new(mat.Dense)}
	f.precision.Mul(f.w, f.w.T())
	return f, nil
}

// Factor returns the factor of the block's covariance in theta, which has been checked.
func (b Block) Factor(theta []float64) *Factor {
	f, err := NewFactor(b.In(theta), b.N)
	if err != nil {
		panic("em: Gaussian: " + err.Error())
	}
	return f
}

// LogDet returns the ln of the covariance's determinant.
func (f *Factor) LogDet() float64 {
	sum := 0.0
	n, _ := f.l.Dims()
	for i := range n {
		sum += 2 * math.Log(f.l.At(i, i))
	}
	return sum
}

// AppendInverse appends the lower triangle of L⁻¹, row by row.
func (f *Factor) AppendInverse(dst []float64) []float64 {
	n, _ := f.l.Dims()
	for i := range n {
		for j := range i + 1 {
			dst = append(dst, f.w.At(j, i))
		}
	}
	return dst
}

func product(factors ...mat.Matrix) *mat.Dense {
	var p mat.Dense
	p.Product(factors...)
	return &p
}
