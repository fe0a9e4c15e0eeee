package em

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"

	"example.org/pathsum/internal/nested"
)

// Options configures Fit. A nil *Options and the zero value of each field
// select the defaults.
type Options struct {
	// Start is the first θ (default Params.Start).
	Start []float64
	// InPlace makes Fit overwrite Start instead of copying it. Use it for a very large θ.
	InPlace bool
	// EStep selects the paths over which expectations are taken (default Marginal).
	EStep EStep
	// Temperature β raises the probability of every path to the power β in the
	// E step: below 1 for deterministic annealing, above 1 for sharper posteriors
	// (default 1).
	Temperature float64
	// Method is the optimizer (default EM{}).
	Method Method
	// Iterations bounds the iterations of each start (default 100; for a method
	// that sees a block of the data at a time, 100 passes).
	Iterations int
	// Tolerance ends a start when an iteration raises the objective by no more
	// than Tolerance times its magnitude (default 1e-7; negative: never). For a
	// method that sees a block of the data at a time, the gain of a pass is compared.
	// EM converges slowly if much is hidden; at the default tolerance θ then has about three
	// correct digits. For more digits, set 1e-12, or use Squarem.
	Tolerance float64
	// Starts are additional starting points (default none). Restarts is the number of random
	// starts after them (default 0), which need Rand. The best objective wins.
	Starts   [][]float64
	Restarts int
	// Prune configures which starts are dropped early (default none).
	Prune Prune
	// Rand is the source of all randomness: same state, same result.
	Rand rand.Source
	// Workers is the number of goroutines of the E step (default GOMAXPROCS).
	// It does not change a bit of the result.
	Workers int
	// Checkpoint is the name of a file that holds the state of training. It is
	// written atomically after each iteration, or after each pass by a
	// method that sees a block of the data at a time. If the file exists, Fit resumes from
	// it; the result has the bits of a run without a break.
	Checkpoint string
	// ChooseEvery is the number of iterations after which parts of lattices are chosen again,
	// if E steps sum over parts (cascade.Data.Pruning). For a method that sees a block of the
	// data at a time, it is a number of passes (default 5; negative: once for each start).
	ChooseEvery int
	// Observer, if not nil, is called after each E step by the goroutine that
	// called Fit.
	Observer func(Event)
}

// Prune drops bad starts early, by successive halving (Jamieson and Talwalkar
// 2016): all starts make After iterations, and the fraction Keep of them with
// the best objectives continues until each has made After/Keep iterations, and so on.
// The last one is trained to its end. The zero value keeps all starts.
type Prune struct {
	// After is the number of iterations in the first round; 0 means that no
	// start is dropped.
	After int
	// Keep is the fraction, in (0, 1), that goes on (default ½), rounded up, but
	// at least one start is dropped.
	Keep float64
}

// complete returns o with defaults in place, or an error if an option is invalid.
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
	if c.Method, err = c.Method.Complete(&c); err != nil {
		return c, err
	}
	c.Iterations = cmp.Or(c.Iterations, 100*c.Method.Pass(l.Shards()))
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

// starts returns the number of starts.
func (o *Options) starts() int { return 1 + len(o.Starts) + o.Restarts }
