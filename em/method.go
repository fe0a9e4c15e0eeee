package em

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
)

// Method is how Fit climbs: EM (the default), Incremental, Stepwise, Anneal,
// Squarem, LBFGS or SGD, or one of your own. Each is a value that holds its settings; a zero field
// means the default. All of them see the data through Likelihood.Expect alone.
//
// A checkpoint belongs to the type of the method and its settings, as %#v of fmt writes them: let
// these be plain values.
type Method interface {
	// String returns the name of the method.
	String() string
	// Complete returns the method with defaults in place, or an error that wraps ErrInvalid for
	// settings that make no sense. The options' other fields are complete.
	Complete(o *Options) (Method, error)
	// Pass returns how many iterations after the first see all shards once, given
	// their number: 1 for a method whose E steps are over all data.
	Pass(shards int) int
	// Begin returns the method at work on a start, at s.Theta: that of a new start, or where a
	// checkpoint left it, and then State is filled. An error ends Fit; it wraps ErrMethod for a
	// likelihood, or laws, to which the method does not apply.
	Begin(t *Trainer, s *Start) (Ascent, error)
}

// Ascent is a method at work on one start: its memory between two iterations, and
// the three parts of an iteration that are its own. Fit calls Ask, makes the E steps, calls Tell
// with what they found, and then Step. If the result of a method depends on nothing but θ, State
// and what E steps find, a run that was broken off and resumed has the bits of one that was not.
//
// An Ascent may also be a Judge, a Finisher or a Relaxer.
type Ascent interface {
	// State returns a pointer to the memory, a struct, or nil if there is none. A checkpoint
	// holds its exported fields: numbers, strings, structs and slices of them. It is written
	// after Step, and read before Ask.
	State() any
	// Ask returns the E steps of the next iteration, one at least, at s.Next(). See
	// Trainer.Ask. It is called again for the same iteration if the start was moved or relaxed.
	Ask(t *Trainer, s *Start) []Query
	// Tell takes what they found, in their order, and returns where the start has come to. nil
	// says that they failed at s.Trial: a sum has no value there, or an example no
	// derivation. It is an answer for a trial only, which the method is to give up; at s.Theta
	// the start would have ended. Tell sets s.Theta if it accepts a trial, and s.Trial to nil.
	Tell(t *Trainer, s *Start, found []*Expectations) (Point, error)
	// Step moves s.Theta, in place or not, or sets s.Trial, or reports that the start is over.
	// The last gain was within the tolerance if settled. After the last of
	// Options.Iterations Step has been called, too.
	Step(ctx context.Context, t *Trainer, s *Start, settled bool) (over bool, err error)
}

// Judge is an Ascent that may be over elsewhere than at an optimum.
type Judge interface {
	Ascent
	// Status returns the status of a start that is over: Converged or Stalled.
	Status(t *Trainer, s *Start) Status
}

// Finisher is an Ascent that ends elsewhere than where its last step led.
type Finisher interface {
	Ascent
	// Finish sets s.Theta to the result. It may be called twice.
	Finish(s *Start)
}

// Relaxer is an Ascent that can ask for other E steps where those that it asked for have
// no value.
type Relaxer interface {
	Ascent
	// Relax reports whether there are others.
	Relax(t *Trainer, s *Start) bool
}

// Point is what an iteration says of the θ at which it made its E step: see Trainer.Point.
type Point struct {
	// Objective is the log likelihood, divided by the temperature, plus the log prior.
	Objective     float64
	LogLikelihood float64
	Skipped       []Skipped
	// Step is how the method came there. After a RejectedStep the start is where it was.
	Step Step
	// Rises means that the objective cannot be below the one before, which is ErrDecreased. If
	// the first point of a start does not have it, a last E step over all data sees that the
	// start ends no lower than it began: else it is taken back there, and has Stalled.
	Rises bool
	// Period is the number of iterations whose common gain tells whether the
	// start has converged: 0 if this gain says nothing.
	Period int

	face float64 // see Params.face
}

// Start is what a method sees and sets of one start of a run. A checkpoint holds all of it.
type Start struct {
	// Theta is the best θ known. Trial is where the next E step is, if not there: the method may
	// come back from a trial, and its E step may fail.
	Theta, Trial []float64
	// Objective is the objective after each iteration so far, not to be modified. Face has for
	// each entry what makes it comparable with the others when added: see Result.Objective.
	Objective, Face []float64
	// Base is the number of the first entry that compares with the last. A method sets it to
	// len(Objective) where the next objective is another function's.
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

// Last returns the last objective, −Inf if there is none.
func (s *Start) Last() float64 {
	if n := len(s.Objective); n > 0 {
		return s.Objective[n-1]
	}
	return math.Inf(-1)
}

// Rise returns by how much the objective of p is above the last one.
func (s *Start) Rise(p Point) float64 { return p.Objective - s.Last() + (p.face - s.lastFace()) }

// gain returns by how much the objective has risen in a number of iterations; false
// if that cannot be said.
func (s *Start) gain(iterations int) (float64, bool) {
	n := len(s.Objective) - 1
	if iterations == 0 || n-iterations < s.Base {
		return math.NaN(), false
	}
	return s.Objective[n] - s.Objective[n-iterations] + (s.Face[n] - s.Face[n-iterations]), true
}

// lastFace returns the last entry of Face, 0 if there is none.
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

// Options returns the complete options; nil stands for a Start that is of no more use.
func (t *Trainer) Options() Options { return t.opts }

// query returns the E step over all shards at theta.
func (t *Trainer) query(theta []float64) Query {
	return Query{Theta: theta, EStep: t.opts.EStep, Temperature: t.opts.Temperature, Workers: t.opts.Workers}
}

// Ask returns the E step over all shards at theta, with the counts of the present iteration:
// those of the one before are lost. Several E steps of an iteration, over some shards each
// (Query.Lo and Hi), add theirs up if they have the same Counts, and else need their own.
func (t *Trainer) Ask(theta []float64) Query {
	t.counts = vector.Zeros(t.counts, t.params.n)
	q := t.query(theta)
	q.Counts = t.counts
	return q
}

// Point returns where the E step q over all shards has come to, which found e: by an MStep, of a
// period of 1. If e is nil, which is an E step that failed, it is a RejectedStep. It Rises unless
// counts are not derivatives of the log likelihood.
func (t *Trainer) Point(q Query, e *Expectations) Point {
	if e == nil {
		return refused
	}
	return Point{Objective: e.LogLikelihood/q.Temperature + t.params.LogPrior(q.Theta), face: t.params.face(q.Theta),
		LogLikelihood: e.LogLikelihood, Skipped: e.Skipped, Step: MStep, Rises: !heuristic(t.likelihood), Period: 1}
}

// refused is the point where no E step could be made.
var refused = Point{Objective: math.Inf(-1), LogLikelihood: math.Inf(-1), Step: RejectedStep}

// NeedsCounts returns an error that wraps ErrMethod if the M step needs more than the counts of
// several E steps added up.
func (t *Trainer) NeedsCounts() error {
	if _, ok := t.likelihood.(maximizer); ok {
		return nested.Errorf("em: %v: %w to %s: its M step takes one whole E step", t.opts.Method, ErrMethod, typename.Of(t.likelihood))
	}
	return nil
}

// NeedsDerivatives returns an error that wraps ErrMethod if the counts are not derivatives of the
// log likelihood, or no lower bound that an M step climbs is known.
func (t *Trainer) NeedsDerivatives() error {
	if heuristic(t.likelihood) {
		return nested.Errorf("em: %v: %w to %s: its counts are not the derivatives of its log likelihood", t.opts.Method, ErrMethod, typename.Of(t.likelihood))
	}
	return nil
}

// maximizer is a Likelihood with an M step of its own, in place of the
// parameters' laws.
type maximizer interface {
	Likelihood
	// maximize returns a θ with an objective, log prior included, that is no less
	// than at q.Theta, where the E step q found e.
	maximize(ctx context.Context, q Query, e *Expectations) ([]float64, error)
}

func badMethod(m Method, format string, args ...any) (Method, error) {
	return nil, nested.Errorf("em: %w: %v: "+format, append([]any{ErrInvalid, m}, args...)...)
}

// decreaseRounding is how far, relative to its size, rounding may make the
// objective fall.
const decreaseRounding = 1e-10

// thetaRounding bounds the rounding error of a parameter's value, relative to it: of θ itself,
// and of the power to which a temperature raises it.
const thetaRounding = 0x1p-49

// jitter returns how far the rounding of θ may move the objective, whose derivatives by the ln of
// the values are counts: next to nothing, but where sums are close to diverging.
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
