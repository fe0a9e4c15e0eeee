package cascade_test

import (
	"cmp"
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

// TestFailedStart: the remarks name a start whose derivatives are NaN, whose objective falls
// although it must not, or that has an example without a derivation. The results of the other
// starts are unchanged.
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
	// Errors with other causes end all starts.
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

// TestPrune compares a run that drops starts with the traces of a run that keeps all.
func TestPrune(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	for _, keep := range []float64{.5, .3, .9} {
		options := func(p em.Prune) *em.Options {
			return &em.Options{Iterations: 20, Tolerance: -1, Restarts: 7, Rand: rand.NewPCG(4, 4), Prune: p}
		}
		all := fit(t, problem, data, options(em.Prune{})).Starts
		got := fit(t, problem, data, options(em.Prune{After: 2, Keep: keep}))

		made := make([]int, len(all)) // iterations of each start
		left := make([]int, len(all))
		for i := range left {
			left[i] = i
		}
		for limit := 2.0; len(left) > 1 && limit < 20; limit /= keep {
			n := int(math.Ceil(limit))
			for _, i := range left {
				made[i] = n
			}
			slices.SortStableFunc(left, func(a, b int) int { return cmp.Compare(all[b].Objective[n-1], all[a].Objective[n-1]) })
			left = left[:min(len(left)-1, int(math.Ceil(keep*float64(len(left)))))]
		}
		for _, i := range left {
			made[i] = 20
		}
		for i, s := range got.Starts {
			want := em.Pruned
			if slices.Contains(left, i) {
				want = em.IterationLimit
			}
			if s.Status != want || !slices.Equal(s.Objective, all[i].Objective[:made[i]]) {
				t.Errorf("keeping %g: start %d is %v after %d iterations, want %v after %d", keep, i, s.Status, len(s.Objective), want, made[i])
			}
		}
		if !slices.Contains(left, got.Start) || got.Status != em.IterationLimit {
			t.Errorf("keeping %g: start %d won, %v, among %v", keep, got.Start, got.Status, left)
		}
	}
}

// TestPruneConverged: a start that has converged waits for the others and may win.
func TestPruneConverged(t *testing.T) {
	problem, data, truth := mixture(t, em.Multinomial{}, .5)
	r := fit(t, problem, data, &em.Options{Start: truth, Restarts: 3, Rand: rand.NewPCG(4, 4), Prune: em.Prune{After: 5}})
	if r.Start != 0 || r.Status != em.Converged || r.Iterations() != 2 {
		t.Errorf("start %d won, %v after %d iterations", r.Start, r.Status, r.Iterations())
	}
	if r.Starts[1].Status != em.Pruned {
		t.Errorf("start 1 is %v", r.Starts[1].Status)
	}
}
