package forest

import (
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
)

// Mean returns the expected value of a random tree of f, drawn in proportion to its
// weight: v.Dim numbers. v gives the values, added up over the tree.
//
// No vector is carried along the edges: Posteriors, and then one operation per
// non-zero of v. The ring's weights must be probabilities that ⊕ adds and not
// negative. The error wraps semiring.ErrCapability, semiring.ErrNegative,
// semiring.ErrNotFinite, ErrNoTree, or semiring.ErrShape if v does not fit.
func Mean[W any](f *Forest[W], v Values) ([]float64, error) {
	_, uses, values, err := valued(f, v)
	if err != nil {
		return nil, err
	}
	return values.Mean(uses.Numbers), nil
}

// Covariance returns mean and covariance matrix, v.Dim × v.Dim, of the value of a
// random tree of f, drawn in proportion to its weight. v gives the values, added
// up over the tree.
//
// Column j is the derivative of the mean when weights are tilted by component j: two
// passes over plain numbers (see HessianVector). That takes O(Dim · (size of the forest
// + non-zeros of v)) and memory for the forest and the non-zeros. Variances are sums of
// squares and never negative; the other covariances are sums of values of one component
// times covariances of the other with the use of a part, and so lose digits where great
// values cancel in every tree. Conditions and errors are as for Mean.
func Covariance[W any](f *Forest[W], v Values) ([]float64, *mat.SymDense, error) {
	d, uses, values, err := valued(f, v)
	if err != nil {
		return nil, nil, err
	}
	return d.Covariance(uses, values)
}

// valued returns the distribution over the trees of f, the uses of their parts, and v, checked.
func valued[W any](f *Forest[W], v Values) (d *distribution, u derivation.Uses, values derivation.Values, err error) {
	if values, err = kinds(f).Values(v.Dim, v.Root, v.Edge, semiring.Rows{}); err != nil {
		return nil, u, values, nested.Errorf("forest: %w", err)
	}
	if d, err = newDistribution(f); err != nil {
		return nil, u, values, err
	}
	p, err := d.posterior()
	if err != nil {
		return nil, u, values, err
	}
	return d, usesOf(p), values, nil
}

// HessianVector returns H·v, where H is the matrix of second derivatives of ln Z, the
// logarithm of the tree sum, with respect to the logarithms of all root and edge
// weights. The gradient is what Posteriors returns.
//
// Let N be the number of times that a random tree uses each part, and V the sum of v over
// the tree. The gradient is E[N], H is the covariance of N, and H·v = Cov(N, V): how much
// each expected count grows when weights are multiplied by 1 + ε·v. With
// respect to the weights w themselves, the gradient is E[N]/w and the product is
// (H·(v/w) − E[N]·v/w)/w, part by part.
//
// It takes one pass up and one down the forest, over plain numbers, after Posteriors.
// The mean of V is taken out on the way, not in the end, so that a V with a mean much
// greater than its deviation loses no digits to it. Conditions and errors are as for
// Mean.
func HessianVector[W any](f *Forest[W], v Parts) (Parts, error) {
	_, product, err := PosteriorsAlong(f, v)
	return product, err
}

// PosteriorsAlong returns what Posteriors returns, in Scaled, together with what
// HessianVector does, in one go.
func PosteriorsAlong[W any](f *Forest[W], v Parts) (*Posterior[semiring.ScaledFloat], Parts, error) {
	along, err := kinds(f).Filled(derivation.Numbers{Entry: v.Root, Option: v.Edge})
	if err != nil {
		return nil, Parts{}, nested.Errorf("forest: %w", err)
	}
	d, err := newDistribution(f)
	if err != nil {
		return nil, Parts{}, err
	}
	p, err := d.posterior()
	if err != nil {
		return nil, Parts{}, err
	}
	x, err := d.Along(usesOf(p), along)
	if err != nil {
		return nil, Parts{}, err
	}
	return p, Parts{Root: x.Entry, Edge: x.Option}, nil
}
