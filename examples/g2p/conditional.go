package main

import (
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/models/pairgram"
)

// conditionals returns a conditional model for each kind and direction.
func (t *trainer) conditionals(ctx context.Context, r *program.Run, s settings) ([]*pairgram.Conditional, error) {
	var all []*pairgram.Conditional
	for _, k := range t.kinds {
		for _, d := range k.directions {
			c, err := t.conditional(ctx, r, s, k.sizes, d, len(all))
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// strengths is the number of iterations that find the strengths of features.
const strengths = 60

// conditional returns conditional model number n, of chunks of these sizes read in a direction.
func (t *trainer) conditional(ctx context.Context, r *program.Run, s settings, sizes []pairgram.Size, direction string, n int) (*pairgram.Conditional, error) {
	train := func(ctx context.Context, pairs []pairgram.Pair) (*pairgram.Predictor, error) {
		a, err := pairgram.NewAligner(pairs, &pairgram.AlignerOptions{Sizes: sizes, LengthPrior: *t.e.prior})
		if err != nil {
			return nil, err
		}
		if _, err := a.Fit(ctx, pairs, &em.Options{Iterations: *t.e.iterations, Tolerance: -1, Workers: *t.e.workers}); err != nil {
			return nil, err
		}
		counts, err := a.Count(ctx, pairs, &pairgram.CountOptions{Order: s.order, Reversed: direction == backward, Workers: *t.e.workers})
		if err != nil {
			return nil, err
		}
		models, err := smooth([]*pairgram.Counts{counts}, s.discount)
		if err != nil {
			return nil, err
		}
		return models[0].Predictor(nil)
	}
	progress := r.Progress("conditional", strengths)
	defer progress.Done()
	fit := em.Options{Iterations: strengths, Workers: *t.e.workers, Observer: func(v em.Event) { progress.Step(fmt.Sprintf("%.6g nats", v.Objective)) }}
	if *t.e.checkpoint != "" {
		fit.Checkpoint = t.checkpoint("conditional", n)
	}
	c, result, err := pairgram.FitConditional(ctx, t.pairs, train, &pairgram.ConditionalOptions{Fit: fit})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(t.e.summary(r), "conditional %s model: %d features, %.6g nats before, %.6g after %d iterations\n",
		direction, len(result.Theta)-1, result.Objective[0], result.Objective[len(result.Objective)-1], result.Iterations())
	return c, nil
}
