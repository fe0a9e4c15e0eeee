package em

import (
	"context"
	"fmt"
)

// EM is expectation maximization as such: an E step over all data, then an M step
// (Dempster, Laird and Rubin 1977). The objective never falls. With a law whose
// Maximize only improves it is generalized EM, and still never falls.
//
// It holds two vectors of the length of θ, θ and the counts, beside what the likelihood
// and the M steps of the laws hold.
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

func (a *plain) ask(t *trainer, s *start) []Query {
	a.query = t.ask(s.next())
	return []Query{a.query}
}

func (a *plain) tell(t *trainer, _ *start, found []*Expectations) (point, error) {
	a.found = found[0]
	return t.point(a.query, a.found), nil
}

func (a *plain) step(ctx context.Context, t *trainer, s *start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	return false, t.maximize(ctx, s, a.query, a.found)
}

// maximize makes the M step from s.Theta, where the E step q found e: the likelihood's
// own, if it has one, or what the groups' laws do, in place and one group after the
// other.
func (t *trainer) maximize(ctx context.Context, s *start, q Query, e *Expectations) error {
	var theta, before []float64
	var err error
	m, own := t.likelihood.(maximizer)
	if own {
		theta, err = m.maximize(ctx, q, e)
	}
	for i := 0; i < len(t.params.groups) && err == nil; i++ {
		g := t.params.groups[i]
		at := g.In(s.Theta)
		d, mayShrink := g.law.(Dirichlet)
		if mayShrink {
			before = append(before[:0], at...)
		}
		if own {
			copy(at, g.In(theta))
		} else if err = g.law.Maximize(at, g.In(e.Counts)); err != nil {
			err = fmt.Errorf("group %s: %w", g.name, err)
		}
		if mayShrink && d.changesFace(before, at) {
			s.Base = len(s.Objective)
		}
	}
	if err != nil {
		return fmt.Errorf("em: %v: %w", t.opts.Method, err)
	}
	return nil
}

// changesFace reports whether a parameter with a sparse prior has become zero:
// the log prior is then over a smaller simplex and does not compare.
func (d Dirichlet) changesFace(before, after []float64) bool {
	for i, x := range after {
		if x == 0 && before[i] > 0 && d.alpha(i) < 1 {
			return true
		}
	}
	return false
}
