package convex

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// acceleration extrapolates a fixed-point iteration z ← T(z) from the differences of its
// latest points, by Anderson's method of type II (Walker and Ni 2011). It takes back an
// extrapolation after which the residual T(z) − z is larger (Zhang, O'Donoghue and Boyd
// 2020). Its fields are exported so that a checkpoint holds them.
type acceleration struct {
	Point, Residual   []float64   // T(z) and residual of the latest iteration; nil at first
	Points, Residuals [][]float64 // their differences, oldest first
	Extrapolated      bool        // z is an extrapolation from Point
	Norm              float64     // of Residual
}

const (
	accelerationMemory = 10
	// accelerationRidge makes the least squares regular, relative to the trace.
	accelerationRidge = 1e-8
)

// next returns the point after z, whose image is tz.
func (a *acceleration) next(z, tz []float64) []float64 {
	residual := make([]float64, len(z))
	floats.SubTo(residual, tz, z)
	norm := floats.Norm(residual, 2)
	if a.Extrapolated && norm > a.Norm {
		back := a.Point
		*a = acceleration{}
		return back
	}
	if a.Point != nil {
		dp, dr := make([]float64, len(z)), make([]float64, len(z))
		floats.SubTo(dp, tz, a.Point)
		floats.SubTo(dr, residual, a.Residual)
		if len(a.Points) == accelerationMemory {
			a.Points, a.Residuals = slices.Delete(a.Points, 0, 1), slices.Delete(a.Residuals, 0, 1)
		}
		a.Points, a.Residuals = append(a.Points, dp), append(a.Residuals, dr)
	}
	a.Point, a.Residual, a.Norm, a.Extrapolated = tz, residual, norm, false
	theta := a.weights()
	if theta == nil {
		return tz
	}
	x := slices.Clone(tz)
	for i, p := range a.Points {
		floats.AddScaled(x, -theta.AtVec(i), p)
	}
	a.Extrapolated = true
	return x
}

// weights returns θ with Σ θᵢ·Residualsᵢ nearest to Residual, nil if there is too little to
// tell.
func (a *acceleration) weights() *mat.VecDense {
	m := len(a.Points)
	if m < 2 {
		return nil
	}
	gram, right := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	for i, x := range a.Residuals {
		for j := range i + 1 {
			gram.SetSym(i, j, floats.Dot(x, a.Residuals[j]))
		}
		right.SetVec(i, floats.Dot(x, a.Residual))
	}
	ridge := accelerationRidge * mat.Trace(gram)
	for i := range m {
		gram.SetSym(i, i, gram.At(i, i)+ridge)
	}
	var chol mat.Cholesky
	theta := new(mat.VecDense)
	if !chol.Factorize(gram) || chol.SolveVecTo(theta, right) != nil {
		return nil
	}
	return theta
}
