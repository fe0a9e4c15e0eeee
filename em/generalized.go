package em

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/lbfgs"
)

// maximizer is a Likelihood with an M step of its own, in place of those of the
// parameters' laws.
type maximizer interface {
	Likelihood
	// maximize returns a θ with an objective, log prior included, that is at least
	// that of q.Theta, where the E step q found e.
	maximize(ctx context.Context, q Query, e *Expectations) ([]float64, error)
}

// maximize climbs the bound Σ counts·ln value − Minus + log prior, with the counts of
// Plus at q.Theta and its temperature.
func (d *Difference) maximize(ctx context.Context, q Query, e *Expectations) ([]float64, error) {
	if e.plus == nil {
		return nil, fmt.Errorf("em: M step of a difference: %w to counts of several E steps", ErrMethod)
	}
	steps := d.Steps
	set(&steps, 5)
	p := d.Params()
	coordinates, err := p.Coordinates(q.Theta)
	if err != nil || coordinates.Dim() == 0 {
		return slices.Clone(q.Theta), err
	}
	b := bound{d: d, ctx: ctx, query: q, coordinates: coordinates, plus: e.plus}
	b.query.Tangent = nil
	s := lbfgs.New(coordinates.Of(q.Theta), coordinates.L1(), 0)
	b.l1 = s.L1
	gradient := make([]float64, coordinates.Dim())
	value := b.at(gradient, s.Next(), q.Theta, e.minus)
	for {
		accepted, err := s.Tell(value, gradient)
		if err != nil && !errors.Is(err, lbfgs.ErrStalled) {
			return nil, err
		}
		if accepted {
			steps-- // the first is where the others start
		}
		if err != nil || steps < 0 || s.Norm() <= gradientRounding*max(1, math.Abs(s.Value)) {
			return coordinates.Theta(s.At), nil
		}
		if value, err = b.eval(gradient, s.Next()); err != nil {
			return nil, err
		}
	}
}

// gradientRounding is what rounding leaves of a gradient, relative to the objective.
const gradientRounding = 1e-13

// bound is what maximize climbs, as a function to be minimized.
type bound struct {
	d           *Difference
	ctx         context.Context
	query       Query
	coordinates *Coordinates
	l1          []float64
	plus        *Expectations
}

// eval returns the value at x and its gradient, +Inf where Minus has no value.
func (b *bound) eval(gradient, x []float64) (float64, error) {
	b.query.Theta = b.coordinates.Theta(x)
	minus, err := b.d.compete(b.ctx, b.query, b.plus.Skipped)
	if outOfRange(err) {
		return math.Inf(1), nil
	}
	if err != nil {
		return 0, err
	}
	return b.at(gradient, x, b.query.Theta, minus), nil
}

func (b *bound) at(gradient, x, theta []float64, minus *Expectations) float64 {
	p := b.coordinates.params
	counts := make([]float64, p.n)
	floats.SubTo(counts, b.plus.Counts, minus.Counts)
	b.coordinates.Gradient(gradient, theta, counts)
	floats.Scale(-1, gradient)
	value := minus.LogLikelihood - p.score(theta, b.plus.Counts) - p.LogPrior(theta)
	for i, w := range b.l1 { // which the minimizer adds itself
		value -= w * math.Abs(x[i])
	}
	return value
}
