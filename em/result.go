package em

import (
	"context"
	"fmt"
	"log/slog"
	"math"
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
	// Pruned: other starts were better, see Prune.
	Pruned
	// Infeasible: a path sum has no value at the start or where it led, a loop with a
	// mass of 1 or more for instance, or the start has failed otherwise: StartResult.Reason is
	// the error. Other starts went on.
	Infeasible
	// Stalled: no step along the gradient leads to a higher objective, though the
	// gradient is not small. The objective rises without bound towards a θ where it has
	// no value (is cascade.Example.X missing?), or counts are not its derivatives. Theta is the
	// best point met. With SGD and Stepwise, all that was reached is below the start, and
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

// lost reports whether such a start is out of the question as the result.
func (s Status) lost() bool { return s == Pruned || s == Infeasible }

// Result is what Fit returns: the best start's parameters and how it came to
// them.
type Result struct {
	Status Status
	// Theta is the last θ: where the last objective was taken if training converged or
	// followed a gradient by LBFGS, otherwise one step further, or where the method
	// says.
	Theta []float64
	// Objective holds the objective, in nats, after each iteration: the weighted
	// log likelihood (for Viterbi of the best paths; for β ≠ 1 the free
	// energy (1/β) Σ ln Σ pᵝ) plus the log prior. A rejected step leaves it as it
	// is. It never falls, except where the method says so or the likelihood is a
	// Heuristic.
	//
	// Under a Dirichlet prior with α < 1 parameters become 0, where the density has no bound.
	// The log prior leaves those out, and the last objective is LogLikelihood plus
	// Params.LogPrior(Theta). Earlier ones, and those of other starts, have the same constant:
	// the density counts as if what is 0 were the least float64, so that a parameter that is not
	// yet 0 makes them lower by (1−α)·(744 + ln θ).
	Objective []float64
	// LogLikelihood is the last objective without the prior (and for β ≠ 1 times
	// β).
	LogLikelihood float64
	// Gap says how much higher the log likelihood may be than LogLikelihood, where that is
	// of parts of sums: as in Expectations, of the last iteration.
	Gap float64
	// GradientNorm is, with LBFGS, the largest derivative by a coordinate at Theta.
	GradientNorm float64
	// Start is the number of the winning start, 0 for the first; Starts says what
	// became of each.
	Start  int
	Starts []StartResult
	// Skipped are the examples without a derivation when last visited.
	Skipped []Skipped
	// Remarks say what may be a mistake in the model, or is meant. Of a cascade.Problem they name
	// each constant machine whose weights are neither probabilities nor all 0 or 1. It is
	// normalized if its sums are 1, but for .001: those of all pairs, or at each state of its arcs,
	// of those with one input, or of those with one output. Of moments.Fit they say that statistics
	// are far from those that any y has. Each start that has failed has a remark with its number
	// and its error, and each law that is a Remarker has its own on Theta.
	//
	// Of a single start of at most 100,000 parameters they name groups that begin alike and would
	// remain so, though other values would tell them apart (ErrSymmetric). Two E steps at random
	// values find that out, after the first iteration, if groups begin alike.
	Remarks []string
}

// StartResult is what became of one start.
type StartResult struct {
	Status Status
	// Objective is as in Result; empty if the start was never begun.
	Objective []float64
	// Reason is the error of an Infeasible start.
	Reason string
}

// Iterations returns the number of iterations of the winning start.
func (r *Result) Iterations() int { return len(r.Objective) }

// Last returns the last objective of the winning start, −Inf if there was no iteration.
func (r *Result) Last() float64 {
	if n := len(r.Objective); n > 0 {
		return r.Objective[n-1]
	}
	return math.Inf(-1)
}

// Event describes an iteration. It is valid during the observer's call only.
type Event struct {
	// Method is the name of the method.
	Method string
	// Start is the number of the start, from 0, among Starts; Iteration is the
	// number of the iteration in it, from 0, among at most Iterations.
	Start, Starts         int
	Iteration, Iterations int
	// Step says how the θ of this iteration came about, or that there is no iteration.
	Step Step
	// Objective is that at Theta; of a rejected step too. Gain is its rise since
	// the iteration before, NaN if the two do not compare. Where a prior has made a parameter 0,
	// Objective leaves its density out from then on, and Gain alone compares: see Result.
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
	// Examples is the number of those that this iteration visited, Skipped how
	// many of all have no derivation.
	Examples, Skipped int
	// Remarks are as in Result, in the first iteration of the first start; nil in others.
	Remarks []string
	// Latticeless is how many of the Examples were summed over without a lattice, as in
	// Expectations.
	Latticeless int
	// Arcs is the number of arcs visited, Elapsed the time since Fit was called.
	Arcs    int64
	Elapsed time.Duration
}

// Step is how a method came to the θ of an E step.
type Step int

const (
	// FirstStep: it is the start.
	FirstStep Step = iota
	// MStep: by an M step.
	MStep
	// Extrapolation: beyond M steps.
	Extrapolation
	// GradientStep: by following the gradient.
	GradientStep
	// RejectedStep: by an extrapolation or along a gradient, to be given up again.
	RejectedStep
	// InfeasibleStep: in no way that counts as an iteration, as a path sum has no value
	// at Theta and Temperature. The start is scaled down, Anneal goes on to its next
	// temperature, or the start has come to its end.
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

// LogTo returns an observer that logs each iteration to l, at level Info, with what an
// Event holds except Theta; numbers that are not finite are left out, as not every
// handler can write them. It logs Remarks at level Warn.
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
			slog.Int("latticeless", e.Latticeless),
			slog.Int64("arcs", e.Arcs),
			slog.Duration("elapsed", e.Elapsed))
		l.LogAttrs(context.Background(), slog.LevelInfo, "iteration", attrs...)
	}
}
