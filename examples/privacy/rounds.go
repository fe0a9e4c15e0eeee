package main

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/moments/privacy"
)

// What the regression in rounds takes for granted. The numbers were chosen on simulated
// tables with other seeds, sizes and strengths of the signal than any in the docs.
const (
	rounds = 20
	// bound is where a gradient x·(y − x·w) is clipped, in standard deviations of x times
	// those of y.
	bound = .7
	// explained is the part of the target's variance that features are expected to explain.
	explained = .35
	// drift is the part of that which may come anew in each round.
	drift = .02
)

// gradients returns the mechanism of the regression in rounds: everybody releases some of the
// products of his features and his residual. A record tells of neighbours in a circle of
// all features, as many as tell most for all of ε.
func gradients(width int, epsilon float64) (release, error) {
	most, size := 0.0, 1
	for n := 1; n <= width; n++ {
		truth := math.Tanh(epsilon / 2 / float64(n)) // 2q − 1
		if x := float64(n) * truth * truth; x > most {
			most, size = x, n
		}
	}
	const end = bound / (wide * wide)
	ranges := make([]privacy.Range, width)
	groups := make([][]int, width)
	for i := range groups {
		ranges[i] = privacy.Range{Lo: -end, Hi: end}
		for k := range size {
			groups[i] = append(groups[i], (i+k)%width)
		}
	}
	d, err := privacy.NewDomain(ranges...)
	if err != nil {
		return release{}, err
	}
	m, err := privacy.NewGroupRelease(d, groups, nil, epsilon, privacy.Tight)
	return release{d, m}, err
}

// descend returns the weights that people allow who are asked one after another, in
// rounds. Those of a round are told the weights so far, which are known to all, and release
// a record of the gradient that they see there.
//
// The weights begin at 0 with a variance. The mean gradient of a round is the difference
// from the best weights, with noise of a known variance, as if features were uncorrelated
// with variance 1; weights and variance move as by a Kalman filter. Where features are
// correlated, the next rounds see what is left. The result is the mean of the second half.
func descend(ctx context.Context, m release, s *split, source *privacy.Source) ([]float64, error) {
	return ask(ctx, m, s, source, rounds)
}

// once is descend in a single round, which is the regression on each feature by itself.
func once(ctx context.Context, m release, s *split, source *privacy.Source) ([]float64, error) {
	return ask(ctx, m, s, source, 1)
}

func ask(ctx context.Context, m release, s *split, source *privacy.Source, rounds int) ([]float64, error) {
	width := len(s.train[0].features)
	w, mean := make([]float64, width), make([]float64, width)
	gradient := make([]float64, width)
	variance := explained / float64(width)
	n, last := len(s.train), min(rounds, len(s.train))
	for t := range last {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var tally privacy.Tally
		for _, r := range s.train[n*t/last : n*(t+1)/last] {
			floats.ScaleTo(gradient, r.target-floats.Dot(w, r.features), r.features)
			x, err := m.domain.Clip(gradient)
			if err != nil {
				return nil, err
			}
			record, err := m.Release(x, source)
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
		const unit = wide * wide // the inverse of a feature's variance
		noise := unit * unit * meanSquare(e.StdErr)
		gain := variance / (variance + noise)
		floats.AddScaled(w, gain*unit, e.Mean)
		variance = (1-gain)*variance + drift*explained/float64(width)
		if t >= last/2 {
			floats.AddScaled(mean, 1/float64(last-last/2), w)
		}
	}
	return mean, nil
}
