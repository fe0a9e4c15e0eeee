package graph

import (
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/derivation"
)

// Mean returns the expected value of a random path of g, drawn in proportion to
// its weight: v.Dim numbers. Values are given by v, added up along the path.
//
// No vector is carried along the paths (J. Eisner, Parameter estimation for
// probabilistic finite-state transducers, ACL 2002, §5): Posteriors, and then one
// operation per non-zero of v. The ring's weights must be probabilities that ⊕ adds
// and not negative. The error wraps semiring.ErrCapability, semiring.ErrNegative,
// semiring.ErrNotFinite, ErrNoPath, semiring.ErrShape if v does not fit, or is that
// of PathSum.
func Mean[W any](g *Graph[W], v Values) ([]float64, error) {
	return randomPaths(g).Mean(v.Dim, v.Start, v.Arc, v.Final)
}

// Covariance returns mean and covariance matrix, v.Dim × v.Dim, of the value of a
// random path of g, drawn in proportion to its weight. Values are given by v, added
// up along the path.
//
// Column j is the derivative of the mean when weights are tilted by component j: a
// backward and a forward pass over plain numbers (see HessianVector). That takes O(Dim ·
// (states + arcs + non-zeros of v)), and memory for states, arcs and non-zeros. Vectors
// carried along the paths would take as long, and Dim numbers per state. Variances are
// sums of squares and never negative; the other covariances are sums of values of one
// component times covariances of the other with the use of a part, and so lose digits
// where great values cancel along every path.
//
// Conditions and errors are as for Mean.
func Covariance[W any](g *Graph[W], v Values) ([]float64, *mat.SymDense, error) {
	return randomPaths(g).Covariance(v.Dim, v.Start, v.Arc, v.Final)
}

// HessianVector returns H·v, where H is the matrix of second derivatives of ln Z,
// the logarithm of the path sum, with respect to the logarithms of all start, arc
// and final weights. The gradient is what Posteriors returns.
//
// Let N be the number of times that a random path uses each part, and V the sum of v along
// the path. The gradient is E[N], H is the covariance of N, and H·v = Cov(N, V): how much
// each expected count grows when weights are multiplied by 1 + ε·v.
// With respect to the weights w themselves, the gradient is E[N]/w and the product is
// (H·(v/w) − E[N]·v/w)/w, part by part.
//
// Each product takes one more backward and one more forward pass than Posteriors
// and no second factorization of cyclic components: about twice the time. The mean
// of V is taken out step by step, not in the end, so that a V with a mean much greater
// than its deviation loses few digits to it.
//
// The ring's weights must be probabilities that ⊕ adds, and not negative. The error
// wraps semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite,
// ErrNoPath, semiring.ErrShape if v does not fit, or is as for PathSum.
func HessianVector[W any](g *Graph[W], v Parts) (Parts, error) {
	_, product, err := PosteriorsAlong(g, v)
	return product, err
}

// PosteriorsAlong returns the posteriors of g, as those of a graph over Scaled, and their
// derivative along v, which is HessianVector(g, v), in the time of the latter.
func PosteriorsAlong[W any](g *Graph[W], v Parts) (*Posterior[semiring.ScaledFloat], Parts, error) {
	total, p, x, err := randomPaths(g).Along(derivation.Numbers{Entry: v.Start, Option: v.Arc, End: v.Final})
	if err != nil {
		return nil, Parts{}, err
	}
	return &Posterior[semiring.ScaledFloat]{total, p.Option, p.Node, p.Entry, p.End}, Parts{x.Entry, x.Option, x.End}, nil
}
