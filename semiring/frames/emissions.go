package frames

import (
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Float is the type of the numbers that emissions are made of.
type Float interface{ float32 | float64 }

// Options are how emissions are made of numbers. Nil stands for the zero value.
type Options struct {
	// Scale is the exponent κ of the weights: a weight is (p/prior)^κ. 0 stands for 1.
	Scale float64
	// Prior has a probability > 0 per symbol, by which p is divided. It turns the posteriors of
	// a network into likelihoods, up to a factor per frame. nil: not divided.
	Prior []float64
	// AnySum allows frames whose probabilities do not sum to 1. Scores need no such permission.
	AnySum bool
	// Tolerance is how far the sum of a frame may be from 1 without AnySum, by default 1e-3:
	// enough for probabilities in float32 or with four decimals.
	Tolerance float64
}

// kind is the domain of the numbers.
type kind uint8

const (
	probabilities kind = iota
	logarithms
	scores
)

// Emissions weigh each symbol in each frame: frames × symbols weights, all ≥ 0. They are
// immutable, and may be used by many goroutines.
//
// A weight is held as a float64 number between 0 and 1, the weight divided by the greatest of
// its frame, and as its logarithm. So frames may be of any size.
type Emissions struct {
	frames, symbols int
	kind            kind
	scale           float64
	weight          []float64 // frames × symbols, relative to the greatest of the frame
	log             []float64 // frames × symbols: ln of the weights
	top             []float64 // per frame: ln of the greatest weight
	source          []float64 // of scores: softmax before prior and scale; of probabilities: p; otherwise nil
}

// Probabilities returns emissions of probabilities p, symbols numbers ≥ 0 for each frame, frame
// by frame. The numbers are copied.
//
// The error wraps semiring.ErrShape if p does not have frames × symbols numbers, or there is no
// frame or no symbol; semiring.ErrNotFinite or ErrNegative with the frame and the symbol;
// nested.ErrInvalid for options that make no sense, a frame whose sum is not 1 within the
// tolerance, and a frame without a positive number. O(frames × symbols).
func Probabilities[F Float](frames, symbols int, p []F, o *Options) (*Emissions, error) {
	return newEmissions(probabilities, frames, symbols, wide(p), o)
}

// LogProbabilities returns emissions of the natural logarithms of probabilities; −Inf is
// ln 0. All else is as for Probabilities.
func LogProbabilities[F Float](frames, symbols int, logs []F, o *Options) (*Emissions, error) {
	return newEmissions(logarithms, frames, symbols, wide(logs), o)
}

// Scores returns emissions of scores, which a softmax makes probabilities of, frame by frame:
// e^s divided by the sum over the frame; −Inf is a probability of 0. All else is as for
// Probabilities.
func Scores[F Float](frames, symbols int, s []F, o *Options) (*Emissions, error) {
	return newEmissions(scores, frames, symbols, wide(s), o)
}

func wide[F Float](p []F) []float64 {
	x := make([]float64, len(p))
	for i, p := range p {
		x[i] = float64(p)
	}
	return x
}

// newEmissions makes emissions of numbers, which it takes over.
func newEmissions(kind kind, frames, symbols int, x []float64, o *Options) (*Emissions, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Scale == 0 {
		opts.Scale = 1
	}
	if opts.Tolerance == 0 {
		opts.Tolerance = 1e-3
	}
	switch {
	case frames <= 0 || symbols <= 0 || len(x)/frames != symbols || len(x)%frames != 0:
		return nil, nested.Errorf("frames: %w: %d numbers for %d frames of %d symbols", semiring.ErrShape, len(x), frames, symbols)
	case opts.Prior != nil && len(opts.Prior) != symbols:
		return nil, nested.Errorf("frames: %w: a prior of %d symbols for %d", semiring.ErrShape, len(opts.Prior), symbols)
	case !(opts.Scale > 0) || math.IsInf(opts.Scale, 0):
		return nil, nested.Errorf("frames: %w: a scale of %v, want a finite number > 0", nested.ErrInvalid, opts.Scale)
	case !(opts.Tolerance > 0):
		return nil, nested.Errorf("frames: %w: a tolerance of %v, want a number > 0", nested.ErrInvalid, opts.Tolerance)
	}
	for v, p := range opts.Prior {
		if !(p > 0) || math.IsInf(p, 0) {
			return nil, nested.Errorf("frames: %w: a prior of %v for symbol %d, want a finite number > 0", nested.ErrInvalid, p, v)
		}
	}
	e := &Emissions{frames: frames, symbols: symbols, kind: kind, scale: opts.Scale,
		weight: make([]float64, len(x)), log: make([]float64, len(x)), top: make([]float64, frames)}
	for t := range frames {
		lo, hi := t*symbols, (t+1)*symbols
		if err := e.fill(t, x[lo:hi], e.weight[lo:hi], e.log[lo:hi], &opts); err != nil {
			return nil, nested.Errorf("frames: %w", err)
		}
	}
	if kind != logarithms {
		e.source = x
	}
	return e, nil
}

// fill fills in frame t from its numbers x. Of scores it leaves the probabilities in x.
func (e *Emissions) fill(t int, x, weight, log []float64, o *Options) error {
	top := math.Inf(-1)
	for v, p := range x {
		switch {
		case math.IsNaN(p) || math.IsInf(p, 1):
			return fmt.Errorf("%w: frame %d: symbol %d: %v", semiring.ErrNotFinite, t, v, p)
		case e.kind == probabilities && p < 0:
			return fmt.Errorf("%w: frame %d: symbol %d: a probability of %v", semiring.ErrNegative, t, v, p)
		case e.kind == probabilities:
			log[v] = math.Log(p)
		default:
			log[v] = p
		}
		top = max(top, log[v])
	}
	if math.IsInf(top, -1) {
		return fmt.Errorf("%w: frame %d: no symbol has a positive probability", nested.ErrInvalid, t)
	}
	sum := 0.0
	for _, l := range log {
		sum += math.Exp(l - top)
	}
	total := top + math.Log(sum)
	switch {
	case e.kind == scores:
		for v := range log {
			log[v] -= total
			x[v] = math.Exp(log[v])
		}
	case !o.AnySum && !(math.Abs(math.Expm1(total)) <= o.Tolerance):
		return fmt.Errorf("%w: frame %d: probabilities sum to %.6g, want 1 within %g (Scores normalizes, AnySum allows it)",
			nested.ErrInvalid, t, math.Exp(total), o.Tolerance)
	}
	top = math.Inf(-1)
	for v := range log {
		if o.Prior != nil {
			log[v] -= math.Log(o.Prior[v])
		}
		if log[v] *= o.Scale; math.IsInf(log[v], 1) {
			return fmt.Errorf("%w: frame %d: symbol %d: a weight out of range", semiring.ErrNotFinite, t, v)
		}
		top = max(top, log[v])
	}
	if math.IsInf(top, -1) {
		return fmt.Errorf("%w: frame %d: all weights are out of range", semiring.ErrNotFinite, t)
	}
	e.top[t] = top
	for v, l := range log {
		weight[v] = math.Exp(l - top)
	}
	return nil
}

// Frames returns the number of frames.
func (e *Emissions) Frames() int { return e.frames }

// Symbols returns the number of symbols.
func (e *Emissions) Symbols() int { return e.symbols }

// Log returns the natural logarithm of the weight of symbol v in frame t.
func (e *Emissions) Log(t, v int) float64 { return e.log[t*e.symbols+v] }

// Weight returns the weight of symbol v in frame t.
func (e *Emissions) Weight(t, v int) semiring.ScaledFloat { return semiring.ScaledFromLog(e.Log(t, v)) }

// Slice returns frames lo, …, hi−1, at least one, in the storage of e.
func (e *Emissions) Slice(lo, hi int) *Emissions {
	if lo < 0 || hi > e.frames || lo >= hi {
		panic(fmt.Sprintf("frames: Slice(%d, %d) of %d frames", lo, hi, e.frames))
	}
	s, n := *e, e.symbols
	s.frames = hi - lo
	s.weight, s.log, s.top = e.weight[lo*n:hi*n], e.log[lo*n:hi*n], e.top[lo:hi]
	if e.source != nil {
		s.source = e.source[lo*n : hi*n]
	}
	return &s
}

// Gradient turns the derivatives γ = ∂ ln Z/∂ ln E by the logarithms of the weights, which sum
// to 1 in each frame (Graph.Counts), into those by the numbers that e was made of: κ γ for
// logarithms, κ γ/p for probabilities, and κ (γ − softmax) for scores. It adds weight times
// these to gradient, frames × symbols numbers. A derivative by a probability of 0 is 0 if γ is.
func (e *Emissions) Gradient(gradient []float64, weight float64, gamma []float64) {
	if len(gradient) != len(e.log) || len(gamma) != len(e.log) {
		panic(fmt.Sprintf("frames: Gradient: %d and %d numbers for %d frames of %d symbols", len(gradient), len(gamma), e.frames, e.symbols))
	}
	weight *= e.scale
	for t := range e.frames {
		lo, hi := t*e.symbols, (t+1)*e.symbols
		g, to := gamma[lo:hi], gradient[lo:hi]
		switch e.kind {
		case logarithms:
			for v := range to {
				to[v] += weight * g[v]
			}
		case scores:
			mass := 0.0
			for _, x := range g {
				mass += x
			}
			for v, p := range e.source[lo:hi] {
				to[v] += weight * (g[v] - mass*p)
			}
		case probabilities:
			for v, p := range e.source[lo:hi] {
				if g[v] != 0 {
					to[v] += weight * g[v] / p
				}
			}
		}
	}
}
