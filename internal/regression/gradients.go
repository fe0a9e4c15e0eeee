package regression

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/moments/privacy"
)

// Assumptions of the regression in rounds.
const (
	rounds = 20
	// explained is the expected fraction of the target's variance that features explain.
	explained = .5
	// drift is the fraction of it that may be added in each round.
	drift = .02
)

// gradients returns a constructor of a regression in the given number of rounds. Each round
// asks the more informative of the two questions, for the given number of features and ε.
func gradients(rounds int) func(int, float64) (Release, error) {
	return func(width int, epsilon float64) (Release, error) {
		q, err := askBits(width, epsilon)
		if err != nil {
			return Release{}, err
		}
		if other, err := askLargest(width, epsilon); err == nil && other.tells > q.tells {
			q = other
		}
		return Release{q.loss, wide, func(ctx context.Context, rows []Row, source *privacy.Source) ([]float64, error) {
			return descend(ctx, q, rows, source, rounds)
		}}, nil
	}
}

// descend returns the weights learnt from people who are asked one after another, in rounds.
// The people of a round receive the current weights, which are public, and answer the question
// about their gradient there.
//
// The weights begin at 0 with a variance. The gradient of a round estimates the difference from
// the best weights, with noise of a known variance, as if features were uncorrelated; a Kalman
// filter updates weights and variance. If features are correlated, later rounds estimate the
// remaining difference. The result is the mean of the second half.
func descend(ctx context.Context, q question, rows []Row, source *privacy.Source, rounds int) ([]float64, error) {
	width := len(rows[0].Features)
	w, mean := make([]float64, width), make([]float64, width)
	variance := explained / float64(width)
	n, last := len(rows), min(rounds, len(rows))
	for t := range last {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var tally privacy.Tally
		for _, r := range rows[n*t/last : n*(t+1)/last] {
			record, err := q.answer(r.Features, r.Target-floats.Dot(w, r.Features), source)
			if err != nil {
				return nil, err
			}
			if err := tally.Add(record); err != nil {
				return nil, err
			}
		}
		e, err := tally.Estimate()
		if err != nil {
			return nil, err
		}
		gradient, noise := q.read(e)
		gain := variance / (variance + noise)
		floats.AddScaled(w, gain, gradient)
		variance = (1-gain)*variance + drift*explained/float64(width)
		if t >= last/2 {
			floats.AddScaled(mean, 1/float64(last-last/2), w)
		}
	}
	return mean, nil
}
