package em

import (
	"context"
	"errors"
	"math"
	"slices"
)

// conclude returns the status of a start that is over, or has made all its iterations. An E step
// over all data sees whether one whose objective may fall has come no lower than it began. If not,
// it is taken back there, and has stalled.
func (t *Trainer) conclude(ctx context.Context, s *start, over bool) (Status, error) {
	status := IterationLimit
	if over {
		status = t.verdict(s)
	}
	if s.First == nil {
		return status, nil
	}
	if f, ok := s.ascent.(Finisher); ok {
		f.Finish(&s.Start)
	}
	q := t.Ask(s.Theta)
	e, err := t.likelihood.Expect(ctx, q)
	lost := outOfRange(err) || errors.Is(err, ErrUnderivable)
	switch {
	case canceled(ctx, err):
		return status, t.canceled(ctx, s)
	case err != nil && !lost:
		return status, err
	case err == nil:
		if t.follows {
			if err := t.Bounded(q.Theta, e.Counts); err != nil {
				return status, err
			}
		}
		p := t.Point(q, e)
		rise := p.Objective - s.Objective[0] + (p.face - s.Face[0])
		lost = len(p.Skipped) == len(s.First.Skipped) && rise < -decreaseRounding*(1+math.Abs(s.Objective[0]))
	}
	if !lost {
		return status, nil
	}
	s.back()
	return Stalled, nil
}

// departure is where a start began.
type departure struct {
	Theta         []float64
	LogLikelihood float64
	Skipped       []Skipped
	Back          bool // the start has been taken back there
}

// depart remembers where s begins, if its objective, p at theta, may fall.
func (t *Trainer) depart(s *start, theta []float64, p Point) {
	if len(s.Objective) == 0 && !p.Rises && !heuristic(t.likelihood) {
		s.First = &departure{Theta: slices.Clone(theta), LogLikelihood: p.LogLikelihood, Skipped: p.Skipped}
	}
}

// back takes s back to where it began.
func (s *start) back() {
	s.First.Back = true
	last := len(s.Objective) - 1
	s.Objective[last], s.Face[last] = s.Objective[0], s.Face[0]
	s.Theta, s.LogLikelihood, s.Skipped = s.First.Theta, s.First.LogLikelihood, s.First.Skipped
}
