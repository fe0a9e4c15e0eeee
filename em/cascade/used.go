package cascade

import (
	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A Space keeps the expressions of machines that were made and dropped. A model evaluates only
// the expressions in its own machines and sets: others may have no value at a θ that is valid for
// the model. Lattices are made in forks of this part of the Space (expr.Subset.Fork).

// usedBy returns the expressions in the machines of a tree.
func usedBy(p *em.Params, tree tapes.Tree) *expr.Subset {
	used := p.Space().NewSubset()
	for _, e := range tree.Edges {
		for _, f := range e.Machines {
			addMachine(used, f)
		}
	}
	return used
}

// addMachine adds the weights of f.
func addMachine(used *expr.Subset, f *fst.FST[expr.W]) {
	g := f.Graph()
	used.Add(g.Weights()...)
	used.Add(g.Finals()...)
	for _, s := range g.Starts() {
		used.Add(s.Weight)
	}
}

// addSets adds the weights of sets.
func addSets(used *expr.Subset, sides []tapes.Side) {
	for _, s := range sides {
		if f := tapes.Acceptor(s.Set); f != nil {
			addMachine(used, f)
		}
	}
}

// evaluate returns the values of the expressions of used, in dst if there is room. If used is
// nil, the expressions are not yet known: evaluate then returns a value or NaN for every
// expression, and no error for NaN.
func evaluate(dst []semiring.ScaledFloat, space *expr.Space, used *expr.Subset, theta []semiring.ScaledFloat, temperature float64) ([]semiring.ScaledFloat, error) {
	if used != nil {
		return used.Evaluate(dst, theta, temperature)
	}
	values, err := space.EvaluateTempered(dst, theta, temperature)
	if len(values) == 0 {
		return nil, err // of the temperature
	}
	return values, nil
}

// valued returns the error of the first expression of the Params' Space that s uses and that has
// no value in p. Such an expression exists only if the expressions of the corpus are not known in
// advance.
func (c *corpus) valued(s *shard, p pass) error {
	if c.used != nil {
		return nil
	}
	for _, x := range s.items {
		if x.shape == nil {
			continue
		}
		for _, w := range x.shape.batch.Weights(x.shape.g) {
			if p.values[w].IsNaN() {
				return p.fault(c.params.Space(), expr.W(w))
			}
		}
	}
	return nil
}

// fault returns the reason why an expression has no value.
func (p pass) fault(space *expr.Space, w expr.W) error {
	own := space.NewSubset()
	own.Add(w)
	if _, err := own.Evaluate(nil, p.theta, p.temperature); err != nil {
		return err
	}
	return nested.Errorf("%w: %s has no value", semiring.ErrNotFinite, space.String(w))
}
