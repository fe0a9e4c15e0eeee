package solve

import (
	"errors"

	"example.org/pathsum/semiring/internal/rows"
)

// iterating is a closure that iterates whatever the size of a component.
type iterating struct{ *linear }

func (i iterating) forward(lo, hi int) error  { return i.solve(lo, hi, i.topology.In()) }
func (i iterating) backward(lo, hi int) error { return i.solve(lo, hi, i.topology.Out()) }

func (i iterating) solve(lo, hi int, from rows.Adjacency) error {
	y, err := i.iterate(lo, hi, from, efforts[1])
	if err != nil {
		return err
	}
	return i.take(lo, hi, y)
}

// cautious is a closure that eliminates every component with bounds on errors.
type cautious[W any] struct{ *elimination[W] }

func (c cautious[W]) forward(lo, hi int) error {
	return errors.Join(c.factorBounded(lo, hi), c.elimination.forward(lo, hi))
}

func (c cautious[W]) backward(lo, hi int) error {
	return errors.Join(c.factorBounded(lo, hi), c.elimination.backward(lo, hi))
}

func (c cautious[W]) factorBounded(lo, hi int) error {
	_, _, err := c.factorMass(lo, hi)
	c.done[lo] = true
	return err
}

// Method makes a solver solve the equations of cyclic components in its way. Its weights must be
// of a type that the algorithms are compiled for.
type Method[W any] func(s *Solver[W]) error

// leave leaves all cyclic components to c, be it as inaccurate as it may.
func (e *engine[W]) leave(c closure) {
	e.Tolerate()
	e.use.known()
	e.dense, e.closure = nil, c
}

// InStages is the method chosen without being told.
func InStages[W any](s *Solver[W]) error { return nil }

// Iteration, Elimination and Bounded are methods for any component; Bounded is
// elimination that subtracts.
func Iteration[W any](s *Solver[W]) error {
	e := s.sums.(*engine[W])
	e.leave(iterating{newLinear(&e.problem, newNumbered(e), nil)})
	return nil
}

func Elimination[W any](s *Solver[W]) error {
	return eliminating(s, func(e *elimination[W]) closure { return e })
}

func Bounded[W any](s *Solver[W]) error {
	return eliminating(s, func(e *elimination[W]) closure { return cautious[W]{e} })
}

func eliminating[W any](s *Solver[W], how func(*elimination[W]) closure) error {
	e := s.sums.(*engine[W])
	pl, err := e.plans.full(e.topology, e.interrupted)
	if err != nil {
		return err
	}
	e.leave(how(newElimination(e, pl)))
	return nil
}

// ErrOpen is wrapped by the error where iteration comes to no result.
var ErrOpen = errOpen
