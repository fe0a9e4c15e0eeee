package convex

import "fmt"

// Status says why a solver ended.
type Status int

const (
	// Converged: the gap between the bounds is small enough; of LowRank, the gradient
	// vanished.
	Converged Status = iota
	// IterationLimit: so many iterations were not enough. The bounds hold all the same.
	IterationLimit
	// Canceled: the context was done. The bounds hold all the same.
	Canceled
	// Degenerate: converged, and the optimum puts all rows of a hidden variable into one
	// class, as a large ridge does.
	Degenerate
	// Stationary: block-coordinate descent found no better relation for any of the
	// hidden variables that are parents of each other. There is no lower bound.
	Stationary
	// Stalled: LowRank found nothing lower along the direction of descent, and yet the
	// gradient is not small.
	Stalled
)

var statusNames = [...]string{"converged", "iteration limit", "canceled", "degenerate: one class", "stationary", "stalled"}

// String returns the name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}
