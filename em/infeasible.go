package em

import (
	"errors"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Scalable is a Law of positive numbers that need not sum to anything, the
// strengths of a model that is normalized as a whole. Sums over such a model have a value
// where the strengths are small enough: Fit scales a start down until they have, unless
// the caller chose it.
type Scalable interface {
	Law
	// Scale multiplies the values of theta by exp(ln); false, and nothing, if they are
	// not free.
	Scale(theta []float64, ln float64) bool
}

// Scale adds ln to every log weight of a law without outcomes. Outcomes are normalized
// by themselves.
func (l *LogLinear) Scale(theta []float64, ln float64) bool {
	if l.outcomes() > 0 {
		return false
	}
	for k := range theta {
		theta[k] += ln
	}
	return true
}

// scale returns theta with all values that are free multiplied by exp(ln); false if there
// are none, or it is not legal.
func (p *Params) scale(theta []float64, ln float64) ([]float64, bool) {
	theta, some := append([]float64(nil), theta...), false
	for _, g := range p.groups {
		if law, ok := g.law.(Scalable); ok && law.Scale(g.In(theta), ln) {
			some = true
		}
	}
	return theta, some && p.Check(theta) == nil
}

// firstShrinkage is the least by which ln of strengths is made smaller, and the next are
// twice as much each.
const (
	firstShrinkage = .5
	shrinkages     = 12
)

// shrink puts start i, whose first E step has no value, at smaller strengths than so far;
// false if it is the caller's, or there is nothing left to try.
func (t *trainer) shrink(s *start, i int) (bool, error) {
	if i == 0 && t.given || s.shrunk == shrinkages {
		return false, nil
	}
	if s.drawn == nil {
		s.drawn = s.Theta
	}
	theta, ok := t.params.scale(s.drawn, -firstShrinkage*math.Exp2(float64(s.shrunk)))
	if !ok {
		return false, nil
	}
	s.shrunk++
	s.Theta = theta
	var err error
	s.ascent, err = t.opts.Method.ascend(t, s)
	return err == nil, err
}

// relaxer is an ascent that can ask for other E steps where those that it asked for have
// no value.
type relaxer interface {
	ascent
	// relax reports whether there are others.
	relax(t *trainer, s *start) bool
}

// retreat says what to do where the E steps of an iteration, at a θ that is no trial, have
// no value: true to try again.
func (t *trainer) retreat(s *start, i int, queries []Query) (bool, error) {
	t.observe(s, i, point{objective: math.Inf(-1), logLikelihood: math.Inf(-1), step: InfeasibleStep}, queries[0], nil)
	if a, ok := s.ascent.(relaxer); ok && a.relax(t, s) {
		return true, nil
	}
	if len(s.Objective) > 0 {
		return false, nil
	}
	return t.shrink(s, i)
}

// outOfRange reports whether err says that a θ is not legal, or that a path sum has no
// finite value there.
func outOfRange(err error) bool { return isAny(err, outside) }

// infeasible reports whether err ends a start and not the others: it has come to where
// the objective has no value, or no maximum.
func infeasible(err error) bool { return outOfRange(err) || errors.Is(err, ErrNoMode) }

// outside are the errors of a θ at which the objective has no value.
var outside = []error{ErrParameter, semiring.ErrDiverges, semiring.ErrInaccurate, semiring.ErrNotFinite, expr.ErrParam, expr.ErrDivision}

func isAny(err error, of []error) bool {
	for _, target := range of {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
