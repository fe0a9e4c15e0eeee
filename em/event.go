package em

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"
)

// Event describes an iteration. It is valid during the observer's call only.
type Event struct {
	// Method is the name of the method.
	Method string
	// Start is the number of the start, from 0, of so many Starts; Iteration is
	// that of the iteration in it, from 0, of at most Iterations.
	Start, Starts         int
	Iteration, Iterations int
	// Step says how the θ of this iteration came about, or that there is no iteration.
	Step Step
	// Objective is that at Theta; of a rejected step too. Gain is its rise since
	// the iteration before, NaN if the two do not compare.
	Objective, Gain float64
	// LogLikelihood is as in Result, LogPrior the log prior of Theta and
	// Temperature the β of the E step.
	LogLikelihood, LogPrior, Temperature float64
	// Theta is the θ of the E step, not to be modified.
	Theta []float64
	// GradientNorm is as in Result.
	GradientNorm float64
	// Examples is the number of those that this iteration visited, Skipped how
	// many of all have no derivation.
	Examples, Skipped int
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

// observe reports the iteration of start i that led to p.
func (t *trainer) observe(s *start, i int, p point, q Query, found []*Expectations) {
	if t.opts.Observer == nil {
		return
	}
	e := Event{Method: t.opts.Method.String(), Start: i, Starts: 1 + t.opts.Restarts,
		Iteration: len(s.Objective) - 1, Iterations: t.opts.Iterations, Step: p.step,
		Objective: p.objective, LogLikelihood: p.logLikelihood, LogPrior: t.params.LogPrior(q.Theta), Temperature: q.Temperature,
		Theta: q.Theta, GradientNorm: s.GradientNorm, Skipped: len(p.skipped), Elapsed: time.Since(t.began)}
	e.Gain, _ = s.gain(1)
	switch {
	case p.step == InfeasibleStep:
		e.Iteration++ // which was to come
		e.Gain = math.NaN()
	case p.step == RejectedStep:
		e.Gain = p.objective - s.last()
	case e.Iteration == 0:
		e.Step = FirstStep
	}
	for _, x := range found {
		e.Examples += x.Examples
		e.Arcs += x.Arcs
	}
	t.opts.Observer(e)
}

// LogTo returns an observer that logs each iteration to l, at level Info, with what an
// Event holds except Theta; numbers that are not finite are left out, as not every
// handler can write them.
func LogTo(l *slog.Logger) func(Event) {
	return func(e Event) {
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
			slog.Float64("gradient_norm", e.GradientNorm),
		} {
			if v := f.Value.Float64(); v-v == 0 {
				attrs = append(attrs, f)
			}
		}
		attrs = append(attrs,
			slog.Int("examples", e.Examples),
			slog.Int("skipped", e.Skipped),
			slog.Int64("arcs", e.Arcs),
			slog.Duration("elapsed", e.Elapsed))
		l.LogAttrs(context.Background(), slog.LevelInfo, "iteration", attrs...)
	}
}
