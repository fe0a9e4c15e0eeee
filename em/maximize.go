package em

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Scorer is a Law whose parameters are not all factors of weights. The
// expected log probability of complete data is not Σ counts·ln value then, but what
// it says.
type Scorer interface {
	Law
	// Score returns the expected log probability at theta of complete data with
	// these counts, up to a constant.
	Score(theta, counts []float64) float64
}

// maximize returns the M step from s.Theta, where the E step q found e: that of the
// likelihood, if it has one of its own, or those of the groups' laws.
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

// needsCounts returns an error if the M step needs more than the counts of several E
// steps added up.
func (t *trainer) needsCounts() error {
	if _, ok := t.likelihood.(maximizer); ok {
		return fmt.Errorf("em: %v: %w to %T: its M step takes one whole E step", t.opts.Method, ErrMethod, t.likelihood)
	}
	return nil
}

// changesFace reports whether a parameter with a sparse prior has become zero:
// the log prior is then that of a smaller simplex and does not compare.
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

// negligible is a count so small that the parameter estimated from it may have become
// 0 by rounding.
const negligible = 1e-300

// score returns the expected log probability at theta of complete data with these
// counts: Σ counts·ln value, but where a law is a Scorer.
func (p *Params) score(theta, counts []float64) float64 {
	values := p.Values(theta)
	sum := 0.0
	for _, g := range p.groups {
		if law, ok := g.law.(Scorer); ok {
			sum += law.Score(g.In(theta), g.In(counts))
			continue
		}
		for i := g.first; i < g.first+g.n; i++ {
			if math.Abs(counts[i]) > negligible {
				sum += counts[i] * values[i].Log()
			}
		}
	}
	return sum
}
