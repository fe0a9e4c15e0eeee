// Package solve sums over the paths inside strongly connected components.
//
// Package graph takes the components of a graph in topological order and leaves those that
// contain a cycle to a Solver. The ring decides how that sums: New picks one of the
// closures below, and the caller never knows which.
package solve

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// Graph is a graph as a Solver sees it: without starts and final weights.
type Graph[W any] struct {
	*weights.Products[W] // of the ring of its weights
	Topology             *rows.Topology
	Plans                *Plans // of Topology
	Weight               []W    // per arc
	Interrupted          func() error
}

// NumStates returns the number of states.
func (g *Graph[W]) NumStates() int { return g.Topology.NumStates() }

// Solver computes forward and backward weights in the components of one graph, cyclic or
// not. It belongs to one goroutine.
type Solver[W any] struct {
	g          Graph[W]
	components *rows.Components
	closure    closure[W]
	small      *small[W] // what is tried before closure; nil but in rings of numbers
	use        *usage    // known at once but in rings of numbers
	in, out    crossing  // of α and β
	sums       []W       // scratch of component
	inaccuracy inaccuracy
}

// closure sums the paths inside a cyclic component, the one at positions lo … hi−1 of
// the components. x holds, per state, the sum over paths that reach it (forward) or leave
// it (backward) by arcs of other components, starts and final weights included. It is
// replaced by the sum over all paths.
type closure[W any] interface {
	forward(x []W, lo, hi int) error
	backward(x []W, lo, hi int) error
}

// crossing is what a sum over components in one direction needs.
type crossing struct {
	from    rows.Adjacency
	crossed []bool // states that arcs from components before lead to; nil: not needed yet
}

// New returns a solver of a graph, which has a cycle. It ignores all states but those that use
// returns; a nil use stands for all states. They must not cut a path in two: a path
// between states in use runs through states in use.
//
// The error wraps semiring.ErrLimit if a component fills up in elimination and the ring
// offers nothing else, or comes from Graph.Interrupted.
func New[W any](graph Graph[W], use func() []bool) (*Solver[W], error) {
	s := &Solver[W]{
		g:          graph,
		components: graph.Topology.Components(),
		use:        &usage{find: use},
		inaccuracy: inaccuracy{tolerance: maxInaccuracy},
	}
	g := &s.g
	if m := weights.MassOf(g.Ring); m != nil && m.Weight != nil {
		l := newLinear(g, m, s.use, &s.inaccuracy)
		s.closure, s.small = l, &l.small
		return s, nil
	}
	known := s.use.known()
	if order, ok := semiring.As[semiring.Ordered[W]](g.Ring); ok {
		s.closure = newLabeling(g, order, known)
		return s, nil
	}
	if r := newRelaxation(g, known, &s.inaccuracy); r != nil {
		s.closure = r
		return s, nil
	}
	pl, err := g.Plans.full(g.Topology, g.Interrupted)
	if err != nil {
		return nil, err
	}
	s.closure = newElimination(g, known, pl, &s.inaccuracy)
	return s, nil
}

// Forward replaces x in component c, where it holds start weights, by α. It must be α in
// the components before. The error wraps semiring.ErrDiverges, semiring.ErrInaccurate,
// semiring.ErrNotFinite, semiring.ErrLimit or semiring.ErrCapability, or comes from
// Graph.Interrupted.
func (s *Solver[W]) Forward(x []W, c int) error {
	if s.in.crossed == nil {
		s.in.from = s.g.Topology.In()
		s.in.crossed, _ = s.g.Topology.Crossing()
	}
	return s.component(c, x, &s.in)
}

// Backward replaces x in component c, where it holds final weights, by β. It must be β in
// the components after. Errors are as for Forward.
func (s *Solver[W]) Backward(x []W, c int) error {
	if s.out.crossed == nil {
		s.out.from = s.g.Topology.Out()
		_, s.out.crossed = s.g.Topology.Crossing()
	}
	return s.component(c, x, &s.out)
}

// ForwardInside replaces x in the cyclic component c, the sums over paths that enter it, by
// the sums over these and what follows inside. Errors are as for Forward.
func (s *Solver[W]) ForwardInside(x []W, c int) error {
	lo, hi := s.components.Bounds(c)
	return s.closure.forward(x, lo, hi)
}

// BackwardInside is ForwardInside for paths that leave the component.
func (s *Solver[W]) BackwardInside(x []W, c int) error {
	lo, hi := s.components.Bounds(c)
	return s.closure.backward(x, lo, hi)
}

// Skips reports whether state s is known not to be in use.
func (s *Solver[W]) Skips(state int32) bool { return s.use.skips(state) }

// InnerArcs returns, per state, the arc by which the best path found by Backward goes on
// inside the component of the state; −1: it leaves the component or ends. It returns nil
// unless the ring is semiring.Ordered.
func (s *Solver[W]) InnerArcs() []int32 {
	if l, ok := s.closure.(*labeling[W]); ok {
		return l.arc
	}
	return nil
}

// component computes x for component c from x in the components before it.
func (s *Solver[W]) component(c int, x []W, by *crossing) error {
	lo, hi := s.components.Bounds(c)
	if !s.components.Loop[c] {
		s.single(x, s.components.State(lo), by.from)
		return nil
	}
	if s.small != nil && s.small.pull(x, lo, hi, by.from) {
		return nil
	}
	// As long as x is Zero inside, arcs inside contribute nothing.
	states, zero := s.components.States[lo:hi], s.g.Ring.Zero()
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
		case by.crossed[state]:
			s.g.Pull(&sums[p], s.g.Weight, x, state, by.from)
		}
		used = true
		any = any || !s.g.Ring.IsZero(sums[p])
	}
	if !used {
		return nil
	}
	for p, state := range states {
		x[state] = sums[p]
		if !any && !s.use.skips(state) {
			x[state] = s.g.Ring.One()
		}
	}
	var err error
	if by.from.IsOut() {
		err = s.closure.backward(x, lo, hi)
	} else {
		err = s.closure.forward(x, lo, hi)
	}
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
func (s *Solver[W]) single(x []W, state int32, from rows.Adjacency) {
	if s.use.skips(state) {
		return
	}
	s.g.Pull(&x[state], s.g.Weight, x, state, from)
	// Infinite weights times Zero are no reason to make a state count.
	if s.use.find != nil && !s.small.mass.Of(x[state]).IsFinite() {
		if s.use.known(); s.use.skips(state) {
			x[state] = s.g.Ring.Zero()
		}
	}
}

// diverges returns the error for the component at positions lo … hi−1 in which a cycle
// through state has no value, with what is known about why.
func diverges(state int32, lo, hi int, why string) error {
	return fmt.Errorf("graph: %w: the cycles through state %d, in a component of %d states, have no sum: %s",
		semiring.ErrDiverges, state, hi-lo, why)
}
