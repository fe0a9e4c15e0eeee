package cascade_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
)

// TestPrune compares a run that drops starts with the traces of one that does not.
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
