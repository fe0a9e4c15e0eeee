package forest

import (
	"example.org/pathsum/internal/choice"
	"example.org/pathsum/semiring/internal/derivation"
)

// Entropy returns −Σ p ln p, in nats, over the trees of f, drawn in proportion to
// their weights. Edges with the same tails, and entries of the same root, make
// different trees.
//
// It is the expected number of occurrences of every node times the entropy of the
// choice of an edge for it: a sum of non-negative terms, in which nothing cancels, also
// where choices are nearly certain. The ring's weights must be probabilities that ⊕
// adds, and not negative. Posteriors and one logarithm per edge. The error wraps
// semiring.ErrCapability, semiring.ErrNegative, semiring.ErrNotFinite or ErrNoTree.
func Entropy[W any](f *Forest[W]) (float64, error) { return CrossEntropy(f, f) }

// CrossEntropy returns −Σ p ln q, in nats, over trees with probability p in one
// forest and q in the other, which must have the same edges and root nodes: the
// expected length of a tree of p in a code made for q. It is +Inf if some tree of p
// is none of q. Accuracy and cost are as for Entropy. The error wraps
// semiring.ErrShape if the forests differ in more than their weights, or is that of
// Entropy for either.
func CrossEntropy[W any](p, q *Forest[W]) (float64, error) { return compare(p, q, choice.CrossEntropy) }

// KullbackLeibler returns Σ p ln(p/q), in nats, over trees with probability p in one
// forest and q in the other, which must have the same edges and root nodes. It is
// never negative, 0 for forests of the same weights, and +Inf if some tree of p is
// none of q; trees of q that are none of p just take probability away.
//
// It is the expected number of occurrences of every node, in p, times the divergence of
// the choice of an edge for it, itself a sum of non-negative terms: a divergence D
// comes with an error of about √D roundings of probabilities, so that half of its
// digits are right at D = 1e-16. Cost and errors are as for CrossEntropy.
func KullbackLeibler[W any](p, q *Forest[W]) (float64, error) {
	return compare(p, q, choice.Divergence)
}

// compare sums a comparison of choices over a random tree of p.
func compare[W any](p, q *Forest[W], local derivation.Comparison) (float64, error) {
	a := randomTrees(p)
	b := a
	if p != q {
		b = randomTrees(q)
	}
	return derivation.Compare(a, b, local, "edges and root nodes")
}
