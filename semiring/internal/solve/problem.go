package solve

import (
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// problem is what the algorithms know of a graph and its ring whatever the type of weights is,
// and what callers may ask once it is solved.
type problem struct {
	topology    *rows.Topology
	components  *rows.Components
	plans       *Plans
	interrupted func() error
	use         usage // known at once but in rings of numbers
	inaccuracy  inaccuracy
	exact       bool // its weights are numbers and were not rounded from logarithms

	closure closure      // for cyclic components
	dense   *denseSolver // is tried before; nil but in rings of numbers
	numbers numbers      // nil but in rings of numbers

	ends       [2]ends       // of arcs that α and β come by
	directions [2]*direction // of α and β inside components; nil: not needed yet
	inner      []int32       // see InnerArcs
}

// closure sums the paths inside a cyclic component, the one at positions lo … hi−1 of
// the components. The sums x of the engine hold, per state, the sum over paths that reach it
// (forward) or leave it (backward) by arcs of other components, starts and final weights
// included. It is replaced by the sum over all paths.
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

// ends are where sums in one direction come from.
type ends struct {
	from    rows.Adjacency
	crossed []bool // states that arcs from components before lead to; nil: not needed yet
}

func newProblem(t *rows.Topology, plans *Plans, interrupted func() error, use func() []bool) problem {
	return problem{
		topology: t, components: t.Components(), plans: plans, interrupted: interrupted,
		use: usage{find: use}, inaccuracy: inaccuracy{tolerance: maxInaccuracy},
	}
}

// endsOf returns where backward or forward sums come from.
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

// InnerArcs returns, per state, the arc by which the best path found by Backward goes on
// inside the component of the state; −1: it leaves the component or ends. It returns nil
// unless the ring is semiring.Ordered.
func (p *problem) InnerArcs() []int32 { return p.inner }

// ErrorBound returns a bound on the relative error that cancellation has brought into the
// components solved so far, added up.
func (p *problem) ErrorBound() float64 { return p.inaccuracy.sum }

// Tolerate makes p return sums however inaccurate they are.
func (p *problem) Tolerate() { p.inaccuracy.tolerance = math.Inf(1) }

// usage tells which states are in use: those on the paths that matter. Finding them
// takes a walk through the graph, which the sums of most graphs do without: states that
// others do not reach get Zero from them anyway, and harm is done only by cycles without
// a sum and by infinite weights.
type usage struct {
	find func() []bool // nil: it is known
	use  []bool        // what is known; nil: all are in use
}

// known finds what is in use unless that is known, and returns it; nil: all states.
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

// inaccuracy adds up what cancellation in cyclic components may have done to the sums
// of a graph, in proportion to them.
type inaccuracy struct {
	sum       float64
	tolerance float64 // of sum
}

const (
	// maxInaccuracy is what sums may be off by.
	maxInaccuracy = 1e-9
	// negligible is the bound up to which a component counts as accurate as any sum
	// of many terms.
	negligible = 0x1p-43
)

// add takes the bound of the component of state at positions lo … hi−1. The error wraps
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

// workload says when to look whether a loop is interrupted: after many steps, beside which
// looking takes no time.
type workload struct {
	interrupted func() error
	steps       int
}

const manySteps = 1 << 20

// done counts steps that were made, and returns an error if that was an occasion to
// look and the loop is interrupted.
func (w *workload) done(steps int) error {
	if w.steps += steps; w.steps < manySteps {
		return nil
	}
	w.steps = 0
	return w.interrupted()
}
