package em

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Information is the observed Fisher information at a θ, minus the second
// derivatives of log likelihood + log prior. It measures how precisely the data determine the
// parameters.
type Information struct {
	// Matrix is the information in terms of some of the parameters' Coordinates, whose indices
	// are in the field Coordinates: all but those that a Laplace prior holds at 0.
	Matrix      *mat.SymDense
	Coordinates []int
	// LeftOut are the parameters without information, as
	// they lie on a boundary: probabilities that are zero, and strengths that a
	// Laplace prior holds at zero. The information is of the model without them.
	LeftOut []int

	coordinates *Coordinates
	theta       []float64
	slope       []float64  // the objective's derivatives with respect to Coordinates
	jacobian    *mat.Dense // of θ with respect to Coordinates, nil if there are none
}

// FisherInformation returns the observed information at q.Theta, which should be a
// maximum; q.Tangent is not used. It takes one E step with second derivatives for
// each coordinate. The likelihood may be a Difference
// or have any hidden data: the information lost with them is accounted for (compare
// Louis 1982).
//
// It returns any error of Expect, and ErrCoordinates if a law has no second derivatives.
func FisherInformation(ctx context.Context, l Likelihood, q Query) (*Information, error) {
	nonnil.Check("em: FisherInformation", "context", ctx, "likelihood", l)
	p := l.Params()
	coordinates, err := p.Coordinates(q.Theta)
	if err != nil {
		return nil, err
	}
	f := &Information{coordinates: coordinates, theta: q.Theta}
	x, l1 := coordinates.Of(q.Theta), coordinates.L1()
	for j := range x {
		if l1 == nil || l1[j] == 0 || x[j] != 0 {
			f.Coordinates = append(f.Coordinates, j)
		}
	}
	f.differentiate(x)
	n := len(f.Coordinates)
	if n == 0 {
		return f, nil
	}
	full := mat.NewDense(n, n, nil)
	dx, ddx := make([]float64, len(x)), make([]float64, len(x))
	for row, j := range f.Coordinates {
		clear(dx)
		dx[j] = 1
		if q.Tangent, err = coordinates.Tangent(q.Theta, dx); err != nil {
			return nil, err
		}
		e, err := l.Expect(ctx, q)
		if err != nil {
			return nil, err
		}
		if err := coordinates.HessianProduct(ddx, q.Theta, e.Counts, dx, e.Curvature); err != nil {
			return nil, err
		}
		for column, k := range f.Coordinates {
			full.Set(row, column, -ddx[k])
		}
		if row == 0 {
			coordinates.Gradient(dx, q.Theta, e.Counts)
			f.slope = make([]float64, n)
			for i, k := range f.Coordinates {
				f.slope[i] = dx[k]
			}
		}
	}
	f.Matrix = mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			f.Matrix.SetSym(i, j, full.At(i, j)/2+full.At(j, i)/2)
		}
	}
	return f, nil
}

// differentiate computes LeftOut and the jacobian. It uses central differences with
// an error of about 1e-12, as laws have derivatives of values only.
func (f *Information) differentiate(x []float64) {
	const h = 1e-3
	free := make([]bool, len(f.theta)) // depends on a coordinate in Coordinates
	held := slices.Clone(free)         // depends on a coordinate that is not in Coordinates
	if n := len(f.Coordinates); n > 0 {
		f.jacobian = mat.NewDense(len(f.theta), n, nil)
	}
	shifted := slices.Clone(x)
	at := func(j int, step float64) []float64 {
		shifted[j] = x[j] + step
		defer func() { shifted[j] = x[j] }()
		return f.coordinates.Theta(shifted)
	}
	for j := range x {
		column, ok := slices.BinarySearch(f.Coordinates, j)
		up, down, up2, down2 := at(j, h), at(j, -h), at(j, 2*h), at(j, -2*h)
		for i := range f.theta {
			d := (8*(up[i]-down[i]) - (up2[i] - down2[i])) / (12 * h)
			switch {
			case d == 0:
			case ok:
				f.jacobian.Set(i, column, d)
				free[i] = true
			default:
				held[i] = true
			}
		}
	}
	for _, g := range f.coordinates.params.groups {
		if _, constant := g.law.(Fixed); constant {
			continue
		}
		for i := g.first; i < g.first+g.n; i++ {
			if !free[i] && (held[i] || f.theta[i] == 0) {
				f.LeftOut = append(f.LeftOut, i)
			}
		}
	}
}

// Covariance returns the inverse of the information: the asymptotic covariance of
// the estimated Coordinates, and of the posterior in Laplace's approximation. The
// error, wrapping ErrNotIdentified or ErrNotMaximum, names the parameters that move in
// a direction of zero or negative information, or of so little information that the slope
// may explain it. If parameters can move along a curve without a change of the
// objective, the information along it is zero only at the maximum itself. To distinguish the
// cases, train with a Tolerance of −1.
func (f *Information) Covariance() (*mat.SymDense, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	covariance := new(mat.SymDense)
	if f.Matrix == nil {
		return covariance, nil
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(f.Matrix) {
		return nil, nested.Errorf("em: information: %w", ErrNotMaximum)
	}
	if err := cholesky.InverseTo(covariance); err != nil {
		return nil, nested.Errorf("em: information: %w: %v", ErrNotIdentified, err)
	}
	return covariance, nil
}

// StandardErrors returns the asymptotic standard deviation of every parameter of θ,
// by the delta method: 0 for constants, NaN for parameters in LeftOut. Errors are as in
// Covariance.
func (f *Information) StandardErrors() ([]float64, error) {
	covariance, err := f.Covariance()
	if err != nil {
		return nil, err
	}
	errs := make([]float64, len(f.theta))
	if f.jacobian != nil {
		for i := range errs {
			row := f.jacobian.RowView(i)
			errs[i] = math.Sqrt(mat.Inner(row, covariance, row))
		}
	}
	for _, i := range f.LeftOut {
		errs[i] = math.NaN()
	}
	return errs, nil
}

var (
	// ErrNotIdentified is returned for parameters that the data do not
	// determine: they can move together without a change of the objective.
	ErrNotIdentified = errors.New("parameters are not identified")
	// ErrNotMaximum is returned for a θ at which the objective is not
	// maximal in some direction.
	ErrNotMaximum = errors.New("not at a maximum")
)

// informationRounding bounds the eigenvalues, of the information scaled to a
// diagonal of 1, that may be due to rounding.
const informationRounding = 1e-9

// check returns an error if a direction has too little information.
func (f *Information) check() error {
	if f.Matrix == nil {
		return nil
	}
	n := f.Matrix.SymmetricDim()
	unit := make([]float64, n) // the unit of each coordinate in which its information is 1
	for i := range unit {
		unit[i] = 1
		if d := math.Abs(f.Matrix.At(i, i)); d > 0 {
			unit[i] = 1 / math.Sqrt(d)
		}
	}
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			scaled.SetSym(i, j, f.Matrix.At(i, j)*unit[i]*unit[j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		return nested.Errorf("em: information: %w: it has no eigenvalues", ErrNotIdentified)
	}
	least := eigen.Values(nil)[0] // in ascending order
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	direction := mat.Col(nil, 0, &vectors)
	// Along a curve of equal objective, the information is the slope times the curvature of the
	// curve. Here the curvature is assumed to be at most 1 in these units.
	bend := 0.
	for i := range direction {
		direction[i] *= unit[i]
		bend += math.Abs(f.slope[i] * direction[i])
	}
	switch {
	case least > max(informationRounding, bend):
		return nil
	case least > informationRounding:
		return nested.Errorf("em: information: %w: too steep, for so little information, along %s: train further (Tolerance)", ErrNotMaximum, f.moved(direction))
	case least < -informationRounding:
		return nested.Errorf("em: information: %w: %s", ErrNotMaximum, f.moved(direction))
	}
	return nested.Errorf("em: information: %w: %s", ErrNotIdentified, f.moved(direction))
}

// moved names the parameters that move in a direction of the coordinates.
func (f *Information) moved(direction []float64) string {
	var move mat.VecDense
	move.MulVec(f.jacobian, mat.NewVecDense(len(direction), direction))
	most := mat.Norm(&move, math.Inf(1))
	var names []string
	for i := range move.Len() {
		if math.Abs(move.AtVec(i)) > most/100 {
			names = append(names, f.coordinates.params.Name(int32(i)))
		}
	}
	const shown = 10
	if more := len(names) - shown; more > 0 {
		names = append(names[:shown], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
