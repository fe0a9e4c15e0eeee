package solve

import (
	"errors"

	"example.org/pathsum/semiring/internal/rows"
)

// iterating is a closure that iterates whatever the size of a component.
type iterating struct{ *linear }

func (i iterating) forward(lo, hi int) error {
	return i.solve(lo, hi, i.g.topology.In())
}

func (i iterating) backward(lo, hi int) error {
	return i.solve(lo, hi, i.g.topology.Out())
}

func (i iterating) solve(lo, hi int, from rows.Adjacency) error {
	y, err := i.iterate(lo, hi, from, efforts[1])
	if err != nil {
		return err
	}
	return i.take(lo, hi, y)
}

// cautious is a closure that eliminates every component with bounds on errors.
type cautious struct{ *elimination }

func (c cautious) forward(lo, hi int) error {
	return errors.Join(c.factorBounded(lo, hi), c.elimination.forward(lo, hi))
}

func (c cautious) backward(lo, hi int) error {
	return errors.Join(c.factorBounded(lo, hi), c.elimination.backward(lo, hi))
}

func (c cautious) factorBounded(lo, hi int) error {
	_, _, err := c.factorMass(lo, hi)
	c.factored[lo] = true
	return err
}

// Method makes a solver solve the equations of cyclic components in its way.
type Method[W any] func(s *Solver[W]) error

// leave leaves all cyclic components to c, be it as inaccurate as it may.
func (s *solver) leave(c closure) {
	s.Tolerate()
	s.use.known()
	s.small, s.closure = nil, c
}

// Iteration, Elimination and Bounded are methods for any component; Bounded is
// elimination that subtracts.
func Iteration[W any](s *Solver[W]) error {
	u := &s.Untyped
	u.leave(iterating{newLinear(&u.g, &u.use, &u.inaccuracy)})
	return nil
}

// InStages is the method chosen without being told.
func InStages[W any](s *Solver[W]) error { return nil }

func Elimination[W any](s *Solver[W]) error {
	return s.Untyped.eliminating(func(e *elimination) closure { return e })
}

func Bounded[W any](s *Solver[W]) error {
	return s.Untyped.eliminating(func(e *elimination) closure { return cautious{e} })
}

func (s *solver) eliminating(how func(*elimination) closure) error {
	pl, err := s.g.plans.full(s.g.topology, s.g.interrupted)
	if err != nil {
		return err
	}
	s.leave(how(newElimination(&s.g, s.use.known(), pl, &s.inaccuracy)))
	return nil
}

// ErrOpen is wrapped by the error where iteration comes to no result.
var ErrOpen = errOpen
