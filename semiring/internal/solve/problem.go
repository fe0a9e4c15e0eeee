package solve

import (
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// problem holds the data of a graph and its ring that does not depend on the type of weights, and
// results for callers.
type problem struct {
	topology    *rows.Topology
	components  *rows.Components
	plans       *Plans
	interrupted func() error
	use         usage // resolved at once except in rings of numbers
	inaccuracy  inaccuracy
	exact       bool // weights are numbers that were not rounded from logarithms

	closure closure      // for cyclic components
	dense   *denseSolver // is tried first; nil except in rings of numbers
	numbers numbers      // nil except in rings of numbers

	ends       [2]ends       // of arcs that contribute to α and β
	directions [2]*direction // of α and β inside components; nil: not needed yet
	inner      []int32       // see InnerArcs
}

// closure sums the paths inside the cyclic component at positions lo … hi−1 of the components.
// The sums x of the engine hold, per state, the sum over paths that reach it (forward) or leave
// it (backward) by arcs of other components, including starts and final weights. The closure
// replaces them by the sums over all paths.
type closure interface {
	forward(lo, hi int) error
	backward(lo, hi int) error
}

// close calls the closure for the component at positions lo … hi−1.
func (p *problem) close(lo, hi int, back bool) error {
	if back {
		return p.closure.backward(lo, hi)
	}
	return p.closure.forward(lo, hi)
}

// ends describes the sources of sums in one direction.
type ends struct {
	from    rows.Adjacency
	crossed []bool // states that arcs from earlier components lead to; nil: not needed yet
}

func newProblem(t *rows.Topology, plans *Plans, interrupted func() error, use func() []bool) problem {
	return problem{
		topology: t, components: t.Components(), plans: plans, interrupted: interrupted,
		use: usage{find: use}, inaccuracy: inaccuracy{tolerance: maxInaccuracy},
	}
}

// endsOf returns the sources of backward or forward sums.
func (p *problem) endsOf(back bool) *ends {
	e := &p.ends[0]
	if back {
		e = &p.ends[1]
	}
	if e.crossed == nil {
		entered, left := p.topology.Crossing()
		if back {
			e.from, e.crossed = p.topology.Out(), left
		} else {
			e.from, e.crossed = p.topology.In(), entered
		}
	}
	return e
}

// Skips reports whether state s is known not to be in use.
func (p *problem) Skips(s int32) bool { return p.use.skips(s) }

// InnerArcs returns, per state, the next arc inside the component of the state on the best path
// found by Backward; −1: the path leaves the component or ends. It returns nil unless the ring is
// semiring.Ordered.
func (p *problem) InnerArcs() []int32 { return p.inner }

// ErrorBound returns a bound on the relative error due to cancellation in the components solved
// so far: the sum of their bounds.
func (p *problem) ErrorBound() float64 { return p.inaccuracy.sum }

// Tolerate makes p return sums regardless of their accuracy.
func (p *problem) Tolerate() { p.inaccuracy.tolerance = math.Inf(1) }

// usage holds the states in use, which are on relevant paths. Finding them takes a traversal of
// the graph, which the sums of most graphs do not need: unreachable states get Zero anyway, and
// only cycles without a sum and infinite weights do harm.
type usage struct {
	find func() []bool // nil: use has been computed
	use  []bool        // nil: all states are in use
}

// known returns the states in use, which it computes on the first call; nil: all states.
func (u *usage) known() []bool {
	if u.find != nil {
		u.use, u.find = u.find(), nil
		if !slices.Contains(u.use, false) {
			u.use = nil
		}
	}
	return u.use
}

// skips reports whether state s is known not to be in use.
func (u *usage) skips(s int32) bool { return u.use != nil && !u.use[s] }

// inaccuracy adds up bounds on the relative errors of the sums of a graph that are due to
// cancellation in cyclic components.
type inaccuracy struct {
	sum       float64
	tolerance float64 // of sum
}

const (
	// maxInaccuracy is the greatest accepted relative error of a sum.
	maxInaccuracy = 1e-9
	// negligible is the bound up to which a component is considered as accurate as any sum of
	// many terms.
	negligible = 0x1p-43
)

// add adds the bound of the component of state at positions lo … hi−1. The error wraps
// semiring.ErrInaccurate.
func (a *inaccuracy) add(bound float64, state int32, lo, hi int) error {
	if bound > negligible {
		a.sum += bound
	}
	if a.sum <= a.tolerance {
		return nil
	}
	return nested.Errorf("graph: %w: sums over the cycles through state %d, in a component of %d states, may be off by %.2g of their value, and all by %.2g; %.0g is accepted",
		semiring.ErrInaccurate, state, hi-lo, bound, a.sum, a.tolerance)
}

// workload schedules checks for interruption in a loop: after many steps, so that a check takes
// negligible time.
type workload struct {
	interrupted func() error
	steps       int
}

const manySteps = 1 << 20

// done counts steps. After many steps it checks for interruption and returns the error.
func (w *workload) done(steps int) error {
	if w.steps += steps; w.steps < manySteps {
		return nil
	}
	w.steps = 0
	return w.interrupted()
}
