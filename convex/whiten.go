package convex

import (
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// maxCondition is the condition beyond which Whiten takes a covariance for singular.
const maxCondition = 1e12

// Whiten returns the vectors less their mean, transformed linearly so that their sample
// covariance is the identity. The error wraps ErrInvalid for vectors of different lengths,
// numbers that are not finite or a singular covariance.
//
// What package convex needs is the covariance given the hidden variable, which is smaller.
// Whitened classes are therefore narrower than the unit covariance that is assumed, and
// scaling the vectors up by the ratio, if it is known, sharpens them.
func Whiten(vectors [][]float64) ([][]float64, error) {
	if len(vectors) < 2 || len(vectors[0]) == 0 {
		return nil, invalid("nothing to whiten in %d vectors", len(vectors))
	}
	d := len(vectors[0])
	x := mat.NewDense(len(vectors), d, nil)
	for i, v := range vectors {
		if len(v) != d {
			return nil, invalid("vector %d has %d numbers, vector 0 has %d", i, len(v), d)
		}
		for _, c := range v {
			if c-c != 0 {
				return nil, invalid("vector %d holds %g", i, c)
			}
		}
		x.SetRow(i, v)
	}
	mean := mat.NewVecDense(d, nil)
	for j := range d {
		mean.SetVec(j, stat.Mean(mat.Col(nil, j, x), nil))
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, x, nil)
	var c mat.Cholesky
	if !c.Factorize(&covariance) || c.Cond() > maxCondition {
		return nil, invalid("the covariance of the vectors is singular")
	}
	var l mat.TriDense
	c.LTo(&l)
	out := make([][]float64, len(vectors))
	for i, v := range vectors {
		y := mat.NewVecDense(d, append([]float64(nil), v...))
		y.SubVec(y, mean)
		if err := y.SolveVec(&l, y); err != nil {
			return nil, invalid("whitening: %v", err)
		}
		out[i] = y.RawVector().Data
	}
	return out, nil
}
