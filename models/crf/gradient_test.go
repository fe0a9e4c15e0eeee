package crf_test

import (
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
)

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

// TestShards: an E step is the sum of the E steps of its shards.
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
