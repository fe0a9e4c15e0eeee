package likelihoodtest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/likelihoodtest"
)

// fake is a likelihood without examples, with configurable faults in its counts 1, 2, 3.
type fake struct {
	em.Likelihood
	params *em.Params
	expect func(q em.Query, e *em.Expectations)
}

func (f fake) Params() *em.Params { return f.params }
func (fake) Shards() int          { return 1 }

func (f fake) Expect(_ context.Context, q em.Query) (*em.Expectations, error) {
	q, err := q.Complete(f)
	if err != nil {
		return nil, err
	}
	e := &em.Expectations{Counts: []float64{1, 2, 3}}
	f.expect(q, e)
	return e, nil
}

// recorder records the reported errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestCheck(t *testing.T) {
	params := em.NewParams()
	params.Group("", 3, em.Multinomial{})
	q := em.Query{Theta: params.Start()}
	likelihoodtest.Check(t, fake{params: params, expect: em.Query.Deliver}, q)
	for says, expect := range map[string]func(em.Query, *em.Expectations){
		"not the vector": func(em.Query, *em.Expectations) {},
		"want": func(q em.Query, e *em.Expectations) {
			q.Weight = 1
			q.Deliver(e)
		},
		"parameter 0": func(q em.Query, e *em.Expectations) {
			if q.Counts != nil {
				copy(q.Counts, e.Counts)
				e.Counts = q.Counts
			}
		},
		"other bits": func(q em.Query, e *em.Expectations) {
			e.Counts[0] += float64(q.Workers) * 1e-14
			q.Deliver(e)
		},
		"log likelihood": func(q em.Query, e *em.Expectations) {
			e.LogLikelihood = q.Weight
			q.Deliver(e)
		},
	} {
		r := &recorder{TB: t}
		likelihoodtest.Check(r, fake{params: params, expect: expect}, q)
		if !slices.ContainsFunc(r.errors, func(s string) bool { return strings.Contains(s, says) }) {
			t.Errorf("%q, want an error that says %q", r.errors, says)
		}
	}
}
