package graph

import (
	"fmt"

	"example.org/pathsum/semiring"
)

// solver computes forward and backward weights of one graph: pull passes over
// the components in topological order, and a closure inside those that contain a
// cycle.
type solver[W any] struct {
	g          *Graph[W]
	products   products[W]
	components *components
	closure    closure[W] // nil if the graph is acyclic
	use        []bool     // states to look at; nil: all
	sums       []W        // scratch of component
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
	var err error
	s.closure, err = newElimination(g, &s.products, use)
	return s, err
}

// skips reports whether state s is not in use.
func (s *solver[W]) skips(state int32) bool { return s.use != nil && !s.use[state] }

// backward returns β: per state, the sum over paths from it to a final state,
// final weights included.
func (s *solver[W]) backward() ([]W, error) {
	g := s.g
	row, to := g.Row(), g.To()
	beta := make([]W, g.NumStates())
	exit := func(state int32, dst *W) {
		lo, hi := row[state], row[state+1]
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
	in := g.topology.incoming()
	alpha := make([]W, g.NumStates())
	starts := newStartIndex(g)
	entry := func(state int32, dst *W) {
		lo, hi := in.row[state], in.row[state+1]
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

// clear makes all of x Zero.
func (s *solver[W]) clear(x []W) {
	for i := range x {
		x[i] = s.g.ring.Zero()
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
// which a cycle through state has no value.
func diverges(state int32, lo, hi int) error {
	return fmt.Errorf("graph: %w: the cycles through state %d, in a component of %d states, have no sum",
		ErrDiverges, state, hi-lo)
}
