package graph

import "example.org/pathsum/semiring"

// HessianVector returns H·v, where H is the matrix of second derivatives of ln Z,
// the logarithm of the path sum, with respect to the logarithms of all start, arc
// and final weights. The gradient is what Posteriors returns.
//
// With N the number of times that a random path uses each part, the gradient is
// E[N] and H is its covariance, so H·v = Cov(N, V) where V is the sum of v along the
// path: how much each expected count grows when weights are multiplied by 1 + ε·v.
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
// ErrNoPath, semiring.ErrShape if v does not fit, or is that of PathSum.
func HessianVector[W any](g *Graph[W], v Parts) (Parts, error) {
	_, product, err := PosteriorsAlong(g, v)
	return product, err
}

// PosteriorsAlong returns the posteriors of g, as those of a graph over Scaled, and their
// derivative along v, which is HessianVector(g, v), in the time of the latter.
func PosteriorsAlong[W any](g *Graph[W], v Parts) (*Posterior[semiring.ScaledFloat], Parts, error) {
	v, err := fillParts(g, v)
	if err != nil {
		return nil, Parts{}, err
	}
	d, err := newDistribution(g)
	if err != nil {
		return nil, Parts{}, err
	}
	r, err := newResponse(d)
	if err != nil {
		return nil, Parts{}, err
	}
	product, _ := newParts(g)
	if err := r.solve(v, product); err != nil {
		return nil, Parts{}, err
	}
	return r.p, product, nil
}
