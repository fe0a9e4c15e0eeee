package crf_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/moments"
	"example.org/pathsum/semiring"
)

// The log-partition function is the ln of an enumerated sum, in the mode Viterbi its
// largest term, and its counts are the derivatives.
func TestLogPartition(t *testing.T) {
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		kind := kinds[seed%2]
		all, d := randomData(r, 1+r.IntN(3), 4, 4)
		l, theta := random(t, r, kind, d)
		p, err := l.LogPartition()
		if err != nil {
			t.Fatal(err)
		}
		at := func(q em.Query) *em.Expectations {
			e, err := p.Expect(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		likelihoodtest.Check(t, p, em.Query{Theta: theta, Tangent: theta})
		m, err := l.at(theta)
		if err != nil {
			t.Fatal(err)
		}
		sum, best := 0.0, 0.0
		for _, s := range all {
			var scores []float64
			for _, labels := range labelings(m.Labels(), len(s.labels)) {
				scores = append(scores, score(m, s, labels, 0))
			}
			sum += floats.LogSumExp(scores)
			best += slices.Max(scores)
		}
		e := at(em.Query{Theta: theta})
		if v := at(em.Query{Theta: theta, EStep: em.Viterbi}); !near(e.LogLikelihood, sum, 1e-12) || !near(v.LogLikelihood, best, 1e-12) {
			t.Fatalf("seed %d: %.17g and %.17g, want %.17g and %.17g", seed, e.LogLikelihood, v.LogLikelihood, sum, best)
		}
		if len(theta) == 0 {
			continue
		}
		i, h := r.IntN(len(theta)), 1e-5
		up, down, direction := slices.Clone(theta), slices.Clone(theta), make([]float64, len(theta))
		up[i] += h
		down[i] -= h
		direction[i] = 1
		a, b := at(em.Query{Theta: up}), at(em.Query{Theta: down})
		if slope := (a.LogLikelihood - b.LogLikelihood) / (2 * h); !near(e.Counts[i], slope, 1e-7) {
			t.Fatalf("seed %d: count %g, slope %g", seed, e.Counts[i], slope)
		}
		if c := at(em.Query{Theta: theta, Tangent: direction}).Curvature; !near(c[i], (a.Counts[i]-b.Counts[i])/(2*h), 1e-6) {
			t.Fatalf("seed %d: curvature %g", seed, c[i])
		}
	}
}

// Fitted to the statistics of the labels it is the conditional model.
func TestMomentsAreLikelihood(t *testing.T) {
	r := graphtest.Rand(3)
	all, d := randomData(r, 3, 30, 4)
	for _, kind := range []crf.Kind{crf.Node, crf.Chain} {
		l := must(newLikelihood(kind, d, em.LogLinearOptions{Sigma: 1}))
		p := must(l.LogPartition())
		var indicator []float64
		for _, s := range all {
			for _, y := range s.labels {
				for _, label := range p.Labels() {
					x := 0.0
					if label == y {
						x = 1
					}
					indicator = append(indicator, x)
				}
			}
		}
		o := &em.Options{Method: em.LBFGS{}, Iterations: 1000, Tolerance: 1e-14}
		want := must(em.Fit(t.Context(), l, o))
		// The law's prior is a ridge of 1 already.
		got := must(moments.Fit(t.Context(), p, p.Statistics(indicator), &moments.Options{Ridge: -1, Training: o}))
		if d := floats.Distance(got.Theta, want.Theta, math.Inf(1)); d > 1e-5 {
			t.Errorf("%v: θ differs by %g", kind, d)
		}
	}
}

// Statistics are those of all labelings, weighted as if positions were independent: the
// derivatives of Σ p(y)·s(y).
func TestStatistics(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := graphtest.Rand(seed)
		all, d := randomData(r, 1+r.IntN(3), 4, 4)
		l, theta := random(t, r, kinds[seed%2], d)
		p := must(l.LogPartition())
		m := must(l.at(theta))
		var probability []float64
		for range d.NumPositions() {
			row := make([]float64, len(p.Labels()))
			for y := range row {
				row[y] = r.Float64() * float64(r.IntN(3))
			}
			if s := floats.Sum(row); s > 0 {
				floats.Scale(1/s, row)
			} else {
				row[0] = 1
			}
			probability = append(probability, row...)
		}
		want, first := 0.0, 0
		for _, s := range all {
			for _, labels := range labelings(m.Labels(), len(s.labels)) {
				share := 1.0
				for t, y := range labels {
					share *= probability[(first+t)*len(p.Labels())+slices.Index(p.Labels(), y)]
				}
				want += share * score(m, s, labels, 0)
			}
			first += len(s.labels)
		}
		if got := floats.Dot(p.Statistics(probability), theta); !near(got, want, 1e-12) {
			t.Fatalf("seed %d: the mean score is %g, want %g", seed, got, want)
		}
	}
}

func TestLogPartitionErrors(t *testing.T) {
	_, d := randomData(graphtest.Rand(1), 3, 30, 4)
	if _, err := must(newLikelihood(crf.MEMM, d, em.LogLinearOptions{})).LogPartition(); !errors.Is(err, crf.ErrInvalid) {
		t.Error(err)
	}
	p := must(must(newLikelihood(crf.Node, d, em.LogLinearOptions{})).LogPartition())
	if _, err := p.Expect(t.Context(), em.Query{}); !errors.Is(err, em.ErrParameter) {
		t.Error(err)
	}
	theta := make([]float64, p.Params().Len())
	for i := range theta {
		theta[i] = 1e308
	}
	if _, err := p.Expect(t.Context(), em.Query{Theta: theta}); !errors.Is(err, semiring.ErrNotFinite) && !errors.Is(err, em.ErrInvalid) {
		t.Error(err)
	}
}

// The log-partition function is the sum over its shards, and over all sequences but those left
// out what it is of data without them.
func TestLogPartitionOfShards(t *testing.T) {
	for _, kind := range []crf.Kind{crf.Node, crf.Chain} {
		r := graphtest.Rand(9)
		all, d := randomData(r, 3, 30, 4)
		l, theta := random(t, r, kind, d)
		p := must(l.LogPartition())
		whole := must(p.Expect(t.Context(), em.Query{Theta: theta, Tangent: theta}))
		sum, counts, curvature := 0.0, make([]float64, len(theta)), make([]float64, len(theta))
		for i := range p.Shards() {
			e := must(p.Expect(t.Context(), em.Query{Theta: theta, Tangent: theta, Lo: i, Hi: i + 1}))
			sum += e.LogLikelihood
			floats.Add(counts, e.Counts)
			floats.Add(curvature, e.Curvature)
		}
		if p.Shards() < 5 || !near(sum, whole.LogLikelihood, 1e-12) || floats.Distance(counts, whole.Counts, 1) > 1e-9 || floats.Distance(curvature, whole.Curvature, 1) > 1e-9 {
			t.Errorf("%v: %d shards sum to %g, all are %g", kind, p.Shards(), sum, whole.LogLikelihood)
		}
		without := must(p.ExpectWithout(t.Context(), em.Query{Theta: theta}, []em.Skipped{{Index: 0, Weight: 1}}))
		m, want := must(l.at(theta)), whole.LogLikelihood
		var scores []float64
		for _, labels := range labelings(m.Labels(), len(all[0].labels)) {
			scores = append(scores, score(m, all[0], labels, 0))
		}
		if want -= floats.LogSumExp(scores); !near(without.LogLikelihood, want, 1e-12) {
			t.Errorf("%v: %g without the first, want %g", kind, without.LogLikelihood, want)
		}
	}
}

// A stochastic gradient, which uses a shard at a time, converges to the optimum of L-BFGS.
func TestMomentsByStochasticGradient(t *testing.T) {
	r := graphtest.Rand(3)
	_, d := randomData(r, 3, 30, 4)
	for _, kind := range []crf.Kind{crf.Node, crf.Chain} {
		p := must(must(newLikelihood(kind, d, em.LogLinearOptions{})).LogPartition())
		share := make([]float64, d.NumPositions()*len(p.Labels()))
		for i := range share {
			share[i] = r.Float64()
		}
		for i := 0; i < len(share); i += len(p.Labels()) {
			row := share[i:][:len(p.Labels())]
			floats.Scale(1/floats.Sum(row), row)
		}
		total := p.Statistics(share)
		at := func(m em.Method, n int) float64 {
			theta := must(moments.Fit(t.Context(), p, total, &moments.Options{
				Training: &em.Options{Method: m, Iterations: n, Tolerance: -1}})).Theta
			e := must(p.Expect(t.Context(), em.Query{Theta: theta}))
			return floats.Dot(total, theta) - e.LogLikelihood - floats.Dot(theta, theta)/2
		}
		e := must(p.Expect(t.Context(), em.Query{Theta: make([]float64, len(total))}))
		best, sgd := at(em.LBFGS{}, 100), at(em.SGD{Rate: .1}, 10000)
		if gap := best - sgd; gap < -1e-9 || gap > 1e-2*(best+e.LogLikelihood) {
			t.Errorf("%v: SGD reaches %g, L-BFGS %g, from %g", kind, sgd, best, -e.LogLikelihood)
		}
	}
}

// Allowed pairs have weights; all other results are unchanged.
func TestAllow(t *testing.T) {
	one := func(_ int, a *crf.Attributes) { a.Add("x") }
	two := func(_ int, a *crf.Attributes) { a.Add("x"); a.Add("y") }
	d := crf.NewData()
	for _, err := range []error{d.Allow([]string{"B", "A"}, two), d.Add([]string{"A"}, one), d.Allow([]string{"C"}, one)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Allow([]string{"\xff"}, one); !errors.Is(err, crf.ErrInvalid) {
		t.Error(err)
	}
	l := must(newLikelihood(crf.Node, d, em.LogLinearOptions{}))
	if d.NumSequences() != 1 || d.NumPositions() != 1 || l.Params().Len() != 5 { // x: A, B, C; y: A, B
		t.Errorf("%d sequences, %d positions, %d weights", d.NumSequences(), d.NumPositions(), l.Params().Len())
	}
	e := expect(t, l, em.Query{Theta: make([]float64, 5)})
	if !near(e.LogLikelihood, -math.Log(3), 1e-14) {
		t.Errorf("log likelihood %g", e.LogLikelihood)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
