package em

import (
	"context"
	"errors"
	"math"
)

// wanderer is an ascent whose objective is of what was last seen of each block, so that it may end
// below where it began.
type wanderer interface {
	ascent
	// blocks returns its ledger, which has kept where it began.
	blocks() *ledger
}

func (a *drift) blocks() *ledger { return &a.memory.Ledger }
func (a *steps) blocks() *ledger { return &a.memory.Ledger }

// conclude returns the status of a start that is over, or has made all its iterations. An E step
// over all data sees whether a wanderer has come to a higher objective than it began with. If not,
// it is taken back there, and has stalled.
func (t *trainer) conclude(ctx context.Context, s *start, over bool) (Status, error) {
	status := IterationLimit
	if over {
		status = t.verdict(s)
	}
	a, ok := s.ascent.(wanderer)
	if !ok || len(s.Objective) == 0 || heuristic(t.likelihood) {
		return status, nil
	}
	if f, ok := s.ascent.(finisher); ok {
		f.finish(s)
	}
	q := t.ask(s.Theta)
	e, err := t.likelihood.Expect(ctx, q)
	lost := outOfRange(err) || errors.Is(err, ErrUnderivable)
	switch {
	case canceled(ctx, err):
		return status, t.canceled(ctx, s)
	case err != nil && !lost:
		return status, err
	case err == nil:
		if _, follows := s.ascent.(*drift); follows {
			if err := t.bounded(q.Theta, e.Counts); err != nil {
				return status, err
			}
		}
		p, l := t.point(q, e), a.blocks()
		rise := p.objective - s.Objective[0] + (p.face - s.Face[0])
		lost = len(p.skipped) == len(l.First.Skipped) && rise < -decreaseRounding*(1+math.Abs(s.Objective[0]))
	}
	if !lost {
		return status, nil
	}
	a.blocks().back(s)
	return Stalled, nil
}

// departure is where a start began.
type departure struct {
	Theta         []float64
	LogLikelihood float64
	Skipped       []Skipped
	Back          bool // the start has been taken back there
}

// back takes s back to where it began.
func (l *ledger) back(s *start) {
	l.First.Back = true
	last := len(s.Objective) - 1
	s.Objective[last], s.Face[last] = s.Objective[0], s.Face[0]
	s.Theta, s.LogLikelihood, s.Skipped = l.First.Theta, l.First.LogLikelihood, l.First.Skipped
}
