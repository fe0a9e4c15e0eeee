package moments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
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

	objective *objective
	workers   int
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
// The objective is concave. An iteration takes an E step of logPartition; without a ridge
// the end takes two more, for the best and the worst y.
//
// Errors: arguments that make no sense (ErrInvalid); without a ridge, statistics that
// are proven to lie outside the marginal polytope, or drive the scores φ·θ of the best and
// the worst y of an example more than 1000 nats apart (ErrOutside,
// with the result so far); those of em.Fit, with the result of a canceled run.
func Fit(ctx context.Context, logPartition em.Likelihood, total []float64, opts *Options) (*Result, error) {
	nonnil.Check("moments: Fit", "context", ctx, "likelihood", logPartition)
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
	r := &Result{Result: fit, Total: l.total, objective: l, workers: training.Workers}
	if err != nil {
		return r, err
	}
	return r, r.locate(ctx)
}

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
