package graph

import "example.org/pathsum/internal/columns"

// Mean returns the expected value of a random path of g, drawn in proportion to
// its weight: v.Dim numbers. Values are those of v, added up along the path.
//
// No vector is carried along the paths (J. Eisner, Parameter estimation for
// probabilistic finite-state transducers, ACL 2002, §5): Posteriors, and then one
// operation per non-zero of v. The ring's weights must be probabilities that ⊕ adds
// and not negative. The error wraps semiring.ErrCapability, semiring.ErrNegative,
// semiring.ErrNotFinite, ErrNoPath, semiring.ErrShape if v does not fit, or is that
// of PathSum.
func Mean[W any](g *Graph[W], v Values) ([]float64, error) {
	rows, err := table(g, v)
	if err != nil {
		return nil, err
	}
	d, err := newDistribution(g)
	if err != nil {
		return nil, err
	}
	p, err := d.posterior()
	if err != nil {
		return nil, err
	}
	return columns.Mean(rows, v.Dim, p.Start, p.Arc, p.Final), nil
}
