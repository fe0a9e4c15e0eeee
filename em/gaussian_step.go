package em

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em/internal/normal"
	"example.org/pathsum/internal/nested"
)

// Maximize sets mean and covariance from the counts and the prior. The error for a
// covariance that is not positive definite wraps ErrNoMode. Without counts and
// prior the parameters are unchanged.
func (g Gaussian) Maximize(theta, counts []float64) error {
	return TiedGaussian{g, 1}.Maximize(theta, counts)
}

// maximizeMean sets the mean from the counts and the prior.
func (g Gaussian) maximizeMean(theta, counts []float64) error {
	for i, c := range counts {
		if c-c != 0 || i == 0 && c < 0 {
			return fmt.Errorf("%w: count %d is %g", ErrParameter, i, c)
		}
	}
	sum := slices.Clone(counts)
	if g.addPriorMean(sum); sum[0] > 0 {
		for j := range g.Size() {
			theta[1+j] = at(g.Center, j, 0) + sum[1+j]/sum[0]
		}
	}
	return nil
}

// maximizeCovariance sets the covariance of block b, in theta, to scatter/sum, where sum is the
// number of observations. squares are sums of squares around Center.
func (g Gaussian) maximizeCovariance(theta []float64, b normal.Block, scatter *mat.Dense, squares []float64, sum float64) error {
	tri := b.In(theta)
	for i := range b.N {
		if v := scatter.At(i, i); b.Floor == nil && !(v > normal.Lost*squares[i]) {
			return fmt.Errorf("%w: component %d has the variance %g, negligible next to its mean square %g",
				ErrNoMode, b.Lo+i, v/sum, squares[i]/sum)
		}
		for j := range i + 1 {
			tri[i*(i+1)/2+j] = (scatter.At(i, j) + scatter.At(j, i)) / 2 / sum
		}
	}
	b.Raise(tri)
	if _, err := normal.NewFactor(tri, b.N); err != nil {
		return nested.Errorf("%w: components %d to %d: %w", ErrNoMode, b.Lo, b.Lo+b.N-1, err)
	}
	return nil
}

// Remarks names the components whose variances are at their floor.
func (g Gaussian) Remarks(theta []float64) (remarks []string) {
	for _, b := range g.blocks() {
		switch {
		case !b.AtFloor(b.In(theta)):
		case b.N == 1:
			remarks = append(remarks, fmt.Sprintf("the variance of component %d is at its floor %g", b.Lo, b.Floor[0]))
		default:
			remarks = append(remarks, fmt.Sprintf("a variance of components %d to %d is at the floor %g", b.Lo, b.Lo+b.N-1, b.Floor))
		}
	}
	return remarks
}

// Bounded returns an error for counts from which Maximize has no mode: if a covariance is not
// positive definite, the density of the points in which it has specialized rises without bound.
func (g Gaussian) Bounded(theta, counts []float64) error { return bounded(g, theta, counts) }

func bounded(law Law, theta, counts []float64) error {
	if counts == nil {
		return nil
	}
	if err := law.Maximize(slices.Clone(theta), counts); errors.Is(err, ErrNoMode) {
		return err
	}
	return nil // counts that are not an E step's belong to another objective
}
