package main

import (
	"context"
	"fmt"

	"example.org/pathsum/convex"
	"example.org/pathsum/internal/hidden"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/bayes"
)

// solvers are the settings of the solver of the relaxation to compare.
var solvers = []convex.Splitting{{Gap: .3, Iterations: 1}, {Gap: .3, Iterations: 2},
	{Gap: .3, Iterations: 3}, {Gap: .3, Iterations: 5}, hidden.Solving.Solver}

// settings makes the table of the final networks of convex EM, by solver.
func (e *experiment) settings(ctx context.Context, r *program.Run, part string, networks []*network) error {
	sums := make([]float64, len(solvers))
	for _, n := range networks {
		leads := make([][]float64, *e.repeats)
		err := e.each(ctx, r, n, func(i int, t *hidden.Trial) (err error) {
			leads[i], err = lead(t)
			return err
		})
		if err != nil {
			return err
		}
		for _, row := range leads {
			for k, x := range row {
				sums[k] += x / float64(*e.repeats)
			}
		}
	}
	fmt.Fprintf(r.Out, "networks %s: 1, 2, 3 and 5 iterations, and solved: %+.2f\n", part, sums)
	r.Set("networks "+part, sums)
	return nil
}

// lead returns, by solver, the objective of the best result of EM from the relaxation minus the
// best from the random starts.
func lead(t *hidden.Trial) ([]float64, error) {
	objective := func(n *bayes.Network) (float64, error) {
		x, err := t.Expect(n)
		if err != nil {
			return 0, err
		}
		return x.Objective, nil
	}
	all, best, err := t.Restart(t.Random, false)
	if err != nil {
		return nil, err
	}
	rival, err := objective(all[best])
	if err != nil {
		return nil, err
	}
	var leads []float64
	for _, solver := range solvers {
		_, starts, err := t.Recover(convex.Fitting{Solver: solver, Rounding: hidden.Starting.Rounding})
		if err != nil {
			return nil, err
		}
		ends, err := t.Race(starts)
		if err != nil {
			return nil, err
		}
		first, err := objective(ends[0])
		if err != nil {
			return nil, err
		}
		second, err := objective(ends[1])
		if err != nil {
			return nil, err
		}
		leads = append(leads, max(first, second)-rival)
	}
	return leads, nil
}
