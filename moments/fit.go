package moments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// Options says how Fit estimates. A nil *Options and the zero value of each field mean
// the default.
type Options struct {
	// Ridge is the factor of −|θ|²/2 in the objective, a sum over the examples: the
	// default 1 is 1/n for a mean over n of them. Negative: none.
	Ridge float64
	// Shrink is the share κ in [0, 1) by which the statistics are moved towards their
	// expectation at θ = 0, a remedy for noise of size κ: about 1/√n (default 0).
	Shrink float64
	// Training are the options of em.Fit, with LBFGS as the default method and θ = 0 as
	// the default start.
	Training *em.Options
}

// Result is what Fit returns: that of em.Fit, and what it is the estimate of.
type Result struct {
	*em.Result
	// Total are the statistics that were fitted, after shrinking.
	Total []float64
	// Margin is (Total·θ − Σ max_y φ(x, y)·θ)/|θ|, 0 for θ = 0. If it is positive, θ is
	// the normal of a plane between Total and the statistics of all y: a proof that
	// Total lies outside the marginal polytope, by at least as much. It is also
	// positive with a ridge, which makes an estimate of such a Total all the same.
	Margin float64
}

// Fit returns the θ that maximizes
//
//	total·θ − logPartition(θ) − ridge/2·|θ|²,
//
// which matches the expected statistics to total, the estimated sum of the statistics
// over the examples. logPartition is Σ A(θ; x), its counts are the expected statistics,
// and its parameters are strengths of em.LogLinear laws without outcomes; those of
// em.Fixed laws are no statistics. Priors of the laws count beside the ridge.
//
// The objective is concave. An iteration takes an E step of logPartition; the end takes one
// for the best y, and without a ridge another for the worst.
//
// Errors: arguments that make no sense (ErrInvalid); without a ridge, statistics that
// are proven to lie outside the marginal polytope, or drive the scores φ·θ of the best and
// the worst y of an example more than 1000 nats apart (ErrOutside,
// with the result so far); those of em.Fit, with the result of a canceled run.
func Fit(ctx context.Context, logPartition em.Likelihood, total []float64, opts *Options) (*Result, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Ridge == 0 {
		o.Ridge = 1
	}
	l := &objective{Likelihood: logPartition, total: slices.Clone(total), ridge: math.Max(0, o.Ridge)}
	if err := l.check(o); err != nil {
		return nil, err
	}
	var training em.Options
	if o.Training != nil {
		training = *o.Training
	}
	if training.Method == nil {
		training.Method = em.LBFGS{}
	}
	if o.Shrink > 0 {
		zero := logPartition.Params().Start() // which is not 0 for constants
		for _, s := range l.strengths {
			clear(zero[s.lo:s.hi])
		}
		e, err := logPartition.Expect(ctx, em.Query{Theta: zero, Workers: training.Workers})
		if err != nil {
			return nil, fmt.Errorf("moments: statistics at θ = 0: %w", err)
		}
		for i, x := range e.Counts {
			l.total[i] += o.Shrink * (x - l.total[i])
		}
	}
	fit, err := em.Fit(ctx, l, &training)
	if fit == nil {
		return nil, err
	}
	r := &Result{Result: fit, Total: l.total}
	if err != nil {
		return r, err
	}
	return r, l.locate(ctx, r, training.Workers)
}

// largest is the difference, in nats and for an example on average, between the scores
// φ·θ of its best and its worst y that says that there is no maximum: exp(±1000) is
// nothing that data of any size can tell from 0 or infinity.
const largest = 1e3

// locate sets r.Margin and returns an error if there is no maximum.
func (l *objective) locate(ctx context.Context, r *Result, workers int) error {
	size, norm := 0.0, 0.0
	for _, s := range l.strengths {
		size = math.Max(size, floats.Norm(r.Theta[s.lo:s.hi], math.Inf(1)))
		norm = math.Hypot(norm, floats.Norm(r.Theta[s.lo:s.hi], 2))
	}
	if norm == 0 {
		return nil
	}
	// Far out, where the best y is that of the greatest φ·θ whatever constants its
	// weight has; and as far out on the other side, where it is the worst.
	const far = 1e3
	best, err := l.best(ctx, r.Theta, far/size, workers)
	if err != nil {
		return err
	}
	scale := 0.0
	for _, s := range l.strengths {
		for i := s.lo; i < s.hi; i++ {
			r.Margin += (l.total[i] - best.Counts[i]) * r.Theta[i] / norm
			scale += math.Abs((math.Abs(l.total[i]) + math.Abs(best.Counts[i])) * r.Theta[i] / norm)
		}
	}
	if l.ridge > 0 {
		return nil
	}
	worst, err := l.best(ctx, r.Theta, -far/size, workers)
	if err != nil {
		return err
	}
	spread := 0.0
	for _, s := range l.strengths {
		for i := s.lo; i < s.hi; i++ {
			spread += (best.Counts[i] - worst.Counts[i]) * r.Theta[i]
		}
	}
	if r.Margin <= marginRounding*scale && spread <= largest*float64(best.Examples) {
		return nil
	}
	i := l.largestOf(r.Theta)
	return fmt.Errorf("moments: %w: margin %.3g, with %s at %.3g; estimate a distribution first, shrink, or use a ridge",
		ErrOutside, r.Margin, l.Params().Name(int32(i)), r.Theta[i])
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

// marginRounding is how much of a sum's terms rounding may leave of a margin of 0.
const marginRounding = 1e-9

// largestOf returns the number of the strength of the largest magnitude.
func (l *objective) largestOf(theta []float64) int {
	best := -1
	for _, s := range l.strengths {
		for i := s.lo; i < s.hi; i++ {
			if best < 0 || math.Abs(theta[i]) > math.Abs(theta[best]) {
				best = i
			}
		}
	}
	return best
}
