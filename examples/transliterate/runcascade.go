package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
)

// trained returns the cascade in both directions with the parameters that it has.
func (c *cascadeSystem) trained() ([]*transliteration.Transliterator, error) {
	return c.transliterators(c.channel.Theta)
}

// runCascade trains the cascade, and tests it before and after or applies it.
func (e *experiment) runCascade(ctx context.Context, r *program.Run, d *data, t *table) error {
	c, err := newCascade(d, t)
	if err != nil {
		return err
	}
	if *e.lines != "" {
		if _, err := e.learn(ctx, r, c, d); err != nil {
			return err
		}
		all, err := c.trained()
		if err != nil {
			return err
		}
		return transliteration.Stream(ctx, r, *e.direction, *e.best, all...)
	}
	d.warn(r)
	fmt.Fprintf(r.Out, "%d parameters; letter %d-gram\n\n", c.channel.Params.Len(), c.rank.Order())
	results := &results{test: d.test}
	for _, stage := range []struct {
		name  string
		theta []float64
	}{{"before", c.channel.Params.Start()}, {"copy", c.copying()}} {
		all, err := c.transliterators(stage.theta)
		if err != nil {
			return err
		}
		all = transliteration.Asked(*e.direction, all...)
		if err := results.decode(ctx, r, io.Discard, stage.name, results.some(), all, *e.workers); err != nil {
			return err
		}
	}
	fit, err := e.learn(ctx, r, c, d)
	if fit != nil {
		program.WriteObjective(r.Out, "log likelihood", fit.Objective)
		printOutcomes(r.Out, c, d.train)
	}
	if err != nil {
		return err
	}
	all, err := c.trained()
	if err != nil {
		return err
	}
	return e.testTrained(ctx, r, results, transliteration.Asked(*e.direction, all...))
}

// learn trains the channel, draws the figures, saves the model and exports its machines, where
// that was asked for. It returns the training also with an error.
func (e *experiment) learn(ctx context.Context, r *program.Run, c *cascadeSystem, d *data) (*em.Result, error) {
	fit, err := e.train(ctx, r, c, d)
	if err != nil {
		return fit, err
	}
	if e.plot.Given() {
		if err := drawCurve(e.plot, fit.Objective, len(d.train)); err != nil {
			return fit, err
		}
	}
	if e.heatmap.Given() {
		if err := drawChannel(e.heatmap, c, frequent(c.letters.Symbols, d.train, named)); err != nil {
			return fit, err
		}
	}
	if e.export.Given() {
		if err := e.export.Write(c.export); err != nil {
			return fit, err
		}
	}
	return fit, e.model.Save(c.save)
}

// train trains the channel. Like em.Fit it returns what it has if ctx is done.
func (e *experiment) train(ctx context.Context, r *program.Run, c *cascadeSystem, d *data) (*em.Result, error) {
	progress := r.Progress("training", *e.iterations*(1+*e.restarts))
	defer progress.Done()
	fit, err := c.channel.Fit(ctx, cascade.Data{Examples: examples(d.train), Underivable: em.Skip}, &em.Options{
		Iterations: *e.iterations, Restarts: *e.restarts, Rand: rand.NewPCG(*e.seed, 0),
		Workers: *e.workers, Checkpoint: r.Checkpoint(),
		Observer: progress.Observe,
	})
	if fit != nil {
		r.Fitted(fit)
	}
	return fit, err
}
