package em

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// LBFGS follows the gradient of the objective in the coordinates of
// the laws, by limited-memory BFGS (Liu and Nocedal 1989), orthant-wise if a law
// has a Laplace prior (Andrew and Gao 2007). Each evaluation is an iteration; the
// objective of accepted iterations does not fall beyond rounding. LBFGS works for
// any Likelihood, also if counts may be negative; every law must be Coordinated.
//
// A parameter that is zero stays zero. A parameter whose best value is zero approaches zero but
// never reaches it. If the objective has no bound under a law (see Bounded), the start ends with an
// error that wraps ErrNoMode. Examples are a Dirichlet prior with α < 1, and a Gaussian that has
// specialized in too few points. If the objective rises without bound towards a θ at which it
// has no value, the best point met is returned with the Status Stalled.
//
// It holds up to 2·Memory + 10 vectors of the length of θ: θ, the trial point, the fixed zeros,
// the counts, and in coordinates the memory, the point, the gradient and the vectors of the
// search.
type LBFGS struct {
	// Memory is the number of steps from which the curvature is estimated (default
	// 10).
	Memory int
}

// String returns "L-BFGS".
func (LBFGS) String() string { return "L-BFGS" }

// Complete implements Method.
func (m LBFGS) Complete(*Options) (Method, error) {
	m.Memory = cmp.Or(m.Memory, 10)
	if m.Memory < 0 {
		return badMethod(m, "memory for %d steps", m.Memory)
	}
	return m, nil
}

// Pass implements Method.
func (LBFGS) Pass(int) int { return 1 }

// Begin implements Method.
func (m LBFGS) Begin(t *Trainer, s *Start) (Ascent, error) {
	if err := t.NeedsDerivatives(); err != nil {
		return nil, err
	}
	coordinates, err := t.Coordinates(s.Theta)
	if err != nil {
		return nil, err
	}
	return &descent{coordinates: coordinates, memory: lbfgs.New(coordinates.Of(s.Theta), coordinates.L1(), m.Memory)}, nil
}

// Coordinates returns the coordinates in which a method follows the gradient from theta. The error
// wraps ErrCoordinates or ErrMethod if a law has no suitable coordinates, ErrNoMode if the
// objective has no bound (see Bounded), and semiring.ErrNotFinite if the prior has the density 0.
func (t *Trainer) Coordinates(theta []float64) (*Coordinates, error) {
	c, err := t.params.Coordinates(theta)
	if err == nil {
		err = t.params.stray()
	}
	if err != nil {
		return nil, nested.Errorf("em: %v: %w", t.opts.Method, err)
	}
	t.follows = true
	for _, g := range t.params.groups {
		if math.IsInf(g.law.LogPrior(g.In(theta)), -1) {
			return nil, nested.Errorf("em: %v: %w: group %s: the prior density is 0 at the start, where a parameter is 0, and a gradient cannot leave this point; use em.EM, or start elsewhere",
				t.opts.Method, semiring.ErrNotFinite, g.name)
		}
	}
	return c, t.Bounded(theta, nil)
}

// descent is the Ascent of LBFGS: it minimizes minus the objective.
type descent struct {
	coordinates *Coordinates
	memory      *lbfgs.State
	stalled     bool
}

func (a *descent) State() any { return a.memory }

// Status returns Stalled if the remaining gain exceeds the tolerance, estimated from the gradient
// and a curvature as large as the objective.
func (a *descent) Status(t *Trainer, s *Start) Status {
	size := max(1, math.Abs(s.Last()))
	if a.stalled && s.GradientNorm*s.GradientNorm/(2*size) > max(t.opts.Tolerance, decreaseRounding)*size {
		return Stalled
	}
	return Converged
}

func (a *descent) Ask(t *Trainer, s *Start) []Query { return []Query{t.Ask(s.Next())} }

func (a *descent) Tell(t *Trainer, s *Start, found []*Expectations) (Point, error) {
	p := refused
	value, gradient := math.Inf(1), make([]float64, a.coordinates.Dim())
	if found != nil {
		p = t.Point(t.query(s.Next()), found[0])
		value = a.coordinates.falling(gradient, a.memory.L1, a.memory.Next(), s.Next(), found[0].Counts, p.Objective)
	}
	accepted, err := a.memory.Tell(value, gradient)
	if a.stalled = errors.Is(err, lbfgs.ErrStalled); err != nil && !a.stalled {
		return p, nested.Errorf("em: %v: %w", t.opts.Method, err)
	}
	if accepted {
		if err := t.Bounded(s.Next(), found[0].Counts); err != nil {
			return p, err
		}
	}
	s.GradientNorm = a.memory.Norm()
	p.Step, p.Period = RejectedStep, 0
	if accepted {
		p.Step, p.Period = GradientStep, 1
		s.Theta = slices.Clone(s.Next())
	}
	s.Trial = nil
	return p, nil
}

// steep is a derivative, relative to the objective or 1, that is too large for an optimum.
const steep = 1e-3

// Step ends the start when the last gain is small and the remaining gain, estimated from the
// remembered curvature, is small, too: a single gain may be small by chance.
func (a *descent) Step(_ context.Context, t *Trainer, s *Start, settled bool) (bool, error) {
	left, size := -a.memory.Slope/2, max(1, math.Abs(s.Last()))
	a.stalled = a.stalled || settled && a.memory.Cut
	if a.stalled || settled && left <= t.opts.Tolerance*math.Abs(s.Last()) && s.GradientNorm <= steep*size {
		return true, nil
	}
	s.Trial = a.coordinates.Theta(a.memory.Next())
	return false, nil
}

// SGD is stochastic gradient ascent in the coordinates of the laws, with
// rates as in AdaGrad (Duchi, Hazan and Singer 2011): after the first iteration,
// which sees all data, each sees one minibatch of shards and moves coordinate i by
//
//	Rate · gᵢ / √(Σ gᵢ² so far),
//
// where g is the gradient of the minibatch, scaled to all data, and of the log prior.
// A Laplace prior then moves the coordinate towards 0, but not beyond. Minibatches
// follow the order of the data: shuffle data that are sorted. It works for any
// Likelihood; every law must be Coordinated.
//
// The objective is the sum of the last log likelihoods of the minibatches. It may fall.
// The start converges when it changes by no more than the tolerance in a pass. If the minibatch
// has no value after a step, the step is halved, in a separate iteration. A last E step over
// all data compares the result with the start. If the result is lower, the start is returned with
// the Status Stalled. If the objective has no bound at the result, the error is as for LBFGS.
//
// It holds up to nine vectors of the length of θ: θ, the start, the fixed zeros, the counts,
// and in coordinates the point, the previous point, the gradient, the sums of its squares, and the
// mean.
type SGD struct {
	// Rate is the distance by which the first step moves a coordinate (default 1).
	Rate float64
	// Shards is the number of shards of a minibatch (default 1). It limits the number of
	// workers that can share an E step.
	Shards int
	// Average makes the result the mean, in coordinates, of the points after all steps
	// instead of the last point (Polyak and Juditsky 1992). The mean depends less
	// on the last minibatches, so a few passes are enough.
	Average bool
}

// String returns "SGD".
func (SGD) String() string { return "SGD" }

// Complete implements Method.
func (m SGD) Complete(*Options) (Method, error) {
	m.Rate = cmp.Or(m.Rate, 1)
	m.Shards = cmp.Or(m.Shards, 1)
	switch {
	case !(m.Rate > 0) || math.IsInf(m.Rate, 1):
		return badMethod(m, "rate %g, want a finite number > 0", m.Rate)
	case m.Shards < 0:
		return badMethod(m, "%d shards", m.Shards)
	}
	return m, nil
}

// Pass implements Method.
func (m SGD) Pass(shards int) int { return blocks(shards, m.Shards) }

// Begin implements Method.
func (m SGD) Begin(t *Trainer, s *Start) (Ascent, error) {
	if err := t.NeedsDerivatives(); err != nil {
		return nil, err
	}
	coordinates, err := t.Coordinates(s.Theta)
	if err != nil {
		return nil, err
	}
	a := &drift{SGD: m, coordinates: coordinates, l1: coordinates.L1()}
	a.memory.At = coordinates.Of(s.Theta)
	a.memory.Squares = make([]float64, len(a.memory.At))
	a.gradient = make([]float64, len(a.memory.At))
	if m.Average {
		a.memory.Mean = make([]float64, len(a.memory.At))
	}
	return a, nil
}

// drift is the Ascent of SGD.
type drift struct {
	SGD
	coordinates *Coordinates
	l1          []float64
	memory      struct {
		Ledger  ledger
		At      []float64 // coordinates of θ
		Squares []float64 // of the gradients, summed
		Mean    []float64 // of the points so far, if Average is set
		Steps   int
		Before  []float64 // coordinates of the last θ that had a value
		Halved  int       // number of halvings of the last step
	}
	gradient []float64
}

// maxHalvings is the number of halvings after which a step is given up.
const maxHalvings = 60

func (a *drift) State() any { return &a.memory }

func (a *drift) Ask(t *Trainer, s *Start) []Query { return a.memory.Ledger.askSum(t, s, a.Shards) }

func (a *drift) Tell(t *Trainer, s *Start, found []*Expectations) (Point, error) {
	if found == nil {
		a.memory.Ledger.Refused++
		a.memory.Halved++
		return refused, nil
	}
	if a.memory.Halved > 0 {
		s.Base = len(s.Objective) // a small gain does not imply convergence here
	}
	a.memory.Halved = 0
	a.memory.Before = slices.Clone(a.memory.At)
	_, p := a.memory.Ledger.enter(t, s, a.Shards, found)
	p.Step = GradientStep
	a.coordinates.Gradient(a.gradient, s.Theta, a.memory.Ledger.sum(t, found))
	return p, nil
}

func (a *drift) Step(_ context.Context, _ *Trainer, s *Start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	m := &a.memory
	if m.Halved > 0 {
		a.halve(s)
		return false, nil
	}
	for i, g := range a.gradient {
		if m.Squares[i] += g * g; m.Squares[i] == 0 {
			continue
		}
		rate := a.Rate / math.Sqrt(m.Squares[i])
		x := m.At[i] + rate*g
		if a.l1 != nil {
			x = math.Copysign(max(0, math.Abs(x)-rate*a.l1[i]), x)
		}
		m.At[i] = x
	}
	m.Steps++
	for i := range m.Mean {
		m.Mean[i] += (m.At[i] - m.Mean[i]) / float64(m.Steps)
	}
	s.Theta = a.coordinates.Theta(m.At)
	s.Trial = s.Theta
	return false, nil
}

// halve halves the last step. At maxHalvings it reverts the step.
func (a *drift) halve(s *Start) {
	m := &a.memory
	for i, x := range m.At {
		m.At[i] = m.Before[i] + (x-m.Before[i])/2
		if m.Halved == maxHalvings {
			m.At[i] = m.Before[i]
		}
		if m.Mean != nil {
			m.Mean[i] += (m.At[i] - x) / float64(m.Steps)
		}
	}
	s.Theta = a.coordinates.Theta(m.At)
	if s.Trial = s.Theta; m.Halved == maxHalvings {
		s.Trial = nil
	}
}

func (a *drift) Finish(s *Start) {
	switch m := &a.memory; {
	case m.Steps == 0:
	case a.Average:
		s.Theta = a.coordinates.Theta(m.Mean)
	case m.Halved > 0:
		s.Theta = a.coordinates.Theta(m.Before)
	}
}
