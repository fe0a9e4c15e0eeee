package graph

import (
	"errors"
	"math"

	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// iterating is a closure that iterates whatever the size of a component.
type iterating[W any] struct{ *linear[W] }

func (i iterating[W]) forward(x []W, lo, hi int) error {
	return i.solve(x, lo, hi, i.g.topology.In())
}

func (i iterating[W]) backward(x []W, lo, hi int) error {
	return i.solve(x, lo, hi, i.g.topology.Out())
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
type Method[W any] func(s *solver[W]) error

// leave leaves all cyclic components to c, be it as inaccurate as it may.
func (s *solver[W]) leave(c closure[W]) {
	s.inaccuracy.tolerance = math.Inf(1)
	s.use.known()
	s.small, s.closure = nil, c
}

// Iteration, Elimination and Bounded are methods for any component; Bounded is
// elimination that subtracts.
func Iteration[W any](s *solver[W]) error {
	s.leave(iterating[W]{newLinear(s.g, &s.products, weights.MassOf(s.g.ring), s.use, &s.inaccuracy)})
	return nil
}

// InStages is the method chosen without being told.
func InStages[W any](s *solver[W]) error { return nil }

func Elimination[W any](s *solver[W]) error {
	return s.eliminating(func(e *elimination[W]) closure[W] { return e })
}

func Bounded[W any](s *solver[W]) error {
	return s.eliminating(func(e *elimination[W]) closure[W] { return cautious[W]{e} })
}

func (s *solver[W]) eliminating(how func(*elimination[W]) closure[W]) error {
	pl, err := s.g.topology.plans.full(&s.g.topology.Topology, s.g.interrupted)
	if err != nil {
		return err
	}
	s.leave(how(newElimination(s.g, &s.products, s.use.known(), pl, &s.inaccuracy)))
	return nil
}

// ForwardBy and BackwardBy are Forward and Backward by a given method.
func ForwardBy[W any](g *Graph[W], by Method[W]) ([]W, error) {
	return solveBy(g, by, g.Accessible, (*solver[W]).forward)
}

func BackwardBy[W any](g *Graph[W], by Method[W]) ([]W, error) {
	return solveBy(g, by, g.Coaccessible, (*solver[W]).backward)
}

// BackwardBound is BackwardBy with the bound on its error.
func BackwardBound[W any](g *Graph[W], by Method[W]) (beta []W, bound float64, err error) {
	beta, err = solveBy(g, by, g.Coaccessible, func(s *solver[W]) ([]W, error) {
		beta, err := s.backward()
		bound = s.inaccuracy.sum
		return beta, err
	})
	return beta, bound, err
}

func solveBy[W any](g *Graph[W], by Method[W], use func() []bool, run func(*solver[W]) ([]W, error)) ([]W, error) {
	s, err := newSolver(g, use)
	if err != nil {
		return nil, err
	}
	if s.closure != nil {
		if err := by(s); err != nil {
			return nil, err
		}
	}
	return run(s)
}

// ErrOpen is wrapped by the error where iteration comes to no result.
var ErrOpen = errOpen
