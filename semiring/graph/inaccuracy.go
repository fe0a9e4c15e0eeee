package graph

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
)

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

// ErrorBound returns a bound on the relative error that cancellation in cycles has
// brought into the PathSum of g. It holds for Forward, Backward and Posteriors, too, at
// states on paths from a start to a final state. These functions fail with
// semiring.ErrInaccurate where it exceeds 1e-9. ErrorBound returns it all the same; its
// errors and its cost are otherwise those of PathSum.
//
// It is 0 for acyclic graphs, and where nothing cancels: in components of non-negative
// weights in Real and Scaled that do not gain mass, however little they lose. Components
// that bring in less than 1e-13 are not counted. Nor is the rounding of a sum of
// non-negative terms: at most 2⁻⁵³ for each arc of a path and each term added to it. In
// Log the rounding of weights to numbers does count, as often as cycles repeat it. In
// rings without semiring.Prober nothing is known of errors, and 0 is returned.
func ErrorBound[W any](g *Graph[W]) (float64, error) {
	s, err := newSolver(g, g.useful)
	if err != nil {
		return 0, err
	}
	s.inaccuracy.tolerance = math.Inf(1)
	if _, err := s.backward(); err != nil {
		return 0, err
	}
	return s.inaccuracy.sum, nil
}
