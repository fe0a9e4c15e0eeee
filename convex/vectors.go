package convex

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// gramFloor is the tolerance for negative eigenvalues and for asymmetric entries of a Gram matrix,
// relative to the greatest eigenvalue or entry.
const gramFloor = 1e-9

// checkGram fails unless the Gram matrix of variable i is valid for the given number of vectors.
func (p *Problem) checkGram(i, rows int) error {
	v := p.variables[i]
	if v.Vectors != nil {
		return invalid("%s has both vectors and a Gram matrix, want one of the two", p.name(i))
	}
	if len(v.Gram) != rows {
		return invalid("%s has a Gram matrix of %d rows for %d rows", p.name(i), len(v.Gram), rows)
	}
	greatest := 0.
	for row, x := range v.Gram {
		if len(x) != rows {
			return invalid("%s has a Gram matrix with %d numbers in row %d, want %d", p.name(i), len(x), row, rows)
		}
		for _, c := range x {
			if c-c != 0 {
				return invalid("%s has a Gram matrix with the number %g in row %d", p.name(i), c, row)
			}
			greatest = max(greatest, math.Abs(c))
		}
	}
	for row, x := range v.Gram {
		for k, c := range x[:row] {
			if math.Abs(c-v.Gram[k][row]) > gramFloor*greatest {
				return invalid("%s has a Gram matrix that is not symmetric: %g in row %d, column %d, and %g across", p.name(i), c, row, k, v.Gram[k][row])
			}
		}
	}
	if values, _ := spectrum(rows, flattened(v.Gram), false); values[0] < -gramFloor*values[rows-1] || values[rows-1] <= rankFloor {
		return invalid("%s has a Gram matrix with eigenvalues from %g to %g, want them ≥ 0, and one above 1e-12", p.name(i), values[0], values[rows-1])
	}
	return nil
}

// vectorsOf returns vectors with the given inner products, whose coordinates are uncorrelated:
// Σⱼ xⱼₐxⱼ_b = 0 for a ≠ b.
func vectorsOf(gram [][]float64) [][]float64 {
	t := len(gram)
	l := exact(t, flattened(gram), make([]float64, t*t))
	x := make([][]float64, t)
	for j := range x {
		for c := range l.Rows {
			x[j] = append(x[j], l.Data[c*t+j])
		}
	}
	return x
}

func flattened(rows [][]float64) []float64 { return slices.Concat(rows...) }

// coefficients returns the C of least norm with W = CX. The rows of X are vectors returned by
// vectorsOf, and each row of W is a linear combination of them.
func coefficients(w *mat.Dense, vectors [][]float64) *mat.Dense {
	x := mat.NewDense(len(vectors), len(vectors[0]), flattened(vectors))
	scaled := mat.DenseCopyOf(w)
	for c := range vectors[0] {
		square := mat.Dot(x.ColView(c), x.ColView(c))
		for k := range scaled.RawMatrix().Rows {
			scaled.Set(k, c, scaled.At(k, c)/square)
		}
	}
	c := new(mat.Dense)
	c.Mul(scaled, x.T())
	return c
}

// maxCondition is the condition number above which Whiten treats a covariance as singular.
const maxCondition = 1e12

// Whiten returns the vectors minus their mean, transformed linearly so that their sample covariance
// is the identity. The error wraps ErrInvalid for vectors of different lengths, numbers that are
// not finite or a singular covariance.
//
// Package convex assumes that the covariance given the hidden variable is the identity. That
// covariance is smaller than the sample covariance, so whitened classes are narrower than assumed.
// If the ratio is known, scaling the vectors up by it sharpens the classes.
func Whiten(vectors [][]float64) ([][]float64, error) {
	if len(vectors) < 2 || len(vectors[0]) == 0 {
		return nil, invalid("the %d vectors have no variance to whiten", len(vectors))
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
