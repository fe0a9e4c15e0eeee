package main

import (
	"context"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// sigmas are the standard deviations of strengths that are tried, and usualSigma the one that
// stands where there are no held-out words.
var sigmas = []float64{.2, .4, .8}

const usualSigma = .2

// conditionals returns a conditional model for each kind and direction. Their standard deviation
// is the one with which the first makes the fewest errors on held-out items.
func (t *trainer) conditionals(ctx context.Context, r *program.Run, s settings, held []item) ([]*pairgram.Conditional, error) {
	var all []*pairgram.Conditional
	for _, k := range t.kinds {
		for _, d := range k.directions {
			tried := []float64{*t.e.sigma}
			switch {
			case len(all) > 0:
				tried = []float64{s.sigma}
			case tried[0] == 0 && len(held) == 0:
				tried = []float64{usualSigma}
			case tried[0] == 0:
				tried = sigmas
			}
			var best *pairgram.Conditional
			least := 2.0
			for _, sigma := range tried {
				c, err := t.conditional(ctx, r, s, sigma, k.sizes, d, len(all))
				if err != nil {
					return nil, err
				}
				wrong := Score{}
				if len(tried) > 1 {
					w, err := conditionalTranscriber(t.columns, t.symbols, c)
					if err != nil {
						return nil, err
					}
					if wrong, err = t.e.evaluate(ctx, w, held); err != nil {
						return nil, err
					}
				}
				if wrong.WER < least {
					best, least, s.sigma = c, wrong.WER, sigma
				}
			}
			all = append(all, best)
		}
	}
	r.Set("sigma", s.sigma)
	return all, nil
}

// strengths is the number of iterations that find the strengths of features.
const strengths = 60

// conditional returns conditional model number n, of chunks of these sizes read in a direction,
// whose strengths have a standard deviation of sigma.
func (t *trainer) conditional(ctx context.Context, r *program.Run, s settings, sigma float64, sizes []pairgram.Size, direction string, n int) (*pairgram.Conditional, error) {
	recipe := pairgram.Recipe{
		Aligner:   pairgram.AlignerOptions{Sizes: sizes, LengthPrior: *t.e.prior},
		Count:     pairgram.CountOptions{Order: s.order, Reversed: direction == backward},
		Smoothing: ngram.Options{DiscountScale: []float64{1, s.discount}},
	}
	train := func(ctx context.Context, pairs []pairgram.Pair) (*pairgram.Predictor, error) {
		m, err := recipe.Fit(ctx, pairs, &em.Options{Iterations: *t.e.iterations, Tolerance: -1, Workers: *t.e.workers})
		if err != nil {
			return nil, err
		}
		return m.Predictor(nil)
	}
	progress := r.Progress("conditional", strengths)
	defer progress.Done()
	fit := em.Options{Iterations: strengths, Workers: *t.e.workers, Checkpoint: t.checkpoint(r, fmt.Sprint("conditional.", sigma), n), Observer: progress.Observe}
	c, result, err := pairgram.FitConditional(ctx, t.pairs, train, &pairgram.ConditionalOptions{Sigma: sigma, Fit: fit})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(r.Out, "conditional %s model: %d features of standard deviation %g, %.6g nats before, %.6g after %d iterations\n",
		direction, len(result.Theta)-1, sigma, result.Objective[0], result.Last(), result.Iterations())
	return c, nil
}
