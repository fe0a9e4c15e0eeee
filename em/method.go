package em

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/typename"
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
	// step moves s.Theta, in place or not, or s.Trial, or reports that the start is over. The
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

// relaxer is an ascent that can ask for other E steps where those that it asked for have
// no value.
type relaxer interface {
	ascent
	// relax reports whether there are others.
	relax(t *trainer, s *start) bool
}

// point is what an iteration says of the θ at which it made its E step.
type point struct {
	objective     float64
	face          float64 // see Params.face
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

// start is one start of a run.
type start struct {
	// Theta is the best θ known, nil after the start has lost. Trial is where the
	// next E step is, if not there.
	Theta, Trial []float64
	// Objective is the trace, Face has for each entry what makes it comparable with the others
	// when added (Params.face), and Base is the number of the first entry that compares with
	// the last.
	Objective, Face []float64
	Base            int

	LogLikelihood float64
	GradientNorm  float64
	Gap           float64 // of the last iteration
	Skipped       []Skipped
	Ended         bool
	Status        Status // Canceled until it comes to another end
	Reason        string // of an Infeasible one
	ascent        ascent

	// Of a start whose first E step has no value: the θ that was drawn, and how often
	// it was scaled.
	drawn  []float64
	shrunk int
}

// next returns the θ of the next E step.
func (s *start) next() []float64 {
	if s.Trial != nil {
		return s.Trial
	}
	return s.Theta
}

// last returns the last objective, −Inf if there is none.
func (s *start) last() float64 {
	if n := len(s.Objective); n > 0 {
		return s.Objective[n-1]
	}
	return math.Inf(-1)
}

// gain returns by how much the objective has risen in a number of iterations; false
// if that cannot be said.
func (s *start) gain(iterations int) (float64, bool) {
	n := len(s.Objective) - 1
	if iterations == 0 || n-iterations < s.Base {
		return math.NaN(), false
	}
	return s.Objective[n] - s.Objective[n-iterations] + (s.Face[n] - s.Face[n-iterations]), true
}

// face returns the last entry of Face, 0 if there is none.
func (s *start) face() float64 {
	if n := len(s.Face); n > 0 {
		return s.Face[n-1]
	}
	return 0
}

// rise returns by how much the objective of p is above the last one.
func (s *start) rise(p point) float64 { return p.objective - s.last() + (p.face - s.face()) }

// lead returns by how much the last objective of s is above that of o.
func (s *start) lead(o *start) float64 { return s.last() - o.last() + (s.face() - o.face()) }

// end ends the start; its method's memory is of no more use.
func (s *start) end(status Status) {
	if a, ok := s.ascent.(finisher); ok {
		a.finish(s)
	}
	s.Ended, s.Status, s.Trial, s.ascent = true, status, nil, nil
}

// forget drops what only a winner needs.
func (s *start) forget() { s.Theta, s.Skipped = nil, nil }

// trainer is a call of Fit.
type trainer struct {
	likelihood Likelihood
	params     *Params
	opts       Options
	given      bool // the first start
	began      time.Time
	seeds      [][2]uint64 // of the restarts
	identity   string      // of the run, where there is a checkpoint
	counts     []float64   // of the present iteration
	remarks    []string    // of the last E step
}

// query returns the E step over all shards at theta.
func (t *trainer) query(theta []float64) Query {
	return Query{Theta: theta, EStep: t.opts.EStep, Temperature: t.opts.Temperature, Workers: t.opts.Workers}
}

// ask returns the E step over all shards at theta, with the counts of the present iteration:
// those of the one before are lost.
func (t *trainer) ask(theta []float64) Query {
	t.counts = vector.Zeros(t.counts, t.params.n)
	q := t.query(theta)
	q.Counts = t.counts
	return q
}

// point returns where the E step q over all shards has come to.
func (t *trainer) point(q Query, e *Expectations) point {
	return point{objective: e.LogLikelihood/q.Temperature + t.params.LogPrior(q.Theta), face: t.params.face(q.Theta),
		logLikelihood: e.LogLikelihood, skipped: e.Skipped, step: MStep, rises: !heuristic(t.likelihood), period: 1}
}

// maximizer is a Likelihood with an M step of its own, in place of the
// parameters' laws.
type maximizer interface {
	Likelihood
	// maximize returns a θ with an objective, log prior included, that is no less
	// than at q.Theta, where the E step q found e.
	maximize(ctx context.Context, q Query, e *Expectations) ([]float64, error)
}

// needsCounts returns an error if the M step needs more than the counts of several E
// steps added up.
func (t *trainer) needsCounts() error {
	if _, ok := t.likelihood.(maximizer); ok {
		return fmt.Errorf("em: %v: %w to %s: its M step takes one whole E step", t.opts.Method, ErrMethod, typename.Of(t.likelihood))
	}
	return nil
}

// needsDerivatives returns an error if the counts are not derivatives of the log
// likelihood, or no lower bound that an M step climbs is known.
func (t *trainer) needsDerivatives() error {
	if heuristic(t.likelihood) {
		return fmt.Errorf("em: %v: %w to %s: its counts are not the derivatives of its log likelihood", t.opts.Method, ErrMethod, typename.Of(t.likelihood))
	}
	return nil
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

// Options says how Fit trains. A nil *Options and the zero value of each field
// mean the default.
type Options struct {
	// Start is the first θ (default Params.Start).
	Start []float64
	// InPlace lets Fit train in the storage of Start, which is of no use to the caller
	// afterwards, instead of in a copy: for a θ that is large.
	InPlace bool
	// EStep says what the expectations are of (default Marginal).
	EStep EStep
	// Temperature β raises the probability of every path to the power β in the
	// E step: below 1 for deterministic annealing, above for a harder choice
	// (default 1).
	Temperature float64
	// Method is how to climb (default EM{}).
	Method Method
	// Iterations bounds the iterations of each start (default 100; for a method
	// that sees a block of the data at a time, 100 passes).
	Iterations int
	// Tolerance ends a start when an iteration raises the objective by no more
	// than Tolerance times its magnitude (default 1e-7; negative: never); for a
	// method that sees a block of the data at a time, when a pass does. What is hidden
	// makes EM slow: by default, θ is known to about three digits then. For more, ask for
	// 1e-12, or use Squarem.
	Tolerance float64
	// Starts are further θ to start from (default none), and Restarts is the number of random
	// ones after these (default 0), which need Rand. The best objective wins.
	Starts   [][]float64
	Restarts int
	// Prune says which starts to drop early (default none).
	Prune Prune
	// Rand is the source of all randomness: same state, same result.
	Rand rand.Source
	// Workers is the number of goroutines of the E step (default GOMAXPROCS).
	// It does not change a bit of the result.
	Workers int
	// Checkpoint is the name of a file that holds the state of training. It is
	// written whole or not at all after each iteration, or after each pass by a
	// method that sees a block of the data at a time. Fit goes on from it if it
	// exists; the result has the bits of a run without a break.
	Checkpoint string
	// ChooseEvery is the number of iterations after which parts of lattices are chosen anew,
	// where E steps sum over parts (cascade.Data.Within); for a method that sees a block of the
	// data at a time, of passes (default 5; negative: once for each start).
	ChooseEvery int
	// Observer, if not nil, is called after each E step by the goroutine that
	// called Fit.
	Observer func(Event)
}

// Prune drops bad starts early, by successive halving (Jamieson and Talwalkar
// 2016): all starts make After iterations, and the fraction Keep of them, those
// with the best objectives, goes on; then until each has made After/Keep, and so on.
// The last one is trained to its end. The zero value drops none.
type Prune struct {
	// After is the number of iterations in the first round; 0 means that no
	// start is dropped.
	After int
	// Keep is the fraction, in (0, 1), that goes on (default ½), rounded up, but
	// at least one start is dropped.
	Keep float64
}

// complete returns o with defaults in place, or what is wrong with it.
func (o *Options) complete(l Likelihood) (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	p := l.Params()
	c.Temperature = cmp.Or(c.Temperature, 1)
	c.Prune.Keep = cmp.Or(c.Prune.Keep, .5)
	if c.Method == nil {
		c.Method = EM{}
	}
	c.Tolerance = cmp.Or(c.Tolerance, 1e-7)
	c.ChooseEvery = cmp.Or(c.ChooseEvery, 5)
	c.Workers = cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
	if c.Start == nil {
		c.Start = p.Start()
	}
	bad := func(format string, args ...any) (Options, error) {
		return c, nested.Errorf("em: %w: "+format, append([]any{ErrInvalid}, args...)...)
	}
	switch {
	case !(c.Temperature > 0) || math.IsInf(c.Temperature, 1):
		return bad("temperature %g, want a finite number > 0", c.Temperature)
	case c.Iterations < 0:
		return bad("%d iterations, want a number > 0", c.Iterations)
	case math.IsNaN(c.Tolerance):
		return bad("tolerance is not a number")
	case c.Restarts < 0:
		return bad("%d restarts", c.Restarts)
	case c.Restarts > 0 && c.Rand == nil:
		return bad("restarts without a source of randomness, Options.Rand")
	case c.Workers < 0:
		return bad("%d workers", c.Workers)
	case c.Prune.After < 0:
		return bad("pruning after %d iterations", c.Prune.After)
	case !(c.Prune.Keep > 0) || c.Prune.Keep >= 1:
		return bad("pruning keeps the fraction %g, want one in (0, 1)", c.Prune.Keep)
	case c.EStep != Marginal && c.EStep != Viterbi:
		return bad("unknown %v", c.EStep)
	}
	var err error
	if c.Method, err = c.Method.complete(&c); err != nil {
		return c, err
	}
	c.Iterations = cmp.Or(c.Iterations, 100*c.Method.pass(l.Shards()))
	if err := p.Check(c.Start); err != nil {
		return c, err
	}
	for i, theta := range c.Starts {
		if err := p.Check(theta); err != nil {
			return c, nested.Errorf("em: start %d: %w", i+1, err)
		}
	}
	return c, nil
}

// starts returns how many there are.
func (o *Options) starts() int { return 1 + len(o.Starts) + o.Restarts }
