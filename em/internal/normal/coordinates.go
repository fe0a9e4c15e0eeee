package normal

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// The coordinates of a block are its mean and the lower triangle of L, where L·Lᵀ is the
// covariance, with ln L_ii on the diagonal. They are stored in a vector of the mean of all
// components and the triangles. Here Σ is the covariance, P its inverse, W = L⁻ᵀ, and
// with counts N (of 1), s and S,
//
//	f = −N·Σ ln L_ii − ½ tr(P·M), M = S − s·μᵀ − μ·sᵀ + N·μ·μᵀ
//	∂f/∂μ = P·(s − N·μ), ∂f/∂L = the lower triangle of P·M·W, less N/L_ii.

// Coordinates sets the triangle of L.
func (b Block) Coordinates(x, theta []float64) {
	l := b.Factor(theta).l
	for i := range b.N {
		for j := range i {
			x[b.coordinate(i, j)] = l.At(i, j)
		}
		x[b.coordinate(i, i)] = math.Log(l.At(i, i))
	}
}

// coordinate returns the index of the coordinate of L_ij.
func (b Block) coordinate(i, j int) int { return b.Tri - 1 + i*(i+1)/2 + j }

// Theta sets the triangle of the covariance; it inverts Coordinates.
func (b Block) Theta(theta, x []float64) {
	l := mat.NewDense(b.N, b.N, nil)
	for i := range b.N {
		for j := range i {
			l.Set(i, j, x[b.coordinate(i, j)])
		}
		l.Set(i, i, math.Exp(x[b.coordinate(i, i)]))
	}
	var cov mat.Dense
	cov.Mul(l, l.T())
	tri := b.In(theta)
	for i := range b.N {
		for j := range i + 1 {
			tri[i*(i+1)/2+j] = cov.At(i, j)
		}
	}
}

// Gradient sets the derivatives with respect to the coordinates of the block, where m is its mean
// and s are its counts.
func (b Block) Gradient(dx, theta []float64, m *mat.VecDense, s Moments) {
	f := b.Factor(theta)
	var byMean mat.VecDense
	byMean.MulVec(f.precision, s.residual(m))
	byL := product(f.precision, s.Scatter(m), f.w)
	for i := range b.N {
		dx[b.Lo+i] = byMean.AtVec(i)
		for j := range i {
			dx[b.coordinate(i, j)] = byL.At(i, j)
		}
		dx[b.coordinate(i, i)] = byL.At(i, i)*f.l.At(i, i) - s.Sum
	}
}

// tangent is the change of a block along dx.
type tangent struct {
	mean         *mat.VecDense
	l, cov, prec *mat.Dense
}

func (f *Factor) tangent(b Block, dx []float64) tangent {
	t := tangent{mat.NewVecDense(b.N, nil), mat.NewDense(b.N, b.N, nil), nil, nil}
	for i := range b.N {
		t.mean.SetVec(i, dx[b.Lo+i])
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
// Pμ for z, −½P_ii for z_i² and −P_ij for z_i·z_j. It adds the change of the coefficient of 1,
// −½(ln|2πΣ| + μᵀPμ).
func (b Block) Tangent(direction, theta []float64, m *mat.VecDense, dx []float64) {
	f := b.Factor(theta)
	t := f.tangent(b, dx)
	var byMean, byPrec mat.VecDense
	byMean.MulVec(f.precision, t.mean)
	byPrec.MulVec(t.prec, m)
	direction[0] -= mat.Dot(m, &byMean) + (mat.Dot(m, &byPrec)+mat.Trace(product(f.precision, t.cov)))/2
	tri := b.In(direction)
	for i := range b.N {
		direction[1+b.Lo+i] = byMean.AtVec(i) + byPrec.AtVec(i)
		for j := range i {
			tri[i*(i+1)/2+j] = -t.prec.At(i, j)
		}
		tri[i*(i+3)/2] = -t.prec.At(i, i) / 2
	}
}

// GradientTangent sets the change of Gradient as s changes by ds.
func (b Block) GradientTangent(ddx, theta []float64, m *mat.VecDense, s, ds Moments, dx []float64) {
	f := b.Factor(theta)
	t := f.tangent(b, dx)
	r, dr := s.residual(m), ds.residual(m)
	dr.AddScaledVec(dr, -s.Sum, t.mean)
	var byPrec, byMean mat.VecDense
	byPrec.MulVec(t.prec, r)
	byMean.MulVec(f.precision, dr)

	scatter, dscatter := s.Scatter(m), ds.Scatter(m)
	dscatter.RankOne(dscatter, -1, r, t.mean)
	dscatter.RankOne(dscatter, -1, t.mean, r)
	dw := product(f.w, t.l.T(), f.w)
	dw.Scale(-1, dw)
	byL := product(f.precision, scatter, f.w)
	dByL := product(t.prec, scatter, f.w)
	dByL.Add(dByL, product(f.precision, dscatter, f.w))
	dByL.Add(dByL, product(f.precision, scatter, dw))
	for i := range b.N {
		ddx[b.Lo+i] = byPrec.AtVec(i) + byMean.AtVec(i)
		for j := range i {
			ddx[b.coordinate(i, j)] = dByL.At(i, j)
		}
		ddx[b.coordinate(i, i)] = dByL.At(i, i)*f.l.At(i, i) + byL.At(i, i)*t.l.At(i, i) - ds.Sum
	}
}
