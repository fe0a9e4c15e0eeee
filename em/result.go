package em

import (
	"fmt"
	"time"
)

// Status says why training ended.
type Status int

const (
	// Converged: the objective no longer rose by more than the tolerance.
	Converged Status = iota
	// IterationLimit: Options.Iterations was reached.
	IterationLimit
	// Canceled: the context was done.
	Canceled
)

// String returns the name of the status.
func (s Status) String() string {
	switch s {
	case Converged:
		return "converged"
	case IterationLimit:
		return "iteration limit"
	case Canceled:
		return "canceled"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// Result is what Fit returns: the best start's parameters and how it came to
// them.
type Result struct {
	Status Status
	// Theta is the last θ: that of the last objective if training converged,
	// otherwise one M step further.
	Theta []float64
	// Objective holds the objective, in nats, at each E step: the weighted log
	// likelihood (for Viterbi that of the best paths; for β ≠ 1 the free energy
	// (1/β) Σ ln Σ pᵝ) plus the log prior. It never falls.
	Objective []float64
	// LogLikelihood is the last objective without the prior.
	LogLikelihood float64
	// Start is the number of the winning start, 0 for the first; Starts holds
	// the last objective of each.
	Start  int
	Starts []float64
	// Skipped are the examples without a derivation at the last E step.
	Skipped []Skipped
}

// Iterations returns the number of E steps of the winning start.
func (r *Result) Iterations() int { return len(r.Objective) }

// Skipped names an example that has no derivation.
type Skipped struct {
	Index int
	Name  string
	// Structural is true if the machines do not relate any of the example's
	// strings, whatever θ is; otherwise the current θ gives them probability 0.
	Structural bool
}

// String says which example it is.
func (s Skipped) String() string {
	if s.Name == "" {
		return fmt.Sprintf("example %d", s.Index)
	}
	return fmt.Sprintf("example %d (%s)", s.Index, s.Name)
}

// Event describes an E step. It is valid during the observer's call only.
type Event struct {
	// Start is the number of the start, from 0, and Iteration that of the E
	// step in it, from 0.
	Start, Iteration int
	// Objective and LogLikelihood are as in Result.
	Objective, LogLikelihood float64
	// Theta is the θ of this E step, not to be modified.
	Theta []float64
	// Examples is their number, Skipped how many have no derivation.
	Examples, Skipped int
	// Arcs is the number of lattice arcs visited, Elapsed the time since Fit
	// was called.
	Arcs    int64
	Elapsed time.Duration
}
