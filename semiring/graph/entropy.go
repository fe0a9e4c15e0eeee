package graph

import (
	"example.org/pathsum/internal/choice"
	"example.org/pathsum/semiring/internal/derivation"
)

// Entropy returns −Σ p ln p, in nats, over the paths of g, drawn in proportion to
// their weights. Parallel arcs and parallel starts make different paths.
//
// It is the expected number of visits to every state times the entropy of the choice
// made there: a sum of non-negative terms, in which nothing cancels, also where
// choices are nearly certain. The ring's weights must be probabilities that ⊕ adds,
// and not negative. Posteriors and one logarithm per arc. The error wraps
// semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite, ErrNoPath, or
// is as for PathSum.
func Entropy[W any](g *Graph[W]) (float64, error) { return CrossEntropy(g, g) }

// CrossEntropy returns −Σ p ln q, in nats, over paths with probability p in one graph
// and q in the other, which must have the same arcs and start states: the expected
// length of a path of p in a code made for q. It is +Inf if some path of p is none of
// q. Accuracy and cost are as for Entropy. The error wraps semiring.ErrShape if the
// graphs differ in more than their weights, or is as for Entropy of either.
func CrossEntropy[W any](p, q *Graph[W]) (float64, error) { return compare(p, q, choice.CrossEntropy) }

// KullbackLeibler returns Σ p ln(p/q), in nats, over paths with probability p in one
// graph and q in the other, which must have the same arcs and start states. It is
// never negative, 0 for graphs of the same weights, and +Inf if some path of p is
// none of q; paths of q that are none of p just take probability away.
//
// It is the expected number of visits to every state, in p, times the divergence of
// the choice made there, itself a sum of non-negative terms p·(x − ln(1+x)) with
// 1 + x = q/p: a divergence D comes with an error of about √D roundings of
// probabilities, not of entropies as with the difference of two, so that about half of
// its digits are right at D = 1e-16. Cost and errors are as for CrossEntropy.
func KullbackLeibler[W any](p, q *Graph[W]) (float64, error) {
	return compare(p, q, choice.Divergence)
}

// compare sums a comparison of choices over a random path of p.
func compare[W any](p, q *Graph[W], local derivation.Comparison) (float64, error) {
	a := randomPaths(p)
	b := a
	if p != q {
		b = randomPaths(q)
	}
	return derivation.Compare(a, b, local, "arcs and start states")
}
