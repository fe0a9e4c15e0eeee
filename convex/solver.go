package convex

import (
	"fmt"
	"time"
)

// Result is what Splitting.Solve returns.
type Result struct {
	Status Status
	// Lower and Upper bound the minimum of the relaxed problem, Constant included; Upper
	// is the value at Relations, rounding up. Lower is at least Constant, unless a hidden
	// variable has parents: then relations may have less, and it may be −Inf.
	Lower, Upper float64
	// LabelsLower is a lower bound of the loss of any labels: Lower, or what −ln P ≥ 0
	// says, whichever is greater in each part that separates. It is never below Constant.
	LabelsLower float64
	// Relations holds one per hidden variable, in the order of Problem.Hidden.
	Relations []*Relation
	// Iterations is the number of iterations, summed over separate parts.
	Iterations int
}

// Gap returns the relative gap (Upper − Lower) / max(1, |Upper|).
func (r *Result) Gap() float64 { return relativeGap(r.Lower, r.Upper) }

func relativeGap(lower, upper float64) float64 {
	return (upper - lower) / max(1, upper, -upper)
}

// Event describes the state of a solver at a check of its bounds.
type Event struct {
	// Part is the number of the separate part being solved, from 0, of Parts.
	Part, Parts int
	// Iteration counts from 1 in each part, to Iterations at most.
	Iteration, Iterations int
	// Lower and Upper are the part's bounds so far; where relations take turns, bounds of
	// the terms of the relation whose turn it is.
	Lower, Upper float64
	// Rank is the rank of the part's relations together, Step the length of a step.
	Rank int
	Step float64
	// Elapsed is the time since Solve was called.
	Elapsed time.Duration
}

// Status says why a solver ended.
type Status int

const (
	// Converged: the gap between the bounds is small enough.
	Converged Status = iota
	// IterationLimit: the iterations allowed were not enough. The bounds hold all the same.
	IterationLimit
	// Canceled: the context was done. The bounds hold all the same.
	Canceled
	// Degenerate: converged, and the optimum puts all rows of a hidden variable into one
	// class, as a large ridge does.
	Degenerate
	// Stationary: block-coordinate descent found no better relation for any of the
	// hidden variables that are parents of each other. Lower is −Inf.
	Stationary
)

var statusNames = [...]string{"converged", "iteration limit", "canceled", "degenerate: one class", "stationary"}

// String returns the name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}
