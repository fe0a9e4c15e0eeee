package solve

import (
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/semiring"
)

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
	return fmt.Errorf("graph: %w: sums over the cycles through state %d, in a component of %d states, may be off by %.2g of their value, and all by %.2g; %.0g is accepted",
		semiring.ErrInaccurate, state, hi-lo, bound, a.sum, a.tolerance)
}

// ErrorBound returns a bound on the relative error that cancellation has brought into the
// components solved so far, added up.
func (s *solver) ErrorBound() float64 { return s.inaccuracy.sum }

// Tolerate makes s return sums however inaccurate they are.
func (s *solver) Tolerate() { s.inaccuracy.tolerance = math.Inf(1) }

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
