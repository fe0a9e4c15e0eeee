package main

import (
	"fmt"
	"slices"
	"testing"

	"example.org/pathsum/convex"
)

// TestSettings says, with -results, how likely the networks are that convex EM ends at, by how
// the relaxation is solved: ln P of the training rows and the log prior, less that of the best
// of ten starts of marginal EM, a mean over the repeats of -seed 1, summed over networks. No
// label and no test row is seen.
func TestSettings(t *testing.T) {
	if !*results {
		t.Skip("makes a table, with -results")
	}
	solvers := []convex.Splitting{{Gap: .3, Iterations: 1}, {Gap: .3, Iterations: 2},
		{Gap: .3, Iterations: 3}, {Gap: .3, Iterations: 5}, solving.Solver}
	for _, part := range []string{"of the table", "held out"} {
		var sums [5]float64
		each(part, func(_ string, flags []string) {
			e, s := begin(t, append(flags, "-seed", "1"))
			for i := range *e.repeats {
				x, err := e.newTrial(t.Context(), s, i)
				if err != nil {
					t.Fatal(err)
				}
				random, err := x.starts()
				if err != nil {
					t.Fatal(err)
				}
				all, best, err := x.restart(random, false)
				if err != nil {
					t.Fatal(err)
				}
				rival, err := x.expect(all[best])
				if err != nil {
					t.Fatal(err)
				}
				for k, solver := range solvers {
					_, starts, err := x.recover(convex.Fitting{Solver: solver, Rounding: starting.Rounding})
					if err != nil {
						t.Fatal(err)
					}
					ends, err := x.race(starts)
					if err != nil {
						t.Fatal(err)
					}
					objective := func(end int) float64 {
						r, err := x.expect(ends[end])
						if err != nil {
							t.Fatal(err)
						}
						return r.objective
					}
					own := slices.Max([]float64{objective(0), objective(1)})
					sums[k] += (own - rival.objective) / float64(*e.repeats)
				}
			}
		})
		fmt.Printf("networks %s: 1, 2, 3 and 5 iterations, and solved: %+.2f\n", part, sums)
	}
}
