package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/solve"
	"example.org/pathsum/semiring/internal/weights"
)

// solver computes forward and backward weights of one graph: one pass over the states in
// topological order, or over the components if there are cycles.
type solver[W any] struct {
	g          *Graph[W]
	products   weights.Products[W]
	components *rows.Components
	cyclic     *solve.Solver[W] // for graphs with cycles; nil: there is none
	buffer     []W              // empty; storage for β
}

// newSolver returns a solver that ignores all states but those that use returns; a nil use
// stands for all states. They must not cut a path in two: a path between states in use
// runs through states in use.
func newSolver[W any](g *Graph[W], use func() []bool) (*solver[W], error) {
	s := &solver[W]{
		g:          g,
		products:   weights.NewProducts(g.ring),
		components: g.topology.Components(),
	}
	if !s.components.Cyclic() {
		return s, nil
	}
	var err error
	s.cyclic, err = solve.New(&solve.Graph[W]{
		Products: &s.products, Topology: &g.topology.Topology, Plans: &g.topology.plans,
		Weight: g.weight, Interrupted: g.interrupted,
	}, use)
	return s, err
}

// backward returns β: per state, the sum over paths from it to a final state,
// final weights included.
func (s *solver[W]) backward() ([]W, error) {
	g := s.g
	if err := semiring.RequireSide(g.ring, semiring.LeftSide); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	beta := append(s.buffer, g.final...)
	if s.cyclic != nil {
		for c := s.components.Len() - 1; c >= 0; c-- {
			if err := s.cyclic.Backward(beta, c); err != nil {
				return nil, err
			}
		}
		return beta, nil
	}
	if sweeper := s.products.Sweeper; sweeper != nil {
		sweeper.Sweep(beta, g.topology.ReverseOrder(), g.Row(), g.weight, g.To())
		return beta, nil
	}
	from := g.topology.Out()
	for p := len(beta) - 1; p >= 0; p-- {
		state := s.components.State(p)
		s.products.Pull(&beta[state], g.weight, beta, state, from)
	}
	return beta, nil
}

// forward returns α: per state, the sum over paths from a start to it, start
// weights included.
func (s *solver[W]) forward() ([]W, error) {
	g := s.g
	if err := semiring.RequireSide(g.ring, semiring.RightSide); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	alpha := g.startWeights()
	if sweeper := s.products.Sweeper; s.cyclic == nil && sweeper != nil {
		sweeper.Spread(alpha, s.components.States, g.Row(), g.weight, g.To())
		return alpha, nil
	}
	if err := s.onward(alpha, 0); err != nil {
		return nil, err
	}
	return alpha, nil
}

// onward replaces x by α from component c on, where it holds start weights.
func (s *solver[W]) onward(x []W, c int) error {
	if s.cyclic != nil {
		for ; c < s.components.Len(); c++ {
			if err := s.cyclic.Forward(x, c); err != nil {
				return err
			}
		}
		return nil
	}
	in := s.g.topology.In()
	for ; c < s.components.Len(); c++ {
		state := s.components.State(c)
		s.products.Pull(&x[state], s.g.weight, x, state, in)
	}
	return nil
}

// loop reports whether component c contains a cycle.
func (s *solver[W]) loop(c int) bool { return s.cyclic != nil && s.components.Loop[c] }
