package cascade

import (
	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A Space keeps the expressions of machines that were made and dropped. A model evaluates those
// alone that its own machines and sets are made of: others may have no value at a θ that is good
// for the model.

// usedBy returns the expressions that the machines of a tree are made of.
func usedBy(p *em.Params, tree tapes.Tree) *expr.Part {
	used := p.Space().NewPart()
	for _, e := range tree.Edges {
		for _, f := range e.Machines {
			addMachine(used, f)
		}
	}
	return used
}

// addMachine adds the weights of f.
func addMachine(used *expr.Part, f *fst.FST[expr.W]) {
	g := f.Graph()
	used.Add(g.Weights()...)
	used.Add(g.Finals()...)
	for _, s := range g.Starts() {
		used.Add(s.Weight)
	}
}

// addSets adds the weights of sets.
func addSets(used *expr.Part, sides []tapes.Side) {
	for _, s := range sides {
		if s.Set != nil {
			addMachine(used, tapes.Acceptor(s.Set))
		}
	}
}

// evaluate returns the values of the expressions of used, in dst if there is room. nil stands for
// expressions that are not known yet: all then have a value or NaN, and no error.
func evaluate(dst []semiring.ScaledFloat, space *expr.Space, used *expr.Part, theta []semiring.ScaledFloat, temperature float64) ([]semiring.ScaledFloat, error) {
	if used != nil {
		return used.Evaluate(dst, theta, temperature)
	}
	values, err := space.EvaluateTempered(dst, theta, temperature)
	if len(values) == 0 {
		return nil, err // of the temperature
	}
	return values, nil
}

// outside returns what the items and the expressions of s use of the Params' Space, beside the
// expressions in used: composition may meet an expression again that a dropped machine had.
func (s *shard) outside(used *expr.Part) []expr.W {
	var all []expr.W
	inherited := expr.W(s.space.Inherited())
	look := func(w expr.W) {
		if w < inherited && !used.Contains(w) {
			all = append(all, w)
		}
	}
	for _, x := range s.items {
		if x.shape != nil {
			for _, h := range x.shape.batch.Weights(x.shape.g) {
				look(expr.W(h))
			}
		}
	}
	for _, w := range s.space.AppendBelow(nil) {
		look(w)
	}
	return all
}

// valued returns the error of the first expression of the Params' Space that s uses and that has
// no value in p.
func (c *corpus) valued(s *shard, p pass) error {
	if c.used != nil {
		return check(p, c.params.Space(), s.beside)
	}
	for _, x := range s.items {
		if x.shape != nil {
			if err := check(p, c.params.Space(), x.shape.batch.Weights(x.shape.g)); err != nil {
				return err
			}
		}
	}
	return nil
}

// check returns the error of the first of the expressions that have no value in p.
func check[H expr.W | int32](p pass, space *expr.Space, ws []H) error {
	for _, w := range ws {
		if p.values[w].IsNaN() {
			return p.fault(space, expr.W(w))
		}
	}
	return nil
}

// fault says why an expression has no value.
func (p pass) fault(space *expr.Space, w expr.W) error {
	own := space.NewPart()
	own.Add(w)
	if _, err := own.Evaluate(nil, p.theta, p.temperature); err != nil {
		return err
	}
	return nested.Errorf("%w: %s has no value", semiring.ErrNotFinite, space.String(w))
}
