package em

import "fmt"

// Status says why training ended.
type Status int

const (
	// Converged: the objective no longer rose by more than the tolerance.
	Converged Status = iota
	// IterationLimit: Options.Iterations was reached.
	IterationLimit
	// Canceled: the context was done.
	Canceled
	// Pruned: other starts were better, see Prune.
	Pruned
	// Infeasible: a path sum has no value at the start or where it led, a loop with a
	// mass of 1 or more for instance. Other starts went on.
	Infeasible
	// Stalled: no step along the gradient leads to a higher objective, though the
	// gradient is not small. The objective rises without bound towards a θ where it has
	// no value (is Example.X missing?), or counts are not its derivatives. Theta is the
	// best point met.
	Stalled
)

var statusNames = [...]string{"converged", "iteration limit", "canceled", "pruned", "infeasible", "stalled"}

// String returns the name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// lost reports whether such a start is out of the question as the result.
func (s Status) lost() bool { return s == Pruned || s == Infeasible }

// Result is what Fit returns: the best start's parameters and how it came to
// them.
type Result struct {
	Status Status
	// Theta is the last θ: that of the last objective if training converged or
	// followed a gradient by LBFGS, otherwise one step further, or where the method
	// says.
	Theta []float64
	// Objective holds the objective, in nats, after each iteration: the weighted
	// log likelihood (for Viterbi that of the best paths; for β ≠ 1 the free
	// energy (1/β) Σ ln Σ pᵝ) plus the log prior. A rejected step leaves it as it
	// is. It never falls, except where the method says so or the likelihood is a
	// Heuristic.
	Objective []float64
	// LogLikelihood is the last objective without the prior (and for β ≠ 1 times
	// β).
	LogLikelihood float64
	// GradientNorm is, with LBFGS, the largest derivative by a coordinate at Theta.
	GradientNorm float64
	// Start is the number of the winning start, 0 for the first; Starts says what
	// became of each.
	Start  int
	Starts []StartResult
	// Skipped are the examples without a derivation when last visited.
	Skipped []Skipped
}

// StartResult is what became of one start.
type StartResult struct {
	Status Status
	// Objective is as in Result; empty if the start was never begun.
	Objective []float64
	// Reason says what has no value, of an Infeasible start.
	Reason string
}

// Iterations returns the number of iterations of the winning start.
func (r *Result) Iterations() int { return len(r.Objective) }

// Skipped names an example that has no derivation.
type Skipped struct {
	Index int
	Name  string
	// Weight is the example's.
	Weight float64
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
