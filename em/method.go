package em

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Method is how Fit climbs: EM (the default), Incremental, Stepwise, Anneal,
// Squarem, LBFGS or SGD. Each is a value that holds its settings; a zero field
// means the default. All of them see the data through Likelihood.Expect alone.
type Method interface {
	// String returns the name of the method.
	String() string
	// complete returns the method with defaults in place, or what is wrong with
	// it. The options' other fields are complete.
	complete(o *Options) (Method, error)
	// pass returns how many iterations after the first see all of so many shards
	// once.
	pass(shards int) int
	// ascend returns the method's memory for a start at s.Theta.
	ascend(t *trainer, s *start) (ascent, error)
}

// ErrMethod is wrapped by the error for a method that cannot be used with the
// likelihood at hand.
var ErrMethod = errors.New("method does not apply")

// ascent is a method at work on one start: its memory between two iterations, and
// the three parts of an iteration that are its own.
type ascent interface {
	// state returns a pointer to the memory, of which a checkpoint holds the
	// exported fields; nil if there is none.
	state() any
	// ask returns the E steps of the next iteration.
	ask(t *trainer, s *start) []Query
	// tell takes what they found; nil says that they failed, which is an answer
	// for a trial only. It returns where the start has come to.
	tell(t *trainer, s *start, found []*Expectations) (point, error)
	// step moves s.Theta (or s.Trial), or reports that the start is over. The
	// last gain was within the tolerance if settled.
	step(ctx context.Context, t *trainer, s *start, settled bool) (over bool, err error)
}

// judge is an ascent that may be over elsewhere than at an optimum.
type judge interface {
	ascent
	// status returns that of a start that is over.
	status(t *trainer, s *start) Status
}

// finisher is an ascent that ends elsewhere than where its last step led.
type finisher interface {
	ascent
	// finish sets s.Theta to the result.
	finish(s *start)
}

// point is what an iteration says of the θ at which it made its E step.
type point struct {
	objective     float64
	logLikelihood float64
	skipped       []Skipped
	step          Step
	// rises means that the objective cannot be below the one before.
	rises bool
	// period is the number of iterations whose common gain tells whether the
	// start has converged: 0 if that of this one says nothing.
	period int
}

// refused is the point where no E step could be made.
var refused = point{objective: math.Inf(-1), logLikelihood: math.Inf(-1), step: RejectedStep}

// query returns the E step over all shards at theta.
func (t *trainer) query(theta []float64) Query {
	return Query{Theta: theta, EStep: t.opts.EStep, Temperature: t.opts.Temperature, Workers: t.opts.Workers}
}

// point returns where the E step q over all shards has come to.
func (t *trainer) point(q Query, e *Expectations) point {
	return point{objective: e.LogLikelihood/q.Temperature + t.params.LogPrior(q.Theta), logLikelihood: e.LogLikelihood,
		skipped: e.Skipped, step: MStep, rises: !heuristic(t.likelihood), period: 1}
}

func badMethod(m Method, format string, args ...any) (Method, error) {
	return nil, fmt.Errorf("em: %w: %v: "+format, append([]any{ErrInvalid, m}, args...)...)
}
