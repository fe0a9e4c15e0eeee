package moments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// Margin returns (Total·θ − Σ max_y φ(x, y)·θ)/|θ|, 0 for θ = 0. If it is positive, θ is
// the normal of a plane between Total and the statistics of all y: a proof that Total lies
// outside the marginal polytope, by at least as much. With a ridge there is an estimate of
// such a Total all the same. It takes an E step for the best y; the error is that of it.
func (r *Result) Margin(ctx context.Context) (float64, error) {
	s, err := r.support(ctx)
	if err != nil {
		return 0, err
	}
	return s.margin, nil
}

// support is the farthest that statistics of any y go in the direction of θ.
type support struct {
	best     *em.Expectations // nil for θ = 0
	far      float64          // where they were looked for, in units of θ
	margin   float64
	rounding float64 // of margin
}

// support looks far out, where the best y is that of the greatest φ·θ whatever constants
// its weight has.
func (r *Result) support(ctx context.Context) (s support, err error) {
	const far = 1e3
	l, size, norm := r.objective, 0.0, 0.0
	for _, g := range l.strengths {
		size = math.Max(size, floats.Norm(r.Theta[g.lo:g.hi], math.Inf(1)))
		norm = math.Hypot(norm, floats.Norm(r.Theta[g.lo:g.hi], 2))
	}
	if norm == 0 {
		return s, nil
	}
	s.far = far / size
	if s.best, err = l.best(ctx, r.Theta, s.far, r.workers); err != nil {
		return s, err
	}
	for _, g := range l.strengths {
		for i := g.lo; i < g.hi; i++ {
			s.margin += (l.total[i] - s.best.Counts[i]) * r.Theta[i] / norm
			s.rounding += marginRounding * math.Abs((math.Abs(l.total[i])+math.Abs(s.best.Counts[i]))*r.Theta[i]/norm)
		}
	}
	return s, nil
}

// marginRounding is how much of a sum's terms rounding may leave of a margin of 0.
const marginRounding = 1e-9

// largest is the difference, in nats and for an example on average, between the scores
// φ·θ of its best and its worst y that says that there is no maximum: exp(±1000) is
// nothing that data of any size can tell from 0 or infinity.
const largest = 1e3

// locate returns an error if there is no maximum, which only the lack of a ridge allows.
func (r *Result) locate(ctx context.Context) error {
	l := r.objective
	if l.ridge > 0 {
		return nil
	}
	s, err := r.support(ctx)
	if err != nil || s.best == nil {
		return err
	}
	worst, err := l.best(ctx, r.Theta, -s.far, r.workers) // as far out on the other side
	if err != nil {
		return err
	}
	spread := 0.0
	for _, g := range l.strengths {
		for i := g.lo; i < g.hi; i++ {
			spread += (s.best.Counts[i] - worst.Counts[i]) * r.Theta[i]
		}
	}
	if s.margin <= s.rounding && spread <= largest*float64(s.best.Examples) {
		return nil
	}
	i := l.largestOf(r.Theta)
	return fmt.Errorf("moments: %w: margin %.3g, with %s at %.3g; estimate a distribution first, shrink, or use a ridge",
		ErrOutside, s.margin, l.Params().Name(int32(i)), r.Theta[i])
}

// best returns the statistics of the best y at the strengths of theta times scale.
func (l *objective) best(ctx context.Context, theta []float64, scale float64, workers int) (*em.Expectations, error) {
	direction := slices.Clone(theta)
	for _, s := range l.strengths {
		floats.Scale(scale, direction[s.lo:s.hi])
	}
	e, err := l.Likelihood.Expect(ctx, em.Query{Theta: direction, EStep: em.Viterbi, Workers: workers})
	if err != nil {
		return nil, fmt.Errorf("moments: best y: %w", err)
	}
	return e, nil
}
