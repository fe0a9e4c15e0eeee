package graph

import (
	"fmt"
	"slices"

	"example.org/pathsum/semiring"
)

// solver computes forward and backward weights of one graph: passes over the
// components in topological order, and a closure inside those that contain a cycle.
type solver[W any] struct {
	g          *Graph[W]
	products   products[W]
	components *components
	closure    closure[W] // nil if the graph is acyclic
	use        []bool     // states to look at; nil: all
	sums       []W        // scratch of component
	buffer     []W        // empty; storage for β
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

// newSolver returns a solver that takes only states in use for existent, all of
// them if use is nil. use must not cut a path in two: a path between states in
// use runs through states in use.
func newSolver[W any](g *Graph[W], use []bool) (*solver[W], error) {
	if !slices.Contains(use, false) {
		use = nil
	}
	s := &solver[W]{
		g:          g,
		products:   newProducts(g.ring),
		components: g.topology.components(),
		use:        use,
	}
	if !s.components.cyclic() {
		return s, nil
	}
	if order, ok := semiring.As[semiring.Ordered[W]](g.ring); ok {
		s.closure = newLabeling(g, order, use)
		return s, nil
	}
	if r := newRelaxation(g, &s.products, use); r != nil {
		s.closure = r
		return s, nil
	}
	if l := newLinear(g, &s.products, use); l != nil {
		s.closure = l
		return s, nil
	}
	pl, err := g.topology.fullPlan()
	if err != nil {
		return nil, err
	}
	s.closure = newElimination(g, &s.products, use, pl)
	return s, nil
}

// skips reports whether state s is not in use.
func (s *solver[W]) skips(state int32) bool { return s.use != nil && !s.use[state] }

// backward returns β: per state, the sum over paths from it to a final state,
// final weights included.
func (s *solver[W]) backward() ([]W, error) {
	g := s.g
	if err := semiring.RequireSide(g.ring, semiring.LeftSide); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	row, to := g.Row(), g.To()
	if sweeper := s.products.sweeper; s.closure == nil && sweeper != nil {
		beta := append(s.buffer, g.final...)
		sweeper.Sweep(beta, g.topology.reverseOrder(), row, g.weight, to)
		return beta, nil
	}
	beta := make([]W, g.NumStates())
	_, left := s.crossing()
	exit := func(state int32, dst *W) {
		lo, hi := row[state], row[state+1]
		if left != nil && !left[state] {
			lo = hi
		}
		s.products.before(dst, g.weight[lo:hi], nil, beta, to[lo:hi])
		if f := g.final[state]; !g.ring.IsZero(f) {
			*dst = g.ring.Plus(*dst, f)
		}
	}
	if s.closure == nil {
		for p := len(beta) - 1; p >= 0; p-- {
			state := s.components.state(p)
			exit(state, &beta[state])
		}
		return beta, nil
	}
	s.clear(beta)
	for c := s.components.len() - 1; c >= 0; c-- {
		if err := s.component(c, beta, exit, s.closure.backward); err != nil {
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
	if sweeper := s.products.sweeper; s.closure == nil && sweeper != nil {
		alpha := g.startWeights()
		sweeper.Spread(alpha, s.components.states, g.Row(), g.weight, g.To())
		return alpha, nil
	}
	in := g.topology.incoming()
	alpha := make([]W, g.NumStates())
	starts := newStartIndex(g)
	entered, _ := s.crossing()
	entry := func(state int32, dst *W) {
		lo, hi := in.row[state], in.row[state+1]
		if entered != nil && !entered[state] {
			lo = hi
		}
		s.products.after(dst, g.weight, in.arc[lo:hi], alpha, in.from[lo:hi])
		for i := starts.first[state]; i != 0; i = starts.next[i-1] {
			*dst = g.ring.Plus(*dst, g.starts[i-1].Weight)
		}
	}
	if s.closure == nil {
		for p := range alpha {
			state := s.components.state(p)
			entry(state, &alpha[state])
		}
		return alpha, nil
	}
	s.clear(alpha)
	for c := range s.components.len() {
		if err := s.component(c, alpha, entry, s.closure.forward); err != nil {
			return nil, err
		}
	}
	return alpha, nil
}

// crossing is that of the topology, nil if the graph is acyclic: all arcs cross.
func (s *solver[W]) crossing() (entered, left []bool) {
	if s.closure == nil {
		return nil, nil
	}
	return s.g.topology.crossing()
}

// clear makes all of x Zero.
func (s *solver[W]) clear(x []W) {
	zero := s.g.ring.Zero()
	for i := range x {
		x[i] = zero
	}
}

// component computes x for component c, whose x is Zero. outside sets *dst to
// what a state gets from other components.
func (s *solver[W]) component(c int, x []W, outside func(state int32, dst *W), inside func(x []W, lo, hi int) error) error {
	lo, hi := s.components.bounds(c)
	if !s.components.loop[c] {
		if state := s.components.state(lo); !s.skips(state) {
			x[state] = *new(W) // Zero may share storage
			outside(state, &x[state])
		}
		return nil
	}
	// As long as x is Zero inside, arcs inside contribute nothing.
	s.sums = resized(s.sums, hi-lo)
	sums, any := s.sums, false
	clear(sums) // their storage is now x's
	for p := range sums {
		state := s.components.state(lo + p)
		if s.skips(state) {
			sums[p] = x[state]
			continue
		}
		outside(state, &sums[p])
		any = any || !s.g.ring.IsZero(sums[p])
	}
	if !any {
		return nil
	}
	for p, sum := range sums {
		x[s.components.state(lo+p)] = sum
	}
	return inside(x, lo, hi)
}

// startWeights returns, per state, the sum of its start weights.
func (g *Graph[W]) startWeights() []W {
	lambda := slices.Repeat([]W{g.ring.Zero()}, g.NumStates())
	for _, start := range g.starts {
		lambda[start.State] = g.ring.Plus(lambda[start.State], start.Weight)
	}
	return lambda
}

// startIndex lists the start entries of every state: first[s], next[first[s]−1],
// … until 0 are their numbers plus one.
type startIndex struct{ first, next []int32 }

func newStartIndex[W any](g *Graph[W]) startIndex {
	x := startIndex{make([]int32, g.NumStates()), make([]int32, len(g.starts))}
	for i := len(g.starts) - 1; i >= 0; i-- {
		s := g.starts[i].State
		x.next[i], x.first[s] = x.first[s], int32(i+1)
	}
	return x
}

// diverges returns the error for the component of c at positions lo … hi−1 in
// which a cycle through state has no value, with what is known about why.
func diverges(state int32, lo, hi int, why string) error {
	return fmt.Errorf("graph: %w: the cycles through state %d, in a component of %d states, have no sum: %s",
		ErrDiverges, state, hi-lo, why)
}
