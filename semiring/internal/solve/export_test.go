package solve

import (
	"errors"

	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// iterating is a closure that iterates whatever the size of a component.
type iterating[W any] struct{ *linear[W] }

func (i iterating[W]) forward(x []W, lo, hi int) error {
	return i.solve(x, lo, hi, i.g.Topology.In())
}

func (i iterating[W]) backward(x []W, lo, hi int) error {
	return i.solve(x, lo, hi, i.g.Topology.Out())
}

func (i iterating[W]) solve(x []W, lo, hi int, from rows.Adjacency) error {
	y, err := i.iterate(x, lo, hi, from, efforts[1])
	if err != nil {
		return err
	}
	return i.take(x, lo, hi, y)
}

// cautious is a closure that eliminates every component with bounds on errors.
type cautious[W any] struct{ *elimination[W] }

func (c cautious[W]) forward(x []W, lo, hi int) error {
	return errors.Join(c.factorBounded(lo, hi), c.elimination.forward(x, lo, hi))
}

func (c cautious[W]) backward(x []W, lo, hi int) error {
	return errors.Join(c.factorBounded(lo, hi), c.elimination.backward(x, lo, hi))
}

func (c cautious[W]) factorBounded(lo, hi int) error {
	_, _, err := c.factorMass(c.factors.part(c.plan, lo, hi), lo, hi)
	c.factored[lo] = true
	return err
}

// Method makes a solver solve the equations of cyclic components in its way.
type Method[W any] func(s *Solver[W]) error

// leave leaves all cyclic components to c, be it as inaccurate as it may.
func (s *Solver[W]) leave(c closure[W]) {
	s.Tolerate()
	s.use.known()
	s.small, s.closure = nil, c
}

// Iteration, Elimination and Bounded are methods for any component; Bounded is
// elimination that subtracts.
func Iteration[W any](s *Solver[W]) error {
	s.leave(iterating[W]{newLinear(&s.g, weights.MassOf(s.g.Ring), s.use, &s.inaccuracy)})
	return nil
}

// InStages is the method chosen without being told.
func InStages[W any](s *Solver[W]) error { return nil }

func Elimination[W any](s *Solver[W]) error {
	return s.eliminating(func(e *elimination[W]) closure[W] { return e })
}

func Bounded[W any](s *Solver[W]) error {
	return s.eliminating(func(e *elimination[W]) closure[W] { return cautious[W]{e} })
}

func (s *Solver[W]) eliminating(how func(*elimination[W]) closure[W]) error {
	pl, err := s.g.Plans.full(s.g.Topology, s.g.Interrupted)
	if err != nil {
		return err
	}
	s.leave(how(newElimination(&s.g, s.use.known(), pl, &s.inaccuracy)))
	return nil
}

// ErrOpen is wrapped by the error where iteration comes to no result.
var ErrOpen = errOpen
