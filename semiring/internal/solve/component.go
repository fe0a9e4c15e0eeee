package solve

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// problem is a Graph as the algorithms see it: without the type of its weights.
type problem struct {
	places
	topology    *rows.Topology
	plans       *Plans
	interrupted func() error

	adds    bool // it is a ring of probabilities that adds (see weights.MassOf)
	numeric bool // its weights are nothing but a mass
	exact   bool // number rounds nothing
}

// solver is a Solver without the type of its weights.
type solver struct {
	g          problem
	components *rows.Components
	closure    closure
	small      *small   // what is tried before closure; nil but in rings of numbers
	use        usage    // known at once but in rings of numbers
	in, out    crossing // of α and β
	came       room     // for component
	inaccuracy inaccuracy
}

// closure sums the paths inside a cyclic component, the one at positions lo … hi−1 of
// the components. The table sums holds, per state, the sum over paths that reach it
// (forward) or leave it (backward) by arcs of other components, starts and final weights
// included. It is replaced by the sum over all paths.
type closure interface {
	forward(lo, hi int) error
	backward(lo, hi int) error
}

// crossing is what a sum over components in one direction needs.
type crossing struct {
	from    rows.Adjacency
	crossed []bool // states that arcs from components before lead to; nil: not needed yet
}

// start makes s ready for a graph (see New).
func (s *solver) start(g problem, use func() []bool) error {
	s.g, s.components = g, g.topology.Components()
	s.use.find, s.inaccuracy.tolerance = use, maxInaccuracy
	if g.numeric {
		l := newLinear(&s.g, &s.use, &s.inaccuracy)
		s.closure, s.small = l, &l.small
		return nil
	}
	known := s.use.known()
	if g.isOrdered() {
		s.closure = newLabeling(&s.g, known)
		return nil
	}
	if r := newRelaxation(&s.g, known, &s.inaccuracy); r != nil {
		s.closure = r
		return nil
	}
	pl, err := g.plans.full(g.topology, g.interrupted)
	if err != nil {
		return err
	}
	s.closure = newElimination(&s.g, known, pl, &s.inaccuracy)
	return nil
}

// forward is Forward for the table sums.
func (s *solver) forward(c int) error {
	if s.in.crossed == nil {
		s.in.from = s.g.topology.In()
		s.in.crossed, _ = s.g.topology.Crossing()
	}
	return s.component(c, &s.in)
}

// backward is Backward for the table sums.
func (s *solver) backward(c int) error {
	if s.out.crossed == nil {
		s.out.from = s.g.topology.Out()
		_, s.out.crossed = s.g.topology.Crossing()
	}
	return s.component(c, &s.out)
}

// forwardInside is ForwardInside for the table sums.
func (s *solver) forwardInside(c int) error { return s.closure.forward(s.components.Bounds(c)) }

// backwardInside is BackwardInside for the table sums.
func (s *solver) backwardInside(c int) error { return s.closure.backward(s.components.Bounds(c)) }

// Skips reports whether state s is known not to be in use.
func (s *solver) Skips(state int32) bool { return s.use.skips(state) }

// InnerArcs returns, per state, the arc by which the best path found by Backward goes on
// inside the component of the state; −1: it leaves the component or ends. It returns nil
// unless the ring is semiring.Ordered.
func (s *solver) InnerArcs() []int32 {
	if l, ok := s.closure.(*labeling); ok {
		return l.arc
	}
	return nil
}

// component computes the sums of component c from those of the components before it.
func (s *solver) component(c int, by *crossing) error {
	lo, hi := s.components.Bounds(c)
	if !s.components.Loop[c] {
		s.single(s.components.State(lo), &by.from)
		return nil
	}
	if s.small != nil && s.small.pull(lo, hi, by.from) {
		return nil
	}
	// As long as sums are Zero inside, arcs inside contribute nothing.
	states, g := s.components.States[lo:hi], &s.g
	s.use.known()
	room, any, used := s.came.of(g, hi-lo), false, false
	g.move(room, 0, sums, states)
	for p, state := range states {
		came := place{room, int32(p)}
		switch {
		case s.use.skips(state):
			g.set(came, zero)
			continue
		case by.crossed[state]:
			g.pull(came, state, &by.from)
		}
		used = true
		any = any || !g.isZero(came)
	}
	if !used {
		return nil
	}
	g.restore(states, room)
	if !any {
		for _, state := range states {
			if !s.use.skips(state) {
				g.set(sumOf(state), one)
			}
		}
	}
	var err error
	if by.from.IsOut() {
		err = s.closure.backward(lo, hi)
	} else {
		err = s.closure.forward(lo, hi)
	}
	if !any {
		// All that came in was rounded to Zero or cancelled. The cycles are on paths
		// all the same, and must have a sum.
		for _, state := range states {
			g.set(sumOf(state), zero)
		}
	}
	return err
}

// single is component for a state on no cycle.
func (s *solver) single(state int32, from *rows.Adjacency) {
	if s.use.skips(state) {
		return
	}
	s.g.pull(sumOf(state), state, from)
	// Infinite weights times Zero are no reason to make a state count.
	if s.use.find != nil && !s.g.number(sumOf(state)).IsFinite() {
		if s.use.known(); s.use.skips(state) {
			s.g.set(sumOf(state), zero)
		}
	}
}

// room is a table that grows.
type room struct {
	table table
	size  int
}

// of returns a table of g with room for n weights.
func (r *room) of(g *problem, n int) table {
	if r.size < n {
		r.size = n + n/4
		r.table = g.newTable(r.size)
	}
	return r.table
}

// diverges returns the error for the component at positions lo … hi−1 in which a cycle
// through state has no value, with what is known about why.
func diverges(state int32, lo, hi int, why string) error {
	cycles := fmt.Sprintf("the cycles through state %d", state)
	if hi-lo > 1 {
		cycles += fmt.Sprintf(", in a component of %d states,", hi-lo)
	}
	return fmt.Errorf("graph: %w: %s have no sum: %s", semiring.ErrDiverges, cycles, why)
}
