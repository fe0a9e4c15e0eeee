package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// solver computes forward and backward weights of one graph: passes over the
// components in topological order, and a closure inside those that contain a cycle.
type solver[W any] struct {
	g          *Graph[W]
	products   weights.Products[W]
	components *rows.Components
	closure    closure[W] // nil if the graph is acyclic
	small      *small[W]  // what is tried before closure; nil but in rings of numbers
	use        *usage     // known at once but in rings of numbers
	sums       []W        // scratch of component
	buffer     []W        // empty; storage for β
	inaccuracy inaccuracy
}

// closure sums the paths inside a cyclic component, the one at positions
// lo … hi−1 of the components. x holds, per state, the sum over paths that reach
// it (forward) or leave it (backward) by arcs of other components, starts and
// final weights included; it is replaced by the sum over all paths.
//
// How that is done is the closure's own business: another method of solving (an
// iterative one, say) is another closure.
type closure[W any] interface {
	forward(x []W, lo, hi int) error
	backward(x []W, lo, hi int) error
}

// newSolver returns a solver that takes only those states for existent that use returns,
// all of them if it is nil. They must not cut a path in two: a path between states in
// use runs through states in use.
func newSolver[W any](g *Graph[W], use func() []bool) (*solver[W], error) {
	s := &solver[W]{
		g:          g,
		products:   weights.NewProducts(g.ring),
		components: g.topology.Components(),
		use:        &usage{find: use},
		inaccuracy: inaccuracy{tolerance: maxInaccuracy},
	}
	if !s.components.Cyclic() {
		s.use.find = nil
		return s, nil
	}
	if m := weights.MassOf(g.ring); m != nil && m.Weight != nil {
		l := newLinear(g, &s.products, m, s.use, &s.inaccuracy)
		s.closure, s.small = l, &l.small
		return s, nil
	}
	known := s.use.known()
	if order, ok := semiring.As[semiring.Ordered[W]](g.ring); ok {
		s.closure = newLabeling(g, order, known)
		return s, nil
	}
	if r := newRelaxation(g, &s.products, known, &s.inaccuracy); r != nil {
		s.closure = r
		return s, nil
	}
	pl, err := g.topology.plans.full(&g.topology.Topology, g.interrupted)
	if err != nil {
		return nil, err
	}
	s.closure = newElimination(g, &s.products, known, pl, &s.inaccuracy)
	return s, nil
}

// backward returns β: per state, the sum over paths from it to a final state,
// final weights included.
func (s *solver[W]) backward() ([]W, error) {
	g := s.g
	if err := semiring.RequireSide(g.ring, semiring.LeftSide); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	beta, from := append(s.buffer, g.final...), g.topology.Out()
	if s.closure == nil {
		if sweeper := s.products.Sweeper; sweeper != nil {
			sweeper.Sweep(beta, g.topology.ReverseOrder(), g.Row(), g.weight, g.To())
			return beta, nil
		}
		for p := len(beta) - 1; p >= 0; p-- {
			state := s.components.State(p)
			s.products.Pull(&beta[state], g.weight, beta, state, from)
		}
		return beta, nil
	}
	_, left := g.topology.Crossing()
	for c := s.components.Len() - 1; c >= 0; c-- {
		if err := s.component(c, beta, from, left, s.closure.backward); err != nil {
			return nil, err
		}
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
	if sweeper := s.products.Sweeper; s.closure == nil && sweeper != nil {
		sweeper.Spread(alpha, s.components.States, g.Row(), g.weight, g.To())
		return alpha, nil
	}
	from := g.topology.In()
	if s.closure == nil {
		for p := range alpha {
			state := s.components.State(p)
			s.products.Pull(&alpha[state], g.weight, alpha, state, from)
		}
		return alpha, nil
	}
	entered, _ := g.topology.Crossing()
	for c := range s.components.Len() {
		if err := s.component(c, alpha, from, entered, s.closure.forward); err != nil {
			return nil, err
		}
	}
	return alpha, nil
}

// component computes x for component c, where it holds the start or final weights, from
// that of components before it. Arcs of other components lead to those states alone that
// are marked by crossed.
func (s *solver[W]) component(c int, x []W, from rows.Adjacency, crossed []bool, inside func(x []W, lo, hi int) error) error {
	lo, hi := s.components.Bounds(c)
	if !s.components.Loop[c] {
		s.single(x, s.components.State(lo), from)
		return nil
	}
	if s.small != nil && s.small.pull(x, lo, hi, from) {
		return nil
	}
	// As long as x is Zero inside, arcs inside contribute nothing.
	states, zero := s.components.States[lo:hi], s.g.ring.Zero()
	s.use.known()
	s.sums = rows.Resized(s.sums, hi-lo)
	sums, any, used := s.sums, false, false
	for p, state := range states {
		sums[p], x[state] = x[state], zero
	}
	for p, state := range states {
		switch {
		case s.use.skips(state):
			sums[p] = zero
			continue
		case crossed[state]:
			s.products.Pull(&sums[p], s.g.weight, x, state, from)
		}
		used = true
		any = any || !s.g.ring.IsZero(sums[p])
	}
	if !used {
		return nil
	}
	for p, state := range states {
		x[state] = sums[p]
		if !any && !s.use.skips(state) {
			x[state] = s.g.ring.One()
		}
	}
	err := inside(x, lo, hi)
	if !any {
		// All that came in was rounded to Zero or cancelled. The cycles are on paths
		// all the same, and must have a sum.
		for _, state := range states {
			x[state] = zero
		}
	}
	return err
}

// single is component for a state on no cycle.
func (s *solver[W]) single(x []W, state int32, from rows.Adjacency) {
	if s.use.skips(state) {
		return
	}
	s.products.Pull(&x[state], s.g.weight, x, state, from)
	// Infinite weights times Zero are no reason to make a state count.
	if s.use.find != nil && !s.small.mass.Of(x[state]).IsFinite() {
		if s.use.known(); s.use.skips(state) {
			x[state] = s.g.ring.Zero()
		}
	}
}

// diverges returns the error for the component of c at positions lo … hi−1 in
// which a cycle through state has no value, with what is known about why.
func diverges(state int32, lo, hi int, why string) error {
	return fmt.Errorf("graph: %w: the cycles through state %d, in a component of %d states, have no sum: %s",
		semiring.ErrDiverges, state, hi-lo, why)
}
