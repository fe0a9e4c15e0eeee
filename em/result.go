package em

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"
)

// Status is the reason why training ended.
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
	// Infeasible: a path sum has no value at the start or at a later θ, for instance because
	// a loop has a mass of 1 or more, or the start has failed otherwise. StartResult.Reason is
	// the error. Other starts went on.
	Infeasible
	// Stalled: no step along the gradient leads to a higher objective, though the
	// gradient is not small. Either the objective rises without bound towards a θ at which it has
	// no value (is cascade.Example.X missing?), or counts are not its derivatives. Theta is the
	// best point met. With SGD and Stepwise, the last θ is below the start, and
	// Theta is the start: a lower Rate or larger minibatches may help.
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

// lost reports whether a start with this status cannot be the result.
func (s Status) lost() bool { return s == Pruned || s == Infeasible }

// Result is the result of Fit: the parameters of the best start and the trace of its
// training.
type Result struct {
	Status Status
	// Theta is the last θ. If training converged or
	// followed a gradient by LBFGS, it is the θ of the last objective, otherwise it is one step
	// further, unless the method documents another choice.
	Theta []float64
	// Objective holds the objective, in nats, after each iteration: the weighted
	// log likelihood (for Viterbi of the best paths; for β ≠ 1 the free
	// energy (1/β) Σ ln Σ pᵝ) plus the log prior. A rejected step repeats the previous
	// value. The objective never falls, unless the method documents it or the likelihood is a
	// Heuristic.
	//
	// Under a Dirichlet prior with α < 1 parameters become 0, where the density has no bound.
	// The log prior leaves these out, and the last objective is LogLikelihood plus
	// Params.LogPrior(Theta). Earlier objectives, and objectives of other starts, have the same
	// constant: the density treats each of these zeros as the least float64. A parameter that
	// is not yet 0 therefore makes them lower by (1−α)·(744 + ln θ).
	Objective []float64
	// LogLikelihood is the last objective without the prior, and for β ≠ 1 times
	// β.
	LogLikelihood float64
	// Gap bounds the difference between the log likelihood and LogLikelihood, if the latter is
	// of parts of sums: as in Expectations, of the last iteration.
	Gap float64
	// GradientNorm, with LBFGS, is the largest absolute derivative in coordinates at Theta.
	GradientNorm float64
	// Start is the index of the winning start, from 0; Starts contains the result of
	// each.
	Start  int
	Starts []StartResult
	// Skipped are the examples that had no derivation when last visited.
	Skipped []Skipped
	// Remarks report possible mistakes in the model. For a cascade.Problem they name
	// each constant machine whose weights are neither probabilities nor all 0 or 1. A machine is
	// normalized if its sums are 1, within .001: the sum of all pairs, or at each state the sum of
	// its arcs, of its arcs with one input, or of its arcs with one output. For moments.Fit they
	// report statistics that are far from the statistics of every y. Each start that has failed has
	// a remark with its index and its error, and each law that is a Remarker adds its own on Theta.
	//
	// For a single start of at most 100,000 parameters they name groups that begin alike and would
	// remain alike, though other values would distinguish them (ErrSymmetric). If groups begin
	// alike, Fit checks this by two E steps at random values, after the first iteration.
	Remarks []string
}

// StartResult is the result of one start.
type StartResult struct {
	Status Status
	// Objective is as in Result; empty if the start never began.
	Objective []float64
	// Reason is the error of an Infeasible start.
	Reason string
}

// Iterations returns the number of iterations of the winning start.
func (r *Result) Iterations() int { return len(r.Objective) }

// Last returns the last objective of the winning start, or −Inf if there was no iteration.
func (r *Result) Last() float64 {
	if n := len(r.Objective); n > 0 {
		return r.Objective[n-1]
	}
	return math.Inf(-1)
}

// Event describes an iteration. It is valid only during the observer's call.
type Event struct {
	// Method is the name of the method.
	Method string
	// Start is the index of the start, from 0, among Starts; Iteration is the
	// index of the iteration in it, from 0, among at most Iterations.
	Start, Starts         int
	Iteration, Iterations int
	// Step is the kind of step that led to the θ of this iteration, or InfeasibleStep.
	Step Step
	// Objective is the objective at Theta, also for a rejected step. Gain is its rise since
	// the previous iteration, or NaN if the two are not comparable. If a prior has made a
	// parameter 0, Objective leaves out its density from then on, and only Gain is comparable:
	// see Result.
	Objective, Gain float64
	// LogLikelihood is as in Result, LogPrior the log prior of Theta and
	// Temperature the β of the E step.
	LogLikelihood, LogPrior, Temperature float64
	// Theta is the θ of the E step, not to be modified.
	Theta []float64
	// Gap is as in Expectations, of the examples that this iteration visited.
	Gap float64
	// GradientNorm is as in Result.
	GradientNorm float64
	// Examples is the number of examples that this iteration visited, and Skipped the
	// number of all examples that have no derivation.
	Examples, Skipped int
	// Remarks are as in Result, in the first iteration of the first start; nil in others.
	Remarks []string
	// WithoutLattice is the number of Examples that were summed over without a lattice, as in
	// Expectations.
	WithoutLattice int
	// Arcs is the number of arcs visited, Elapsed the time since Fit was called.
	Arcs    int64
	Elapsed time.Duration
}

// Step is the kind of step that led to the θ of an E step.
type Step int

const (
	// FirstStep: θ is the start.
	FirstStep Step = iota
	// MStep: by an M step.
	MStep
	// Extrapolation: an extrapolation of M steps.
	Extrapolation
	// GradientStep: a step along the gradient.
	GradientStep
	// RejectedStep: an extrapolation or a step along a gradient that was rejected.
	RejectedStep
	// InfeasibleStep: a step that does not count as an iteration, as a path sum has no value
	// at Theta and Temperature. The start is scaled down, Anneal advances to its next
	// temperature, or the start ends.
	InfeasibleStep
)

var stepNames = [...]string{"start", "M step", "extrapolation", "gradient step", "rejected step", "infeasible"}

// String returns the name of the step.
func (s Step) String() string {
	if s < 0 || int(s) >= len(stepNames) {
		return fmt.Sprintf("Step(%d)", int(s))
	}
	return stepNames[s]
}

// LogTo returns an observer that logs each iteration to l, at level Info, with all fields of an
// Event except Theta. It leaves out numbers that are not finite, as some
// handlers cannot write them. It logs Remarks at level Warn.
func LogTo(l *slog.Logger) func(Event) {
	return func(e Event) {
		for _, remark := range e.Remarks {
			l.Warn(remark)
		}
		attrs := []slog.Attr{
			slog.String("method", e.Method),
			slog.Int("start", e.Start),
			slog.Int("starts", e.Starts),
			slog.Int("iteration", e.Iteration),
			slog.Int("iterations", e.Iterations),
			slog.String("step", e.Step.String()),
		}
		for _, f := range []slog.Attr{
			slog.Float64("objective", e.Objective),
			slog.Float64("gain", e.Gain),
			slog.Float64("log_likelihood", e.LogLikelihood),
			slog.Float64("log_prior", e.LogPrior),
			slog.Float64("temperature", e.Temperature),
			slog.Float64("gap", e.Gap),
			slog.Float64("gradient_norm", e.GradientNorm),
		} {
			if v := f.Value.Float64(); v-v == 0 {
				attrs = append(attrs, f)
			}
		}
		attrs = append(attrs,
			slog.Int("examples", e.Examples),
			slog.Int("skipped", e.Skipped),
			slog.Int("latticeless", e.WithoutLattice),
			slog.Int64("arcs", e.Arcs),
			slog.Duration("elapsed", e.Elapsed))
		l.LogAttrs(context.Background(), slog.LevelInfo, "iteration", attrs...)
	}
}
