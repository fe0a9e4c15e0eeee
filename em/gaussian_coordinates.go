package em

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The coordinates of a Gaussian: the mean, and for each block the lower triangle of L,
// where L·Lᵀ is the covariance, with ln L_ii on the diagonal; in the order of θ
// without its first parameter. Σ here is the covariance, P its inverse, W = L⁻ᵀ, and
// with counts N (of ln|Σ|), K (of 1), s and S, prior included,
//
//	f = −N·Σ ln L_ii − ½ tr(P·M), M = S − s·μᵀ − μ·sᵀ + K·μ·μᵀ
//	∂f/∂μ = P·(s − K·μ), ∂f/∂L = the lower triangle of P·M·W, less N/L_ii.

// Dim returns the number of entries of mean and covariance.
func (g Gaussian) Dim(theta []float64) int { return len(theta) - 1 }

// Coordinates sets the mean and the triangles of L, diagonals by their logarithms.
func (g Gaussian) Coordinates(x, theta []float64) {
	copy(x, theta[1:1+g.Size()])
	for _, b := range g.blocks() {
		l := b.factor(theta).l
		for i := range b.n {
			for j := range i {
				x[b.coordinate(i, j)] = l.At(i, j)
			}
			x[b.coordinate(i, i)] = math.Log(l.At(i, i))
		}
	}
}

// coordinate returns the number of the coordinate of L_ij.
func (b block) coordinate(i, j int) int { return b.tri - 1 + i*(i+1)/2 + j }

// Theta inverts Coordinates.
func (g Gaussian) Theta(theta, x []float64) {
	theta[0] = 1
	copy(theta[1:], x[:g.Size()])
	for _, b := range g.blocks() {
		l := mat.NewDense(b.n, b.n, nil)
		for i := range b.n {
			for j := range i {
				l.Set(i, j, x[b.coordinate(i, j)])
			}
			l.Set(i, i, math.Exp(x[b.coordinate(i, i)]))
		}
		var cov mat.Dense
		cov.Mul(l, l.T())
		tri := b.in(theta)
		for i := range b.n {
			for j := range i + 1 {
				tri[i*(i+1)/2+j] = cov.At(i, j)
			}
		}
	}
}

// Gradient sets the derivatives by the coordinates.
func (g Gaussian) Gradient(dx, theta, counts []float64) {
	for _, b := range g.blocks() {
		f, m := b.factor(theta), g.mean(theta, b)
		s := g.moments(counts, b).plus(g.prior(b))
		var byMean mat.VecDense
		byMean.MulVec(f.precision, s.residual(m))
		byL := product(f.precision, s.scatter(m), f.w)
		for i := range b.n {
			dx[b.lo+i] = byMean.AtVec(i)
			for j := range i {
				dx[b.coordinate(i, j)] = byL.At(i, j)
			}
			dx[b.coordinate(i, i)] = byL.At(i, i)*f.l.At(i, i) - s.det
		}
	}
}

// tangent is how a block changes along dx.
type tangent struct {
	mean         *mat.VecDense
	l, cov, prec *mat.Dense
}

func (f *factor) tangent(b block, dx []float64) tangent {
	t := tangent{mat.NewVecDense(b.n, nil), mat.NewDense(b.n, b.n, nil), nil, nil}
	for i := range b.n {
		t.mean.SetVec(i, dx[b.lo+i])
		for j := range i {
			t.l.Set(i, j, dx[b.coordinate(i, j)])
		}
		t.l.Set(i, i, f.l.At(i, i)*dx[b.coordinate(i, i)])
	}
	t.cov = product(t.l, f.l.T())
	t.cov.Add(t.cov, mat.DenseCopyOf(t.cov.T()))
	t.prec = product(f.precision, t.cov, f.precision)
	t.prec.Scale(-1, t.prec)
	return t
}

// Tangent sets the change of the coefficients of the counts in the log density:
// −½(ln|2πΣ| + μᵀPμ) for 1, Pμ for z, −½P_ii for z_i² and −P_ij for z_i·z_j.
func (g Gaussian) Tangent(direction, theta, dx []float64) {
	direction[0] = 0
	for _, b := range g.blocks() {
		f, m := b.factor(theta), g.mean(theta, b)
		t := f.tangent(b, dx)
		var byMean, byPrec mat.VecDense
		byMean.MulVec(f.precision, t.mean)
		byPrec.MulVec(t.prec, m)
		direction[0] -= mat.Dot(m, &byMean) + (mat.Dot(m, &byPrec)+mat.Trace(product(f.precision, t.cov)))/2
		tri := b.in(direction)
		for i := range b.n {
			direction[1+b.lo+i] = byMean.AtVec(i) + byPrec.AtVec(i)
			for j := range i {
				tri[i*(i+1)/2+j] = -t.prec.At(i, j)
			}
			tri[i*(i+3)/2] = -t.prec.At(i, i) / 2
		}
	}
}

// GradientTangent sets the change of Gradient.
func (g Gaussian) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	for _, b := range g.blocks() {
		f, m := b.factor(theta), g.mean(theta, b)
		t := f.tangent(b, dx)
		s, ds := g.moments(counts, b).plus(g.prior(b)), g.moments(dcounts, b)
		r, dr := s.residual(m), ds.residual(m)
		dr.AddScaledVec(dr, -s.sum, t.mean)
		var byPrec, byMean mat.VecDense
		byPrec.MulVec(t.prec, r)
		byMean.MulVec(f.precision, dr)

		scatter, dscatter := s.scatter(m), ds.scatter(m)
		dscatter.RankOne(dscatter, -1, r, t.mean)
		dscatter.RankOne(dscatter, -1, t.mean, r)
		dw := product(f.w, t.l.T(), f.w)
		dw.Scale(-1, dw)
		byL := product(f.precision, scatter, f.w)
		dByL := product(t.prec, scatter, f.w)
		dByL.Add(dByL, product(f.precision, dscatter, f.w))
		dByL.Add(dByL, product(f.precision, scatter, dw))
		for i := range b.n {
			ddx[b.lo+i] = byPrec.AtVec(i) + byMean.AtVec(i)
			for j := range i {
				ddx[b.coordinate(i, j)] = dByL.At(i, j)
			}
			ddx[b.coordinate(i, i)] = dByL.At(i, i)*f.l.At(i, i) + byL.At(i, i)*t.l.At(i, i) - ds.det
		}
	}
}

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
