// Package likelihoodtest checks the contract of em.Likelihood. The idea: several E steps share
// one vector of counts, so each must add its own counts, times the weight in the query, to the
// existing contents.
package likelihoodtest

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
)

// tolerance bounds the differences caused by rounding, relative to the larger of 1 and the
// largest number of the vector.
const tolerance = 1e-12

// Check fails the test unless E steps of l for q satisfy the contract of Query: they have the
// same bits for any number of workers, add to the vectors in a query, and return an error for
// vectors of another length. q must have neither vectors nor a Weight.
func Check(tb testing.TB, l em.Likelihood, q em.Query) {
	tb.Helper()
	expect := func(q em.Query) *em.Expectations {
		tb.Helper()
		e, err := l.Expect(tb.Context(), q)
		if err != nil {
			tb.Fatal(err)
		}
		return e
	}
	q.Workers = 1
	want := expect(q)
	kept := slices.Clone(want.Counts)
	for _, workers := range []int{2, 7} {
		q.Workers = workers
		e := expect(q)
		if e.LogLikelihood != want.LogLikelihood || !slices.Equal(e.Counts, want.Counts) || !slices.Equal(e.Curvature, want.Curvature) {
			tb.Errorf("other bits for %d workers than for 1", workers)
		}
	}
	if !slices.Equal(kept, want.Counts) {
		tb.Error("an E step changes the counts of one before")
	}
	for _, weight := range []float64{0, -.75, 3} {
		shared := q
		shared.Weight, shared.Counts = weight, held(l)
		if q.Tangent != nil {
			shared.Curvature = held(l)
		}
		e := expect(shared)
		if e.LogLikelihood != want.LogLikelihood {
			tb.Errorf("log likelihood %g with the weight %g, want %g", e.LogLikelihood, weight, want.LogLikelihood)
		}
		added(tb, "counts", shared.Counts, e.Counts, want.Counts, cmp.Or(weight, 1))
		added(tb, "curvature", shared.Curvature, e.Curvature, want.Curvature, cmp.Or(weight, 1))
	}
	for what, bad := range map[string]func(*em.Query){
		"counts":    func(q *em.Query) { q.Counts = make([]float64, len(want.Counts)+1) },
		"curvature": func(q *em.Query) { q.Curvature = make([]float64, len(want.Counts)+1) },
		"weight":    func(q *em.Query) { q.Weight = math.Inf(1) },
	} {
		refused := q
		bad(&refused)
		if _, err := l.Expect(tb.Context(), refused); !errors.Is(err, em.ErrParameter) {
			tb.Errorf("%s that make no sense: %v, want an error that wraps ErrParameter", what, err)
		}
	}
}

// held returns a vector with non-zero contents.
func held(l em.Likelihood) []float64 {
	v := make([]float64, l.Params().Len())
	for i := range v {
		v[i] = float64(i%5) - 2
	}
	return v
}

// added checks that got is the vector in the query, and holds the contents of held plus weight
// times want.
func added(tb testing.TB, what string, brought, got, want []float64, weight float64) {
	tb.Helper()
	if len(got) != len(want) || len(got) > 0 && &got[0] != &brought[0] {
		tb.Errorf("the %s are not the vector that the query brought", what)
		return
	}
	size := 1.0
	for _, x := range want {
		size = max(size, math.Abs(weight*x))
	}
	for i, x := range got {
		if w := float64(i%5) - 2 + weight*want[i]; !(math.Abs(x-w) <= tolerance*size) {
			tb.Errorf("%s of parameter %d: %g with the weight %g, want %g", what, i, x, weight, w)
		}
	}
}
