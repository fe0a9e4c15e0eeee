package main

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/align"
)

// iterationRates trains in one of the ways and returns the error rate on the
// development set after each iteration, at the threshold that is best then.
func (x *experiment) iterationRates(ctx context.Context, r *program.Run, corpus *align.Corpus, d *data, how string) ([]float64, error) {
	o, opts := x.options(how, *x.iterations, corpus.Len())
	m, err := align.New(corpus, o)
	if err != nil {
		return nil, err
	}
	progress := r.Progress("curve of "+how, iterations(opts))
	defer progress.Done()
	var rates []float64
	stages := opts.Stages
	for _, s := range stages {
		for n := s.Iterations; n > 0; n-- { // one at a time, which comes to the same
			s.Iterations = 1
			opts.Stages = []align.Stage{s}
			if _, err := m.Fit(ctx, corpus, opts); err != nil {
				return nil, err
			}
			rate, err := x.rate(ctx, &aligner{model: m, corpus: corpus, learnt: d.learnt}, d)
			if err != nil {
				return nil, err
			}
			rates = append(rates, rate)
			progress.Step(fmt.Sprintf("AER %.4f", rate))
		}
	}
	return rates, nil
}

// rate returns the error rate of a model on the development set.
func (x *experiment) rate(ctx context.Context, a *aligner, d *data) (float64, error) {
	curves, err := x.sweep(ctx, a, d, combinations[*x.combine])
	if err != nil {
		return math.NaN(), err
	}
	return curves[0].Best().AER(), nil
}

// drawCurve draws the error rate by iteration of the ways to train (Liang, Taskar and Klein
// 2006, and Liang, Klein and Jordan 2007, figure 1).
func (x *experiment) drawCurve(ctx context.Context, r *program.Run, corpus *align.Corpus, d *data) error {
	fmt.Fprintln(r.Out, "\nAER on the development set by iteration:")
	var lines []figure.Line
	for _, how := range []string{independent, product2006, agreement2007, agreement} {
		rates, err := x.iterationRates(ctx, r, corpus, d, how)
		if err != nil {
			return err
		}
		r.Set("aer_iterations_"+how, rates)
		fmt.Fprintf(r.Out, "%-14s", how)
		for _, rate := range rates {
			fmt.Fprintf(r.Out, " %.4f", rate)
		}
		fmt.Fprintln(r.Out)
		_, opts := x.options(how, *x.iterations, corpus.Len())
		lines = append(lines, figure.Line{Name: how, First: 1 - opts.Stages[0].Iterations, Values: rates})
	}
	title := fmt.Sprintf("Error rates on the development set (%s); Model 1 to iteration 0", *x.combine)
	return x.curve.Draw(figure.Lines(title, "AER", lines...))
}
