package frames

import (
	"fmt"
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Float is the type of the numbers from which emissions are made.
type Float interface{ float32 | float64 }

// Options are options for making emissions from numbers. Nil stands for the zero value.
type Options struct {
	// Scale is the exponent κ of the weights: a weight is (p/prior)^κ. 0 stands for 1.
	Scale float64
	// Prior has a probability > 0 per symbol, by which p is divided. It turns the posteriors of a
	// network into likelihoods, up to a factor per frame. nil means no division.
	Prior []float64
	// Unnormalized allows frames whose probabilities do not sum to 1. Scores do not require it.
	Unnormalized bool
	// Tolerance is the greatest allowed difference between the sum of a frame and 1 without
	// Unnormalized, by default 1e-3: enough for probabilities in float32 or with four decimals.
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
// immutable and safe for concurrent use.
//
// A weight is stored as a float64 number between 0 and 1, relative to the greatest weight of its
// frame. If the number is too small, its logarithm is used. So weights may have any magnitude.
type Emissions struct {
	frames, symbols int
	kind            kind
	scale           float64
	logPrior        []float64              // per symbol, nil: 0
	weight          []float64              // frames × symbols, relative to the greatest of the frame
	top             []semiring.ScaledFloat // per frame: the greatest weight
	deep            []bool                 // per frame: there are weights between 0 and leastWeight
	log             []float64              // frames × symbols: ln of the weights; of probabilities nil
	source          []float64              // p of probabilities; softmax of scores
}

const (
	leastWeight = 0x1p-200 // of the numbers in Emissions.weight that are exact
	farthest    = 1 << 32  // greatest |ln| of a weight that is not 0
)

// Probabilities returns emissions of probabilities p, symbols numbers ≥ 0 for each frame, frame
// by frame. The numbers are copied.
//
// The error wraps semiring.ErrShape if p does not have frames × symbols numbers, or frames or
// symbols is not positive. It wraps semiring.ErrNotFinite or ErrNegative with the frame and the
// symbol. It wraps nested.ErrInvalid for invalid options, a frame whose sum is not 1 within the
// tolerance, and a frame without a positive number. A weight whose logarithm is below −2³² is 0;
// a frame whose greatest weight has a logarithm beyond ±2³² is an error. It takes O(frames ×
// symbols).
func Probabilities[F Float](frames, symbols int, p []F, o *Options) (*Emissions, error) {
	return newEmissions(probabilities, frames, symbols, wide(p), o)
}

// LogProbabilities returns emissions of the natural logarithms of probabilities; −Inf is ln 0.
// Otherwise it is like Probabilities.
func LogProbabilities[F Float](frames, symbols int, logs []F, o *Options) (*Emissions, error) {
	return newEmissions(logarithms, frames, symbols, wide(logs), o)
}

// Scores returns emissions of scores, which a softmax converts to probabilities, frame by frame:
// e^s divided by the sum over the frame; −Inf is a probability of 0. Otherwise it is like
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

// newEmissions makes emissions from numbers. It takes ownership of x.
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
		weight: make([]float64, len(x)), top: make([]semiring.ScaledFloat, frames), deep: make([]bool, frames)}
	if opts.Prior != nil {
		e.logPrior = make([]float64, symbols)
		for v, p := range opts.Prior {
			e.logPrior[v] = math.Log(p)
		}
	}
	if kind != logarithms {
		e.source = x
	}
	if kind != probabilities {
		e.log = make([]float64, len(x))
	}
	for t := range frames {
		lo, hi := t*symbols, (t+1)*symbols
		log := e.log
		if log != nil {
			log = log[lo:hi]
		}
		if err := e.fill(t, x[lo:hi], e.weight[lo:hi], log, &opts); err != nil {
			return nil, nested.Errorf("frames: %w", err)
		}
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
		case p > top:
			top = p
		}
	}
	if e.kind == probabilities && top == 0 || math.IsInf(top, -1) {
		return fmt.Errorf("%w: frame %d: no symbol has a positive probability", nested.ErrInvalid, t)
	}
	sum, total := 0.0, 0.0 // of the probabilities: relative to top; ln
	if e.kind == probabilities {
		for v, p := range x {
			weight[v] = p / top
			sum += weight[v]
		}
		total = math.Log(sum) + math.Log(top)
	} else {
		for v, p := range x {
			weight[v] = math.Exp(p - top)
			sum += weight[v]
		}
		total = math.Log(sum) + top
	}
	if e.kind != scores && !o.Unnormalized && !(math.Abs(math.Expm1(total)) <= o.Tolerance) {
		return fmt.Errorf("%w: frame %d: probabilities sum to %.6g, want 1 within %g (Scores normalizes, Unnormalized allows it)",
			nested.ErrInvalid, t, math.Exp(total), o.Tolerance)
	}
	switch e.kind {
	case probabilities:
		e.top[t] = semiring.NewScaled(top)
	case logarithms:
		e.top[t] = semiring.ScaledFromLog(top)
		copy(log, x)
	case scores:
		e.top[t] = semiring.NewScaled(1 / sum)
		shift := math.Log(sum)
		for v := range x {
			log[v] = x[v] - top - shift
			x[v] = weight[v] / sum
		}
	}
	if e.logPrior != nil || e.scale != 1 {
		if err := e.weigh(t, x, weight, log); err != nil {
			return err
		}
	}
	if e.top[t].IsZero() || !e.top[t].IsFinite() || math.Abs(e.top[t].Log()) > farthest {
		return fmt.Errorf("%w: frame %d: the greatest weight is out of range", semiring.ErrNotFinite, t)
	}
	for v, w := range weight {
		if w < leastWeight && e.relative(t, v, w) != (semiring.ScaledFloat{}) {
			e.deep[t] = true
			break
		}
	}
	return nil
}

// weigh applies the prior and the scale to the weights of frame t, and to their logarithms.
func (e *Emissions) weigh(t int, x, weight, log []float64) error {
	of := log
	if of == nil {
		of = weight // for the time being
		for v, p := range x {
			of[v] = math.Log(p)
		}
	}
	top := math.Inf(-1)
	for v := range of {
		if e.logPrior != nil {
			of[v] -= e.logPrior[v]
		}
		if of[v] *= e.scale; math.IsInf(of[v], 1) {
			return fmt.Errorf("%w: frame %d: symbol %d: a weight out of range", semiring.ErrNotFinite, t, v)
		}
		top = max(top, of[v])
	}
	for v, l := range of {
		weight[v] = math.Exp(l - top)
	}
	e.top[t] = semiring.ScaledFromLog(top)
	return nil
}

// relative returns the weight of symbol v in frame t relative to the greatest, given as number.
func (e *Emissions) relative(t, v int, number float64) semiring.ScaledFloat {
	if number >= leastWeight {
		return semiring.NewScaled(number)
	}
	l := e.Log(t, v)
	if l < -farthest {
		return semiring.ScaledFloat{}
	}
	return semiring.ScaledFromLog(l).Div(e.top[t])
}

// Frames returns the number of frames.
func (e *Emissions) Frames() int { return e.frames }

// Symbols returns the number of symbols.
func (e *Emissions) Symbols() int { return e.symbols }

// Log returns the natural logarithm of the weight of symbol v in frame t, −Inf for 0.
func (e *Emissions) Log(t, v int) float64 {
	if e.log != nil {
		return e.log[t*e.symbols+v]
	}
	l := math.Log(e.source[t*e.symbols+v])
	if e.logPrior != nil {
		l -= e.logPrior[v]
	}
	return e.scale * l
}

// Weight returns the weight of symbol v in frame t.
func (e *Emissions) Weight(t, v int) semiring.ScaledFloat {
	return e.relative(t, v, e.weight[t*e.symbols+v]).Mul(e.top[t])
}

// Slice returns frames lo, …, hi−1, at least one, in the storage of e.
func (e *Emissions) Slice(lo, hi int) *Emissions {
	if lo < 0 || hi > e.frames || lo >= hi {
		panic(fmt.Sprintf("frames: Slice(%d, %d) of %d frames", lo, hi, e.frames))
	}
	s, n := *e, e.symbols
	s.frames = hi - lo
	s.weight, s.top, s.deep = e.weight[lo*n:hi*n], e.top[lo:hi], e.deep[lo:hi]
	if e.log != nil {
		s.log = e.log[lo*n : hi*n]
	}
	if e.source != nil {
		s.source = e.source[lo*n : hi*n]
	}
	return &s
}

// Gradient converts the derivatives γ = ∂ ln Z/∂ ln E by the logarithms of the weights, which sum
// to 1 in each frame (Graph.Counts), to derivatives by the numbers from which e was made: κ γ for
// logarithms, κ γ/p for probabilities, and κ (γ − softmax) for scores. It adds weight times these
// derivatives to gradient, frames × symbols numbers. A derivative by a probability of 0 is 0 if γ
// is.
func (e *Emissions) Gradient(gradient []float64, weight float64, gamma []float64) {
	if len(gradient) != len(e.weight) || len(gamma) != len(e.weight) {
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
