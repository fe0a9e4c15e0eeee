package em

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// block is n components from lo on; the triangle of its covariance begins at tri.
type block struct{ lo, n, tri int }

// in returns the triangle in v.
func (b block) in(v []float64) []float64 { return v[b.tri : b.tri+b.n*(b.n+1)/2] }

// moments are counts of one block: how often the ln of the determinant, the
// constant, z and z·zᵀ occur.
type moments struct {
	det, sum float64
	first    *mat.VecDense
	second   *mat.Dense
}

// plus adds o to s.
func (s moments) plus(o moments) moments {
	s.first.AddVec(s.first, o.first)
	s.second.Add(s.second, o.second)
	s.det += o.det
	s.sum += o.sum
	return s
}

// scatter returns Σ (z−m)(z−m)ᵀ.
func (s moments) scatter(m *mat.VecDense) *mat.Dense {
	var out mat.Dense
	out.RankOne(s.second, -1, s.first, m)
	out.RankOne(&out, -1, m, s.first)
	out.RankOne(&out, s.sum, m, m)
	return &out
}

// residual returns s − K·m.
func (s moments) residual(m *mat.VecDense) *mat.VecDense {
	var r mat.VecDense
	r.AddScaledVec(s.first, -s.sum, m)
	return &r
}

// lost is how small, relative to the second moment around Center, a variance may be
// before it is nothing but rounding.
const lost = 1e-12

// factor is a covariance as L·Lᵀ.
type factor struct {
	l, w      *mat.Dense // L and L⁻ᵀ
	precision *mat.Dense
}

var errNotDefinite = errors.New("the covariance is not positive definite")

func newFactor(tri []float64, n int) (*factor, error) {
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
		if pivot := l.At(i, i); !(pivot*pivot > lost*cov.At(i, i)) {
			return nil, errNotDefinite
		}
	}
	var inverse mat.TriDense
	if err := inverse.InverseTri(&l); err != nil {
		return nil, errNotDefinite
	}
	f := &factor{l: mat.DenseCopyOf(&l), w: mat.DenseCopyOf(inverse.T()), precision: new(mat.Dense)}
	f.precision.Mul(f.w, f.w.T())
	return f, nil
}

// factor returns the factor of the block's covariance in theta, which has been
// checked.
func (b block) factor(theta []float64) *factor {
	f, err := newFactor(b.in(theta), b.n)
	if err != nil {
		panic("em: Gaussian: " + err.Error())
	}
	return f
}

// logDet returns the ln of the covariance's determinant.
func (f *factor) logDet() float64 {
	sum := 0.0
	n, _ := f.l.Dims()
	for i := range n {
		sum += 2 * math.Log(f.l.At(i, i))
	}
	return sum
}

func product(factors ...mat.Matrix) *mat.Dense {
	var p mat.Dense
	p.Product(factors...)
	return &p
}
