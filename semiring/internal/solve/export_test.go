package solve

import (
	"errors"

	"example.org/pathsum/semiring/internal/rows"
)

// iterating is a closure that iterates regardless of the size of a component.
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
type cautious struct{ *numberElimination }

func (c cautious) forward(lo, hi int) error {
	return errors.Join(c.factorBounded(lo, hi), c.numberElimination.forward(lo, hi))
}

func (c cautious) backward(lo, hi int) error {
	return errors.Join(c.factorBounded(lo, hi), c.numberElimination.backward(lo, hi))
}

func (c cautious) factorBounded(lo, hi int) error {
	_, err := c.factorMasses(lo, hi)
	c.done[lo] = true
	return err
}

// Method makes a solver use one method for cyclic components, in a ring of numbers.
type Method[W any] func(s *Solver[W]) error

// leave makes c the closure of all cyclic components, at any accuracy.
func (p *problem) leave(c closure) {
	p.Tolerate()
	p.use.known()
	p.dense, p.closure = nil, c
}

// InStages is the default choice of methods.
func InStages[W any](s *Solver[W]) error { return nil }

// Iteration, Elimination and Bounded are methods for any component; Bounded is
// elimination that subtracts.
func Iteration[W any](s *Solver[W]) error {
	p := s.Untyped
	p.leave(iterating{newLinear(p, p.numbers)})
	return nil
}

func Elimination[W any](s *Solver[W]) error {
	return s.Untyped.eliminating(func(e *numberElimination) closure { return e })
}

func Bounded[W any](s *Solver[W]) error {
	return s.Untyped.eliminating(func(e *numberElimination) closure { return cautious{e} })
}

func (p *problem) eliminating(how func(*numberElimination) closure) error {
	pl, err := p.plans.full(p.topology, p.interrupted)
	if err != nil {
		return err
	}
	p.leave(how(newNumberElimination(p, p.numbers, pl)))
	return nil
}

// ErrOpen is wrapped by the error if iteration has no result.
var ErrOpen = errOpen
