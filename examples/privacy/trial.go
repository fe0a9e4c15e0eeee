package main

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/moments/privacy"
)

// score is how well a regression predicts: R² and the same about 0, 1 − Σ(ŷ−y)²/Σy².
type score struct{ centred, uncentred float64 }

// result is the outcome of a trial.
type result struct {
	free    score     // without privacy
	private [][]score // by mechanism and ε
}

// repeat makes all trials.
func (e *experiment) repeat(ctx context.Context, r *program.Run, data *table, plan [][]release) ([]result, error) {
	results := make([]result, *e.trials)
	err := r.Each(ctx, "trials", len(results), func(i int) (err error) {
		results[i], err = e.try(ctx, data, plan, uint64(i))
		return err
	})
	return results, err
}

// try makes one trial: four fifths of the people release, the others are predicted.
func (e *experiment) try(ctx context.Context, data *table, plan [][]release, trial uint64) (result, error) {
	rng := rand.New(rand.NewPCG(*e.seed, 2+trial))
	order := rng.Perm(len(data.rows))
	n := len(order) / 5
	near, far := newSplit(data, order[n:], order[:n], narrow), newSplit(data, order[n:], order[:n], wide)
	width := data.width()
	mean := make([]float64, statistics(width))
	for _, r := range far.train {
		floats.AddScaled(mean, 1/float64(len(far.train)), products(r.features, r.target))
	}
	var out result
	w, err := solve(mean, make([]float64, len(mean)), width)
	if err != nil {
		return out, err
	}
	out.free = far.score(w)
	for i, row := range plan {
		s := near
		if e.mechanisms[i].wide {
			s = far
		}
		var scores []score
		for _, x := range row {
			w, err := x.fit(ctx, s, privacy.NotPrivate(rng))
			if err != nil {
				return out, err
			}
			scores = append(scores, s.score(w))
		}
		out.private = append(out.private, scores)
	}
	return out, nil
}

// fit returns the weights of the regression that one record of each person's products allows.
func fit(ctx context.Context, d *privacy.Domain, m *privacy.GroupRelease, s *split, source *privacy.Source) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var tally privacy.Tally
	for _, r := range s.train {
		x, err := d.Check(products(r.features, r.target))
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
	return solve(e.Mean, e.StdErr, len(s.train[0].features))
}

// split is people to learn from, with values in [−1, 1], and people to predict.
type split struct {
	train, test []row
	target      scale
	truth       []float64 // targets of test in their own unit
}

// newSplit scales features and target to declared ranges. Those must be known without
// the data, which is played here by taking them from the people to learn from.
func newSplit(data *table, train, test []int, reach float64) *split {
	of := func(value func(row) float64) scale {
		var x []float64
		for _, i := range train {
			x = append(x, value(data.rows[i]))
		}
		return newScale(x, reach)
	}
	s := &split{target: of(func(r row) float64 { return r.target })}
	var scales []scale
	for j := range data.width() {
		scales = append(scales, of(func(r row) float64 { return r.features[j] }))
	}
	pick := func(part []int) []row {
		var rows []row
		for _, i := range part {
			r := row{target: s.target.clip(data.rows[i].target)}
			for j, x := range data.rows[i].features {
				r.features = append(r.features, scales[j].clip(x))
			}
			rows = append(rows, r)
		}
		return rows
	}
	s.train, s.test = pick(train), pick(test)
	for _, i := range test {
		s.truth = append(s.truth, data.rows[i].target)
	}
	return s
}

// score returns how well weights predict the people to predict.
func (s *split) score(w []float64) score {
	mean := stat.Mean(s.truth, nil)
	var residual, centred, uncentred float64
	for i, r := range s.test {
		y := s.truth[i]
		off := y - (s.target.middle + s.target.half*floats.Dot(w, r.features))
		residual += off * off
		centred += (y - mean) * (y - mean)
		uncentred += y * y
	}
	return score{1 - residual/centred, 1 - residual/uncentred}
}
