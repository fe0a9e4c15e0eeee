package em

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// SGD is stochastic gradient ascent in the coordinates of the laws, with
// rates as in AdaGrad (Duchi, Hazan and Singer 2011): after the first iteration,
// which sees all data, each sees one minibatch of shards and moves coordinate i by
//
//	Rate · gᵢ / √(Σ gᵢ² so far),
//
// g being the gradient of the minibatch, scaled to all data, and of the log prior;
// a Laplace prior then pulls the coordinate towards 0 and stops there. Minibatches
// come in the order of the data: mix data that are sorted. It works for any
// Likelihood; every law must be Coordinated.
//
// The objective is the sum of what was last seen of each minibatch. It may fall.
// The start converges when it changes by no more than the tolerance in a pass. A step to
// where the minibatch has no value is halved, in an iteration of its own.
type SGD struct {
	// Rate is how far the first step moves a coordinate (default 1).
	Rate float64
	// Shards is the number of shards of a minibatch (default 1): the most that
	// workers can share.
	Shards int
	// Average makes the result the mean, in coordinates, of the points that all steps
	// led to, instead of the last of them (Polyak and Juditsky 1992). It varies less
	// with the last minibatches, and a few passes are then enough.
	Average bool
}

// String returns "SGD".
func (SGD) String() string { return "SGD" }

func (m SGD) complete(*Options) (Method, error) {
	set(&m.Rate, 1)
	set(&m.Shards, 1)
	switch {
	case !(m.Rate > 0) || math.IsInf(m.Rate, 1):
		return badMethod(m, "rate %g, want a finite number > 0", m.Rate)
	case m.Shards < 0:
		return badMethod(m, "%d shards", m.Shards)
	}
	return m, nil
}

func (m SGD) pass(shards int) int { return blocks(shards, m.Shards) }

func (m SGD) ascend(t *trainer, s *start) (ascent, error) {
	if err := t.needsDerivatives(); err != nil {
		return nil, err
	}
	coordinates, err := t.params.Coordinates(s.Theta)
	if err != nil {
		return nil, fmt.Errorf("em: %v: %w", m, err)
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

// drift is SGD at work.
type drift struct {
	SGD
	coordinates *Coordinates
	l1          []float64
	memory      struct {
		Ledger  ledger
		At      []float64 // coordinates of θ
		Squares []float64 // of the gradients, summed
		Mean    []float64 // of the points so far, if it is wanted
		Steps   int
		Before  []float64 // coordinates of the last θ that had a value
		Halved  int       // how often the last step was
	}
	gradient []float64
}

// maxHalvings is how often a step is halved before it is given up.
const maxHalvings = 60

func (a *drift) state() any { return &a.memory }

func (a *drift) ask(t *trainer, s *start) []Query { return a.memory.Ledger.ask(t, s, a.Shards) }

func (a *drift) tell(t *trainer, s *start, found []*Expectations) (point, error) {
	if found == nil {
		a.memory.Ledger.Refused++
		a.memory.Halved++
		return refused, nil
	}
	if a.memory.Halved > 0 {
		s.Base = len(s.Objective) // a gain that is small says nothing
	}
	a.memory.Halved = 0
	a.memory.Before = slices.Clone(a.memory.At)
	_, p := a.memory.Ledger.enter(t, s, a.Shards, found)
	p.step = GradientStep
	a.coordinates.Gradient(a.gradient, s.Theta, a.memory.Ledger.sum(found))
	return p, nil
}

func (a *drift) step(_ context.Context, _ *trainer, s *start, settled bool) (bool, error) {
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

// halve makes the last step half as long, in the end none.
func (a *drift) halve(s *start) {
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

func (a *drift) finish(s *start) {
	switch m := &a.memory; {
	case m.Steps == 0:
	case a.Average:
		s.Theta = a.coordinates.Theta(m.Mean)
	case m.Halved > 0:
		s.Theta = a.coordinates.Theta(m.Before)
	}
}
