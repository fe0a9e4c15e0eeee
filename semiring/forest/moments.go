package forest

import (
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/columns"
)

// Mean returns the expected value of a random tree of f, drawn in proportion to its
// weight: v.Dim numbers. Values are those of v, added up over the tree.
//
// No vector is carried along the edges: Posteriors, and then one operation per
// non-zero of v. The ring's weights must be probabilities that ⊕ adds and not
// negative. The error wraps semiring.ErrCapability, semiring.ErrNegative,
// semiring.ErrNotFinite, ErrNoTree, or semiring.ErrShape if v does not fit.
func Mean[W any](f *Forest[W], v Values) ([]float64, error) {
	rows, err := table(f, v)
	if err != nil {
		return nil, err
	}
	d, err := newDistribution(f)
	if err != nil {
		return nil, err
	}
	p, err := d.posterior()
	if err != nil {
		return nil, err
	}
	return columns.Mean(rows, v.Dim, p.Root, p.Edge), nil
}

// Covariance returns mean and covariance matrix, v.Dim × v.Dim, of the value of a
// random tree of f, drawn in proportion to its weight. Values are those of v, added up
// over the tree.
//
// Column j is the derivative of the mean when weights are tilted by component j: two
// passes over plain numbers (see HessianVector). That takes O(Dim · (size of the forest
// + non-zeros of v)) and memory for the forest and the non-zeros. Variances are sums of
// squares and never negative; the other covariances are sums of values of one component
// times covariances of the other with the use of a part, and so lose digits where great
// values cancel in every tree. Conditions and errors are those of Mean.
func Covariance[W any](f *Forest[W], v Values) ([]float64, *mat.SymDense, error) {
	rows, err := table(f, v)
	if err != nil {
		return nil, nil, err
	}
	r, err := newResponse(f)
	if err != nil {
		return nil, nil, err
	}
	value, values := newParts(f)
	count, counts := newParts(f)
	return columns.Covariance(rows, v.Dim, values, counts, func() (mean, variance float64, err error) {
		r.solve(value)
		r.counts(count)
		return r.mean, r.variance, nil
	})
}
