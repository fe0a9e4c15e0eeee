package em

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
)

// Method is an optimizer for Fit: EM (the default), Incremental, Stepwise, Anneal,
// Squarem, LBFGS, SGD or a custom method. Each is a value that holds its settings; a zero field
// selects the default. Every method accesses the data only through Likelihood.Expect.
//
// A checkpoint belongs to the type of the method and its settings, as formatted by %#v of package
// fmt: settings should be plain values.
type Method interface {
	// String returns the name of the method.
	String() string
	// Complete returns the method with defaults in place, or an error that wraps ErrInvalid if
	// its settings are invalid. The other fields of o are already complete.
	Complete(o *Options) (Method, error)
	// Pass returns the number of iterations after the first that visit every shard once, given
	// the number of shards: 1 for a method whose E steps are over all data.
	Pass(shards int) int
	// Begin returns an Ascent at s.Theta. This is the first θ of a new start, or the θ of a
	// checkpoint; in the latter case Fit then fills State. An error ends Fit. It wraps ErrMethod
	// if the method does not apply to the likelihood or its laws.
	Begin(t *Trainer, s *Start) (Ascent, error)
}

// Ascent is the run of a method from one start. It holds the method's memory between two
// iterations, and implements the three parts of an iteration that depend on the method. Fit calls
// Ask, makes the E steps, calls Tell with their results, and then Step. If the results of a method
// depend only on θ, State and the E steps, an interrupted and resumed run has the same bits as an
// uninterrupted run.
//
// An Ascent may also be a StatusReporter, a Finisher or a Relaxer.
type Ascent interface {
	// State returns a pointer to the memory, a struct, or nil if there is none. A checkpoint
	// holds its exported fields: numbers, strings, structs and slices of them. It is written
	// after Step, and read before Ask.
	State() any
	// Ask returns the E steps of the next iteration, at least one, at s.Next(). See
	// Trainer.Ask. It is called again for the same iteration if the start was moved or relaxed.
	Ask(t *Trainer, s *Start) []Query
	// Tell receives the results of the E steps, in their order, and returns the current Point
	// of the start. found is nil if an E step failed at s.Trial: a sum diverges there, or an
	// example has no derivation. This happens only at a trial, which the method must then give
	// up; a failure at s.Theta ends the start. Tell sets s.Theta if it accepts a trial, and
	// s.Trial to nil.
	Tell(t *Trainer, s *Start, found []*Expectations) (Point, error)
	// Step moves s.Theta, in place or not, or sets s.Trial, or reports that the start is over.
	// settled means that the last gain was within the tolerance. Fit calls Step also after the
	// last of Options.Iterations.
	Step(ctx context.Context, t *Trainer, s *Start, settled bool) (over bool, err error)
}

// StatusReporter is an Ascent that may also end at a point that is not an optimum.
type StatusReporter interface {
	Ascent
	// Status returns the status of a start that is over: Converged or Stalled.
	Status(t *Trainer, s *Start) Status
}

// Finisher is an Ascent whose result differs from the θ of its last step.
type Finisher interface {
	Ascent
	// Finish sets s.Theta to the result. It may be called twice.
	Finish(s *Start)
}

// Relaxer is an Ascent that can return different E steps if the objective has no value at the
// θ of the current ones.
type Relaxer interface {
	Ascent
	// Relax prepares different E steps. It returns false if there are no others.
	Relax(t *Trainer, s *Start) bool
}

// Point is the result of an iteration at the θ of its E step: see Trainer.Point.
type Point struct {
	// Objective is the log likelihood, divided by the temperature, plus the log prior.
	Objective     float64
	LogLikelihood float64
	Skipped       []Skipped
	// Step is the kind of step that led to θ. After a RejectedStep the start has not moved.
	Step Step
	// Rises means that a lower objective than the previous one is an error, ErrDecreased. If
	// the first point of a start does not have it, a last E step over all data checks that the
	// start ends no lower than it began. Otherwise the start returns to its first θ, and has
	// Stalled.
	Rises bool
	// Period is the number of iterations over whose total gain convergence is tested. It is 0 if
	// convergence cannot be tested.
	Period int

	face float64 // see Params.face
}

// Start is the state of one start of a run, for a method to read and set. A checkpoint holds all
// of it.
type Start struct {
	// Theta is the best θ known. Trial, if not nil, is the θ of the next E step. The method may
	// reject a trial, and its E step may fail.
	Theta, Trial []float64
	// Objective is the objective after each iteration so far, and is read-only. Adding Face to
	// it makes entries comparable with each other: see Result.Objective.
	Objective, Face []float64
	// Base is the index of the first entry that is comparable with the last. A method sets it
	// to len(Objective) if the next objective is a value of a different function.
	Base int
	// GradientNorm is as in Result, for the method to set.
	GradientNorm float64
	// Skipped are the examples without a derivation when last visited.
	Skipped []Skipped
}

// Next returns the θ of the next E step.
func (s *Start) Next() []float64 {
	if s.Trial != nil {
		return s.Trial
	}
	return s.Theta
}

// Last returns the last objective, or −Inf before the first iteration.
func (s *Start) Last() float64 {
	if n := len(s.Objective); n > 0 {
		return s.Objective[n-1]
	}
	return math.Inf(-1)
}

// Rise returns the difference between the objective of p and the last one.
func (s *Start) Rise(p Point) float64 { return p.Objective - s.Last() + (p.face - s.lastFace()) }

// gain returns the rise of the objective over the last iterations. It returns false if the
// entries are not comparable.
func (s *Start) gain(iterations int) (float64, bool) {
	n := len(s.Objective) - 1
	if iterations == 0 || n-iterations < s.Base {
		return math.NaN(), false
	}
	return s.Objective[n] - s.Objective[n-iterations] + (s.Face[n] - s.Face[n-iterations]), true
}

// lastFace returns the last entry of Face, or 0 before the first iteration.
func (s *Start) lastFace() float64 {
	if n := len(s.Face); n > 0 {
		return s.Face[n-1]
	}
	return 0
}

// Params returns the parameters.
func (t *Trainer) Params() *Params { return t.params }

// Likelihood returns the likelihood.
func (t *Trainer) Likelihood() Likelihood { return t.likelihood }

// Options returns the complete options. The start may be nil, as it is dropped after use.
func (t *Trainer) Options() Options { return t.opts }

// query returns the E step over all shards at theta.
func (t *Trainer) query(theta []float64) Query {
	return Query{Theta: theta, EStep: t.opts.EStep, Temperature: t.opts.Temperature, Workers: t.opts.Workers}
}

// Ask returns the E step over all shards at theta. It reuses the vector of counts, so the counts
// of the previous iteration are lost. Several E steps of an iteration, each over some of the
// shards (Query.Lo and Hi), add up if they have the same Counts. Otherwise each needs its own.
func (t *Trainer) Ask(theta []float64) Query {
	t.counts = vector.Zeros(t.counts, t.params.n)
	q := t.query(theta)
	q.Counts = t.counts
	return q
}

// Point returns the point of the E step q over all shards, with result e: reached by an MStep, with
// a period of 1. If e is nil, because the E step failed, it returns a RejectedStep. Rises is true
// unless counts are not derivatives of the log likelihood.
func (t *Trainer) Point(q Query, e *Expectations) Point {
	if e == nil {
		return refused
	}
	return Point{Objective: e.LogLikelihood/q.Temperature + t.params.LogPrior(q.Theta), face: t.params.face(q.Theta),
		LogLikelihood: e.LogLikelihood, Skipped: e.Skipped, Step: MStep, Rises: !heuristic(t.likelihood), Period: 1}
}

// refused is the point of an E step that failed.
var refused = Point{Objective: math.Inf(-1), LogLikelihood: math.Inf(-1), Step: RejectedStep}

// NeedsCounts returns an error that wraps ErrMethod if the M step needs more than the added counts
// of several E steps.
func (t *Trainer) NeedsCounts() error {
	if _, ok := t.likelihood.(maximizer); ok {
		return nested.Errorf("em: %v: %w to %s: its M step takes one whole E step", t.opts.Method, ErrMethod, typename.Of(t.likelihood))
	}
	return nil
}

// NeedsDerivatives returns an error that wraps ErrMethod if the counts are not derivatives of the
// log likelihood, so that an M step has no known lower bound to climb.
func (t *Trainer) NeedsDerivatives() error {
	if heuristic(t.likelihood) {
		return nested.Errorf("em: %v: %w to %s: its counts are not the derivatives of its log likelihood", t.opts.Method, ErrMethod, typename.Of(t.likelihood))
	}
	return nil
}

// maximizer is a Likelihood with its own M step, which replaces the M steps of
// the parameters' laws.
type maximizer interface {
	Likelihood
	// maximize returns a θ whose objective, including the log prior, is at least the
	// objective at q.Theta, where the E step q found e.
	maximize(ctx context.Context, q Query, e *Expectations) ([]float64, error)
}

func badMethod(m Method, format string, args ...any) (Method, error) {
	return nil, nested.Errorf("em: %w: %v: "+format, append([]any{ErrInvalid, m}, args...)...)
}

// decreaseRounding bounds the relative decrease of the objective that rounding may
// cause.
const decreaseRounding = 1e-10

// thetaRounding bounds the relative rounding error of a parameter's value, including the rounding
// of θ and of the power to which a temperature raises it.
const thetaRounding = 0x1p-49

// jitter bounds the change of the objective due to the rounding of θ. Counts are the derivatives of
// the objective with respect to the ln of the values. The bound is negligible unless sums are close
// to diverging.
func jitter(found []*Expectations) float64 {
	uses := 0.0
	for _, e := range found {
		switch {
		case e == nil:
		case e.plus != nil: // whose differences may be small
			uses += jitter([]*Expectations{e.plus, e.minus}) / thetaRounding
		default:
			uses += floats.Norm(e.Counts, 1)
		}
	}
	return thetaRounding * uses
}
