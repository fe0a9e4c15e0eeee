package regression

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"example.org/pathsum/moments/privacy"
)

// Score is the accuracy of a regression: R² is 1 − Σ(ŷ−y)²/Σ(y−ȳ)², and Uncentred the same with
// ȳ = 0.
type Score struct{ R2, Uncentred float64 }

// Try makes one trial of releases: four fifths of the people, drawn from rng, release their
// records, and the others are predicted. It returns the scores without privacy and by each
// release. It returns errors of the mechanisms, and ctx's error if ctx is done.
func Try(ctx context.Context, t *Table, releases []Release, rng *rand.Rand) (free Score, private []Score, err error) {
	order := rng.Perm(len(t.Rows))
	n := len(order) / 5
	pick := func(numbers []int) []Row {
		var rows []Row
		for _, i := range numbers {
			rows = append(rows, t.Rows[i])
		}
		return rows
	}
	train, test := pick(order[n:]), pick(order[:n])
	near, far := newPeople(train, narrow), newPeople(train, wide)
	mean := make([]float64, Statistics(t.Width()))
	for _, r := range far.rows {
		floats.AddScaled(mean, 1/float64(len(far.rows)), products(r.Features, r.Target))
	}
	w, err := solve(mean, make([]float64, len(mean)), t.Width())
	if err != nil {
		return free, nil, err
	}
	free = far.ranges.score(w, test)
	for _, x := range releases {
		p := near
		if x.reach == wide {
			p = far
		}
		w, err := x.fit(ctx, p.rows, privacy.NotPrivate(rng))
		if err != nil {
			return free, nil, err
		}
		private = append(private, p.ranges.score(w, test))
	}
	return free, private, nil
}

// people has rows with values in [−1, 1], and their original ranges.
type people struct {
	ranges Ranges
	rows   []Row
}

func newPeople(rows []Row, reach float64) people {
	p := people{ranges: newRanges(rows, reach)}
	for _, r := range rows {
		p.rows = append(p.rows, Row{p.ranges.clip(r.Features), p.ranges.Target.clip(r.Target)})
	}
	return p
}

// Scale maps the declared range of a value, Middle ± Half, onto [−1, 1].
type Scale struct{ Middle, Half float64 }

// newScale returns the scale whose range is centred at the mean of x and extends reach standard
// deviations to both sides.
func newScale(x []float64, reach float64) Scale {
	mean, sd := stat.MeanStdDev(x, nil)
	if sd == 0 {
		sd = 1 // any range contains a constant
	}
	return Scale{mean, reach * sd}
}

func (s Scale) clip(x float64) float64 { return min(max((x-s.Middle)/s.Half, -1), 1) }

// Ranges are the declared ranges of features and target.
type Ranges struct {
	Features []Scale
	Target   Scale
}

// newRanges declares ranges. Real ranges must be known without the data; here they are taken
// from the training rows.
func newRanges(rows []Row, reach float64) Ranges {
	of := func(value func(Row) float64) Scale {
		var x []float64
		for _, r := range rows {
			x = append(x, value(r))
		}
		return newScale(x, reach)
	}
	g := Ranges{Target: of(func(r Row) float64 { return r.Target })}
	for j := range rows[0].Features {
		g.Features = append(g.Features, of(func(r Row) float64 { return r.Features[j] }))
	}
	return g
}

func (g Ranges) clip(features []float64) []float64 {
	var clipped []float64
	for j, x := range features {
		clipped = append(clipped, g.Features[j].clip(x))
	}
	return clipped
}

// Predict returns the predicted target for features, given weights.
func (g Ranges) Predict(w, features []float64) float64 {
	return g.Target.Middle + g.Target.Half*floats.Dot(w, g.clip(features))
}

// score returns the accuracy of the predictions of weights for rows.
func (g Ranges) score(w []float64, rows []Row) Score {
	var targets []float64
	for _, r := range rows {
		targets = append(targets, r.Target)
	}
	mean := stat.Mean(targets, nil)
	var residual, centred, uncentred float64
	for _, r := range rows {
		off := r.Target - g.Predict(w, r.Features)
		residual += off * off
		centred += (r.Target - mean) * (r.Target - mean)
		uncentred += r.Target * r.Target
	}
	return Score{1 - residual/centred, 1 - residual/uncentred}
}
