package em

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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
	// pass returns how many iterations after the first see all shards once, given
	// their number.
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
	// state returns a pointer to the memory, nil if there is none. A checkpoint holds
	// its exported fields.
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
	// status returns the status of a start that is over.
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
	// start has converged: 0 if this gain says nothing.
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

// EM is expectation maximization as such: an E step over all data, then an M step
// (Dempster, Laird and Rubin 1977). The objective never falls. With a law whose
// Maximize only improves it is generalized EM, and still never falls.
type EM struct{}

// String returns "EM".
func (EM) String() string { return "EM" }

func (m EM) complete(*Options) (Method, error)     { return m, nil }
func (EM) pass(int) int                            { return 1 }
func (EM) ascend(*trainer, *start) (ascent, error) { return new(plain), nil }

// plain is EM at work.
type plain struct {
	query Query
	found *Expectations
}

func (*plain) state() any { return nil }

func (*plain) ask(t *trainer, s *start) []Query { return []Query{t.query(s.Theta)} }

func (a *plain) tell(t *trainer, s *start, found []*Expectations) (point, error) {
	return a.at(t, t.query(s.Theta), found[0]), nil
}

// at notes what the E step q found, for the M step, and returns where it has come to.
func (a *plain) at(t *trainer, q Query, found *Expectations) point {
	a.query, a.found = q, found
	return t.point(q, found)
}

func (a *plain) step(ctx context.Context, t *trainer, s *start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	var err error
	s.Theta, err = t.maximize(ctx, s, a.query, a.found)
	return false, err
}

// maximize returns the M step from s.Theta, where the E step q found e: the
// likelihood's own, if it has one, or what the groups' laws do.
func (t *trainer) maximize(ctx context.Context, s *start, q Query, e *Expectations) ([]float64, error) {
	theta, err := slices.Clone(s.Theta), error(nil)
	if m, ok := t.likelihood.(maximizer); ok {
		theta, err = m.maximize(ctx, q, e)
	} else {
		err = t.params.maximize(theta, e.Counts)
	}
	if err != nil {
		return nil, fmt.Errorf("em: %v: %w", t.opts.Method, err)
	}
	if t.params.changesFace(s.Theta, theta) {
		s.Base = len(s.Objective)
	}
	return theta, nil
}

// needsCounts returns an error if the M step needs more than the counts of several E
// steps added up.
func (t *trainer) needsCounts() error {
	if _, ok := t.likelihood.(maximizer); ok {
		return fmt.Errorf("em: %v: %w to %T: its M step takes one whole E step", t.opts.Method, ErrMethod, t.likelihood)
	}
	return nil
}

// changesFace reports whether a parameter with a sparse prior has become zero:
// the log prior is then over a smaller simplex and does not compare.
func (p *Params) changesFace(before, after []float64) bool {
	for _, g := range p.groups {
		d, ok := g.law.(Dirichlet)
		if !ok {
			continue
		}
		b, a := g.In(before), g.In(after)
		for i := range a {
			if a[i] == 0 && b[i] > 0 && d.alpha(i) < 1 {
				return true
			}
		}
	}
	return false
}

// negligible is a count so small that the parameter estimated from it may have become
// 0 by rounding.
const negligible = 1e-300

// score returns the expected log probability at theta of complete data with these
// counts: Σ counts·ln value, but where a law is a Scorer.
func (p *Params) score(theta, counts []float64) float64 {
	values := p.Values(theta)
	sum := 0.0
	for _, g := range p.groups {
		if law, ok := g.law.(Scorer); ok {
			sum += law.Score(g.In(theta), g.In(counts))
			continue
		}
		for i := g.first; i < g.first+g.n; i++ {
			if math.Abs(counts[i]) > negligible {
				sum += counts[i] * values[i].Log()
			}
		}
	}
	return sum
}
