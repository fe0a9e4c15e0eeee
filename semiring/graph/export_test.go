package graph

// iterating is a closure that iterates whatever the size of a component.
type iterating[W any] struct{ *linear[W] }

func (i iterating[W]) forward(x []W, lo, hi int) error {
	return i.iterate(x, lo, hi, i.g.topology.in(), efforts[1])
}

func (i iterating[W]) backward(x []W, lo, hi int) error {
	return i.iterate(x, lo, hi, i.g.topology.out(), efforts[1])
}

// checking is a closure that eliminates every component in float64 and checks that.
type checking[W any] struct{ *linear[W] }

func (c checking[W]) forward(x []W, lo, hi int) error {
	return c.solve(x, lo, hi, c.g.topology.in())
}

func (c checking[W]) backward(x []W, lo, hi int) error {
	return c.solve(x, lo, hi, c.g.topology.out())
}

func (c checking[W]) solve(x []W, lo, hi int, from reading) error {
	pl, err := c.g.topology.fullPlan()
	if err != nil {
		return err
	}
	return c.solveDirect(x, lo, hi, from, pl)
}

// Method makes a solver solve the equations of cyclic components in its way.
type Method[W any] func(s *solver[W]) error

// leave leaves all cyclic components to c.
func (s *solver[W]) leave(c closure[W]) {
	s.use.known()
	s.small, s.closure = nil, c
}

// Iteration, Direct and Elimination are methods for any component.
func Iteration[W any](s *solver[W]) error {
	s.leave(iterating[W]{newLinear(s.g, &s.products, massOf(s.g.ring), s.use)})
	return nil
}

func Direct[W any](s *solver[W]) error {
	s.leave(checking[W]{newLinear(s.g, &s.products, massOf(s.g.ring), s.use)})
	return nil
}

// InStages is the method chosen without being told.
func InStages[W any](s *solver[W]) error { return nil }

func Elimination[W any](s *solver[W]) error {
	pl, err := s.g.topology.fullPlan()
	if err != nil {
		return err
	}
	s.leave(newElimination(s.g, &s.products, s.use.known(), pl))
	return nil
}

// ForwardBy and BackwardBy are Forward and Backward by a given method.
func ForwardBy[W any](g *Graph[W], by Method[W]) ([]W, error) {
	return solveBy(g, by, g.Accessible, (*solver[W]).forward)
}

func BackwardBy[W any](g *Graph[W], by Method[W]) ([]W, error) {
	return solveBy(g, by, g.Coaccessible, (*solver[W]).backward)
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
