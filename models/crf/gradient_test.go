package crf_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
)

// TestGradient compares counts with differences of the likelihood, at temperatures
// too: the derivative of Σ ln of powers p^β is β times the counts.
func TestGradient(t *testing.T) {
	const h = 1e-5
	for seed := range trials.Seeds(60) {
		r := graphtest.Rand(seed)
		kind := kinds[seed%3]
		_, d := randomData(r, 1+r.IntN(4), 5, 6)
		l, theta := random(t, r, kind, d)
		q := em.Query{Theta: theta, Temperature: []float64{0, .5, 1.7}[r.IntN(3)]}
		e := expect(t, l, q)
		beta := q.Temperature
		if beta == 0 {
			beta = 1
		}
		for i, x := range theta {
			theta[i] = x + h
			up := expect(t, l, q).LogLikelihood
			theta[i] = x - h
			down := expect(t, l, q).LogLikelihood
			theta[i] = x
			if slope := (up - down) / (2 * h); !near(beta*e.Counts[i], slope, 1e-7) {
				t.Fatalf("seed %d: %v: derivative by %s is %.9g, differences say %.9g", seed, kind, l.Params().Name(int32(i)), beta*e.Counts[i], slope)
			}
		}
	}
}

// TestTemperature: a temperature changes neither the objective nor its derivatives, as
// nothing is hidden, for labels relative to all and relative to the best.
func TestTemperature(t *testing.T) {
	for seed := range trials.Seeds(30) {
		r := graphtest.Rand(seed)
		kind := kinds[seed%3]
		_, d := randomData(r, 1+r.IntN(4), 5, 6)
		l, theta := random(t, r, kind, d)
		for _, step := range []em.EStep{em.Marginal, em.Viterbi} {
			one := expect(t, l, em.Query{Theta: theta, EStep: step})
			half := expect(t, l, em.Query{Theta: theta, EStep: step, Temperature: .5})
			if !near(half.LogLikelihood/.5, one.LogLikelihood, 1e-14) || !slices.Equal(half.Counts, one.Counts) {
				t.Errorf("seed %d: %v, %v: objective %g at β = .5, %g at 1", seed, kind, step, half.LogLikelihood/.5, one.LogLikelihood)
			}
		}
	}
}

// TestCurvature compares second derivatives in a direction with differences of counts.
func TestCurvature(t *testing.T) {
	const h = 1e-5
	for seed := range trials.Seeds(300) {
		r := graphtest.Rand(seed)
		kind := kinds[seed%3]
		_, d := randomData(r, 1+r.IntN(4), 5, 6)
		l, theta := random(t, r, kind, d)
		direction := make([]float64, len(theta))
		for i := range direction {
			direction[i] = r.NormFloat64()
		}
		q := em.Query{Theta: theta, Temperature: []float64{0, .5, 1.7}[r.IntN(3)]}
		at := func(step float64) []float64 {
			q := q
			q.Theta = slices.Clone(theta)
			floats.AddScaled(q.Theta, step, direction)
			return expect(t, l, q).Counts
		}
		up, down := at(h), at(-h)
		plain := expect(t, l, q)
		q.Tangent = direction
		likelihoodtest.Check(t, l, q)
		e := expect(t, l, q)
		if e.LogLikelihood != plain.LogLikelihood || !slices.Equal(e.Counts, plain.Counts) {
			t.Fatalf("seed %d: another first derivative beside the second", seed)
		}
		for i, c := range e.Curvature {
			if slope := (up[i] - down[i]) / (2 * h); !near(c, slope, 1e-7) {
				t.Fatalf("seed %d: %v: the count of %s changes by %.9g, differences say %.9g", seed, kind, l.Params().Name(int32(i)), c, slope)
			}
		}
	}
}

// TestInformation: under a Gaussian prior the posterior of every weight is narrower
// than the prior.
func TestInformation(t *testing.T) {
	for _, kind := range kinds {
		l, err := newLikelihood(kind, sampled(1, 40), em.LogLinearOptions{Sigma: 2})
		if err != nil {
			t.Fatal(err)
		}
		r, err := em.Fit(t.Context(), l, &em.Options{Method: em.LBFGS{}})
		if err != nil {
			t.Fatal(err)
		}
		info, err := em.FisherInformation(t.Context(), l, em.Query{Theta: r.Theta})
		if err != nil {
			t.Fatal(err)
		}
		sd, err := info.StandardErrors()
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range sd {
			if !(s > .1 && s < 2) {
				t.Errorf("%v: the standard error of %s is %g", kind, l.Params().Name(int32(i)), s)
			}
		}
	}
}

// TestShards: an E step is the sum of those of its shards, each at its own time.
func TestShards(t *testing.T) {
	for _, kind := range kinds {
		r := graphtest.Rand(1)
		var all []labeled
		for range 200 {
			all = append(all, randomSequence(r, 3, r.IntN(6)))
		}
		l, theta := random(t, r, kind, collect(all))
		if l.Shards() < 50 || l.Shards() > 100 {
			t.Errorf("%d shards", l.Shards())
		}
		whole := expect(t, l, em.Query{Theta: theta})
		log, counts, examples, arcs := 0.0, make([]float64, len(theta)), 0, int64(0)
		for s := range l.Shards() {
			e := expect(t, l, em.Query{Theta: theta, Lo: s, Hi: s + 1})
			log += e.LogLikelihood
			examples += e.Examples
			arcs += e.Arcs
			for i, c := range e.Counts {
				counts[i] += c
			}
		}
		if !near(log, whole.LogLikelihood, 1e-14) || examples != 200 || whole.Examples != 200 || arcs != whole.Arcs || arcs == 0 {
			t.Errorf("%v: %g of %d, want %g of %d; %d arcs, want %d", kind, log, examples, whole.LogLikelihood, whole.Examples, arcs, whole.Arcs)
		}
		for i, c := range counts {
			if !near(c, whole.Counts[i], 1e-13) {
				t.Errorf("%v: count %d is %g, want %g", kind, i, c, whole.Counts[i])
			}
		}
	}
}
