package graph

// iterating is a closure that iterates whatever the size of a component.
type iterating[W any] struct{ *linear[W] }

func (i iterating[W]) forward(x []W, lo, hi int) error {
	in := i.g.topology.incoming()
	return i.iterate(x, lo, hi, reading{in.row, in.from, in.arc}, efforts[1])
}

func (i iterating[W]) backward(x []W, lo, hi int) error {
	t := i.g.topology
	return i.iterate(x, lo, hi, reading{t.row, t.to, nil}, efforts[1])
}

// checking is a closure that eliminates every component in float64 and checks that.
type checking[W any] struct{ *linear[W] }

func (c checking[W]) forward(x []W, lo, hi int) error {
	in := c.g.topology.incoming()
	return c.solve(x, lo, hi, reading{in.row, in.from, in.arc})
}

func (c checking[W]) backward(x []W, lo, hi int) error {
	t := c.g.topology
	return c.solve(x, lo, hi, reading{t.row, t.to, nil})
}

func (c checking[W]) solve(x []W, lo, hi int, from reading) error {
	pl, err := c.g.topology.fullPlan()
	if err != nil {
		return err
	}
	return c.solveDirect(x, lo, hi, from, pl)
}

// Method is a way of solving the equations of cyclic components.
type Method[W any] func(s *solver[W]) (closure[W], error)

// Iteration, Direct and Elimination are methods for any component.
func Iteration[W any](s *solver[W]) (closure[W], error) {
	return iterating[W]{newLinear(s.g, &s.products, s.use)}, nil
}

func Direct[W any](s *solver[W]) (closure[W], error) {
	return checking[W]{newLinear(s.g, &s.products, s.use)}, nil
}

// InStages is the method chosen without being told.
func InStages[W any](s *solver[W]) (closure[W], error) { return s.closure, nil }

func Elimination[W any](s *solver[W]) (closure[W], error) {
	pl, err := s.g.topology.fullPlan()
	if err != nil {
		return nil, err
	}
	return newElimination(s.g, &s.products, s.use, pl), nil
}

// ForwardBy and BackwardBy are Forward and Backward by a given method.
func ForwardBy[W any](g *Graph[W], by Method[W]) ([]W, error) {
	return solveBy(g, by, g.Accessible(), (*solver[W]).forward)
}

func BackwardBy[W any](g *Graph[W], by Method[W]) ([]W, error) {
	return solveBy(g, by, g.Coaccessible(), (*solver[W]).backward)
}

func solveBy[W any](g *Graph[W], by Method[W], use []bool, run func(*solver[W]) ([]W, error)) ([]W, error) {
	s, err := newSolver(g, use)
	if err != nil {
		return nil, err
	}
	if s.closure != nil {
		if s.closure, err = by(s); err != nil {
			return nil, err
		}
	}
	return run(s)
}

// ErrOpen is wrapped by the error where iteration comes to no result.
var ErrOpen = errOpen
