package em

import (
	"context"
	"math"
)

// Stepwise is EM with running counts (Cappé and Moulines 2009; Liang and Klein
// 2009): after the first iteration, which sees all data, each sees one minibatch of
// shards, and the t-th of them, from 0, moves the running counts towards those of
// its minibatch, scaled to all data, by the fraction (t+2)^−Power. Minibatches come
// in the order of the data: mix data that are sorted.
//
// The objective is the sum of what was last seen of each minibatch. It may fall.
// The start converges when it changes by no more than the tolerance in a pass.
type Stepwise struct {
	// Power, in (½, 1], is how fast the steps shrink (default 0.7).
	Power float64
	// Shards is the number of shards of a minibatch (default 1): the most that
	// workers can share.
	Shards int
}

// String returns "stepwise EM".
func (Stepwise) String() string { return "stepwise EM" }

func (m Stepwise) complete(*Options) (Method, error) {
	set(&m.Power, .7)
	set(&m.Shards, 1)
	switch {
	case !(m.Power > .5) || m.Power > 1:
		return badMethod(m, "power %g, want one in (0.5, 1]", m.Power)
	case m.Shards < 0:
		return badMethod(m, "%d shards", m.Shards)
	}
	return m, nil
}

func (m Stepwise) pass(shards int) int { return blocks(shards, m.Shards) }

func (m Stepwise) ascend(t *trainer, _ *start) (ascent, error) {
	return &steps{Stepwise: m}, t.needsCounts()
}

// steps is Stepwise at work.
type steps struct {
	Stepwise
	memory struct {
		Ledger  ledger
		Running []float64
	}
}

func (a *steps) state() any { return &a.memory }

func (a *steps) ask(t *trainer, s *start) []Query { return a.memory.Ledger.ask(t, s, a.Shards) }

func (a *steps) tell(t *trainer, s *start, found []*Expectations) (point, error) {
	m := &a.memory
	_, p := m.Ledger.enter(t, s, a.Shards, found)
	p.step = MStep
	counts := m.Ledger.sum(found)
	if m.Running == nil {
		m.Running = counts
		return p, nil
	}
	eta := math.Pow(float64(len(s.Objective)+1), -a.Power)
	for i, c := range counts {
		m.Running[i] += eta * (c - m.Running[i])
	}
	return p, nil
}

func (a *steps) step(ctx context.Context, t *trainer, s *start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	var err error
	s.Theta, err = t.maximize(ctx, s, t.query(s.Theta), &Expectations{Counts: a.memory.Running})
	return false, err
}
