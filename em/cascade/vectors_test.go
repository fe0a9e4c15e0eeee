package cascade_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
)

// watched is a likelihood that records its queries.
type watched struct {
	em.Likelihood
	queries []em.Query
}

func (w *watched) Expect(ctx context.Context, q em.Query) (*em.Expectations, error) {
	w.queries = append(w.queries, q)
	return w.Likelihood.Expect(ctx, q)
}

// TestVectors: methods do not change the caller's start. Each collects its counts in one vector,
// even if an iteration takes several E steps, except Incremental, which keeps the counts of each
// block. EM has one vector for θ too.
func TestVectors(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, .5)
	start := problem.Params.Random(rand.New(rand.NewPCG(1, 2)))
	kept := slices.Clone(start)
	for _, m := range []em.Method{em.EM{}, em.Anneal{}, em.Squarem{}, em.Stepwise{}, em.Incremental{}, em.LBFGS{}, em.SGD{}} {
		w := &watched{Likelihood: likelihood(t, problem, cascade.Data{Examples: data})}
		r, err := em.Fit(t.Context(), w, &em.Options{Method: m, Start: start, Iterations: 30, Restarts: 2, Rand: rand.NewPCG(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(start, kept) {
			t.Fatalf("%v changes the start", m)
		}
		if &r.Theta[0] == &start[0] {
			t.Errorf("%v: the result is the start", m)
		}
		if len(w.queries) < 4 {
			t.Fatalf("%v: %d E steps", m, len(w.queries))
		}
		counts, theta := map[*float64]bool{}, map[*float64]bool{}
		for _, q := range w.queries {
			theta[&q.Theta[0]] = true
			if q.Counts != nil {
				counts[&q.Counts[0]] = true
			}
		}
		if _, blocks := m.(em.Incremental); blocks != (len(counts) == 0) || len(counts) > 1 {
			t.Errorf("%v: %d vectors of counts", m, len(counts))
		}
		if _, plain := m.(em.EM); plain && len(theta) > len(r.Starts) {
			t.Errorf("%v: %d vectors of parameters for %d starts", m, len(theta), len(r.Starts))
		}
	}
}

// TestInPlace: Fit trains in the storage of the start if allowed, to the same bits. Runs of
// different lengths, whose counts may share storage, do not affect each other.
func TestInPlace(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, .5)
	l := likelihood(t, problem, cascade.Data{Examples: data})
	start := problem.Params.Random(rand.New(rand.NewPCG(1, 2)))
	for _, m := range []em.Method{em.EM{}, em.Anneal{}, em.Squarem{}, em.Stepwise{}, em.Incremental{}, em.LBFGS{}, em.SGD{}} {
		o := em.Options{Method: m, Start: slices.Clone(start), Iterations: 30}
		want, err := em.Fit(t.Context(), l, &o)
		if err != nil {
			t.Fatal(err)
		}
		o.InPlace = true
		got, err := em.Fit(t.Context(), l, &o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Objective, want.Objective) {
			t.Errorf("%v: another result in place", m)
		}
		if _, plain := m.(em.EM); plain && &got.Theta[0] != &o.Start[0] {
			t.Errorf("%v: the result is not in place", m)
		}
	}
}
