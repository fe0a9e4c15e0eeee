package moments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	rankTolerance     = 1e-10 // of singular values, relative to the largest
	residualTolerance = 1e-8  // of a statistic, relative to all of them
)

// Invert returns the observation function of c for the statistics of f: a matrix with
// β(o) in row o, such that Σ_o S(o | y)·β(o) = φ(y) for every y. Of several it is the
// one of least squares. There is one if and only if every statistic, as a function of y,
// lies in the row space of S; S need not have full rank.
//
// The error wraps ErrUnidentifiable and names the statistic that lies farthest outside,
// by more than 1e-8 times the norm of all statistics, or wraps ErrInvalid if f has
// another number of values than c, or β would be beyond the range of float64.
func (c *Channel) Invert(f *Family) (*mat.Dense, error) {
	if err := f.fits(c); err != nil {
		return nil, err
	}
	k, _ := c.s.Dims()
	_, d := f.phi.Dims()
	beta := mat.NewDense(k, d, nil)
	if err := pseudoSolve(beta, c.s.T(), f.phi); err != nil {
		return nil, err
	}
	if o, j, ok := finite(beta); !ok {
		return nil, invalid("observation %d is worth %g of statistic %s", o, beta.At(o, j), f.Name(j))
	}
	var rest mat.Dense
	rest.Mul(c.s.T(), beta)
	rest.Sub(f.phi, &rest)
	worst, norm := 0, 0.0
	for j := range d {
		if n := mat.Norm(rest.ColView(j), 2); n > norm {
			worst, norm = j, n
		}
	}
	if norm > residualTolerance*mat.Norm(f.phi, 2) {
		return nil, fmt.Errorf("moments: %w: %s, of which the observations leave %.3g unexplained",
			ErrUnidentifiable, f.Name(worst), norm)
	}
	return beta, nil
}

// pseudoSolve sets x to the solution of a·x = b of least squares and least norm.
func pseudoSolve(x *mat.Dense, a, b mat.Matrix) error {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return invalid("no singular value decomposition of a matrix of norm %g", mat.Norm(a, 2))
	}
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > rankTolerance*math.Max(values[0], math.SmallestNonzeroFloat64) {
		rank++
	}
	if rank == 0 {
		x.Zero()
		return nil
	}
	svd.SolveTo(x, b, rank)
	return nil
}
