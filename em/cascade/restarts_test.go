package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
)

// TestFailedStart: a start whose derivatives are NaN, whose objective falls where it cannot, or
// that has an example without a derivation, is named in the remarks, and the others are what they
// are without it.
func TestFailedStart(t *testing.T) {
	problem, data, _ := mixture(t, em.Multinomial{}, 1)
	sound := likelihood(t, problem, cascade.Data{Examples: data})
	options := func(m em.Method) *em.Options {
		return &em.Options{Method: m, Restarts: 2, Rand: rand.NewPCG(3, 4), Iterations: 50}
	}
	for name, c := range map[string]struct {
		method  em.Method
		distort func(call int, e *em.Expectations) error
		cause   string
	}{
		"a derivative": {em.LBFGS{}, func(call int, e *em.Expectations) error {
			if call == 2 {
				e.Counts[0] = math.NaN()
			}
			return nil
		}, "gradient"},
		"the first derivative": {em.LBFGS{}, func(call int, e *em.Expectations) error {
			if call == 0 {
				e.Counts[0] = math.NaN()
			}
			return nil
		}, "gradient"},
		"a fall": {em.EM{}, func(call int, e *em.Expectations) error {
			if call == 2 {
				e.LogLikelihood -= 1000
			}
			return nil
		}, em.ErrDecreased.Error()},
		"no derivation": {em.EM{}, func(call int, _ *em.Expectations) error {
			if call == 1 {
				return fmt.Errorf("example 7: %w", em.ErrUnderivable)
			}
			return nil
		}, "example 7"},
	} {
		want, err := em.Fit(context.Background(), sound, options(c.method))
		if err != nil {
			t.Fatal(err)
		}
		best := 1
		if slices.Max(want.Starts[2].Objective) > slices.Max(want.Starts[1].Objective) {
			best = 2
		}
		r, err := em.Fit(context.Background(), &distorted{Likelihood: sound, distort: c.distort}, options(c.method))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Start != best || r.Starts[0].Status != em.Infeasible || !slices.Equal(r.Objective, want.Starts[best].Objective) {
			t.Errorf("%s: start %d with %v, want start %d with %v; the first is %v", name, r.Start, last(r), best, want.Starts[best].Objective, r.Starts[0].Status)
		}
		if len(r.Remarks) != 1 || !strings.Contains(r.Remarks[0], "start 0 has failed") || !strings.Contains(r.Remarks[0], c.cause) || !strings.Contains(r.Starts[0].Reason, c.cause) {
			t.Errorf("%s: remarks %q", name, r.Remarks)
		}
		alone := options(c.method)
		alone.Restarts = 0
		if r, err := em.Fit(context.Background(), &distorted{Likelihood: sound, distort: c.distort}, alone); r != nil || err == nil || !strings.Contains(err.Error(), c.cause) {
			t.Errorf("%s: a start by itself: %+v, %v", name, r, err)
		}
	}
	// What does not come from the start ends all.
	broken := errors.New("the disk is gone")
	r, err := em.Fit(context.Background(), &distorted{Likelihood: sound, distort: func(call int, _ *em.Expectations) error {
		if call == 2 {
			return broken
		}
		return nil
	}}, options(em.EM{}))
	if r != nil || !errors.Is(err, broken) {
		t.Errorf("%+v, %v", r, err)
	}
}
