package main

import (
	"context"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"example.org/pathsum/examples/internal/figure"
	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/models/align"
)

// iterationRates trains in one of the ways and returns the error rate on the
// development set after each iteration, at the threshold that is best then.
func (x *experiment) iterationRates(ctx context.Context, r *program.Run, corpus *align.Corpus, d *data, how string) ([]float64, error) {
	o, opts := x.options(how, *x.iterations)
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
			rate, err := x.rate(ctx, &aligner{model: m}, d)
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
	dev, err := infer(ctx, a, d.dev.sentences, *x.workers)
	if err != nil {
		return math.NaN(), err
	}
	curve, err := sweep(dev, d.dev.references, combinations[*x.combine])
	if err != nil {
		return math.NaN(), err
	}
	return curve.Best().AER(), nil
}

// ways are the ways to train that the curve compares, with their colours.
var ways = []struct {
	name  string
	color color.RGBA
}{
	{independent, color.RGBA{R: 0xc0, G: 0x40, A: 0xff}},
	{product2006, color.RGBA{R: 0xd0, G: 0xa0, A: 0xff}},
	{agreement2007, color.RGBA{G: 0x90, B: 0x50, A: 0xff}},
	{agreement, color.RGBA{B: 0xa0, A: 0xff}},
}

// drawCurve draws the error rate by iteration of the ways to train (Liang, Taskar and Klein
// 2006, and Liang, Klein and Jordan 2007, figure 1).
func (x *experiment) drawCurve(ctx context.Context, r *program.Run, corpus *align.Corpus, d *data) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Error rate on the development set (%s, best threshold)", *x.combine)
	p.X.Label.Text, p.Y.Label.Text = "iteration of the hidden Markov model; to 0: Model 1", "AER"
	p.Y.Min = 0
	p.Legend.Top = true
	fmt.Fprintln(r.Out, "\nAER on the development set by iteration:")
	for _, how := range ways {
		rates, err := x.iterationRates(ctx, r, corpus, d, how.name)
		if err != nil {
			return err
		}
		r.Set("aer_iterations_"+how.name, rates)
		fmt.Fprintf(r.Out, "%-14s", how.name)
		_, opts := x.options(how.name, *x.iterations)
		model1 := opts.Stages[0].Iterations
		at := make(plotter.XYs, len(rates))
		for n, rate := range rates {
			fmt.Fprintf(r.Out, " %.4f", rate)
			at[n] = plotter.XY{X: float64(n + 1 - model1), Y: rate}
		}
		fmt.Fprintln(r.Out)
		line, points, err := plotter.NewLinePoints(at)
		if err != nil {
			return err
		}
		line.Color = how.color
		points.Color = line.Color
		p.Add(line, points)
		p.Legend.Add(how.name, line, points)
	}
	return figure.Write(x.curve, p, 16*vg.Centimeter, 10*vg.Centimeter)
}
