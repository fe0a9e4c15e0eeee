package em

import (
	"math/rand/v2"
)

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
	// method that sees a block of the data at a time, when a pass does.
	Tolerance float64
	// Restarts is the number of further starts, from random θ; the best
	// objective wins (default 0). They need Rand.
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
