package forest

import (
	"gonum.org/v1/gonum/mat"

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
	return randomTrees(f).Mean(v.Dim, v.Root, v.Edge, semiring.Rows{})
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
	return randomTrees(f).Covariance(v.Dim, v.Root, v.Edge, semiring.Rows{})
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
	total, p, x, err := randomTrees(f).Along(derivation.Numbers{Entry: v.Root, Option: v.Edge})
	if err != nil {
		return nil, Parts{}, err
	}
	return &Posterior[semiring.ScaledFloat]{total, p.Option, p.Node, p.Entry}, Parts{x.Entry, x.Option}, nil
}
