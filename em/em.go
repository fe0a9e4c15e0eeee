package em

import (
	"context"
	"fmt"
	"slices"
)

// EM is expectation maximization as such: an E step over all data, then an M step
// (Dempster, Laird and Rubin 1977). The objective never falls. With a law whose
// Maximize only improves it is generalized EM, and still never falls.
type EM struct{}

// String returns "EM".
func (EM) String() string { return "EM" }

func (m EM) complete(*Options) (Method, error)     { return m, nil }
func (EM) pass(int) int                            { return 1 }
func (EM) ascend(*trainer, *start) (ascent, error) { return new(plain), nil }

// plain is EM at work.
type plain struct {
	query Query
	found *Expectations
}

func (*plain) state() any { return nil }

func (*plain) ask(t *trainer, s *start) []Query { return []Query{t.query(s.Theta)} }

func (a *plain) tell(t *trainer, s *start, found []*Expectations) (point, error) {
	return a.at(t, t.query(s.Theta), found[0]), nil
}

// at notes what the E step q found, for the M step, and returns where it has come to.
func (a *plain) at(t *trainer, q Query, found *Expectations) point {
	a.query, a.found = q, found
	return t.point(q, found)
}

func (a *plain) step(ctx context.Context, t *trainer, s *start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	var err error
	s.Theta, err = t.maximize(ctx, s, a.query, a.found)
	return false, err
}

// maximize returns the M step from s.Theta, where the E step q found e: the
// likelihood's own, if it has one, or what the groups' laws do.
func (t *trainer) maximize(ctx context.Context, s *start, q Query, e *Expectations) ([]float64, error) {
	theta, err := slices.Clone(s.Theta), error(nil)
	if m, ok := t.likelihood.(maximizer); ok {
		theta, err = m.maximize(ctx, q, e)
	} else {
		err = t.params.maximize(theta, e.Counts)
	}
	if err != nil {
		return nil, fmt.Errorf("em: %v: %w", t.opts.Method, err)
	}
	if t.params.changesFace(s.Theta, theta) {
		s.Base = len(s.Objective)
	}
	return theta, nil
}

// changesFace reports whether a parameter with a sparse prior has become zero:
// the log prior is then over a smaller simplex and does not compare.
func (p *Params) changesFace(before, after []float64) bool {
	for _, g := range p.groups {
		d, ok := g.law.(Dirichlet)
		if !ok {
			continue
		}
		b, a := g.In(before), g.In(after)
		for i := range a {
			if a[i] == 0 && b[i] > 0 && d.alpha(i) < 1 {
				return true
			}
		}
	}
	return false
}
