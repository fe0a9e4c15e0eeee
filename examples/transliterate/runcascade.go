package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/examples/internal/transliteration"
)

// trained returns the cascade in both directions with the parameters that it has.
func (c *cascade) trained() ([]*transliteration.Transliterator, error) {
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
		return e.apply(ctx, r, c.trained)
	}
	d.warn(r)
	fmt.Fprintf(r.Out, "%d parameters; letter %d-gram\n\n", c.channel.Params.Len(), c.rank.Order())
	results := &results{test: d.test}
	for _, stage := range []struct {
		name  string
		theta []float64
	}{{"before", c.channel.Params.Start()}, {"copy", c.copying()}} {
		all, err := e.asked(c.transliterators(stage.theta))
		if err != nil {
			return err
		}
		if err := results.decode(ctx, r, io.Discard, stage.name, results.some(), all, *e.workers); err != nil {
			return err
		}
	}
	fit, err := e.learn(ctx, r, c, d)
	if fit != nil {
		printObjective(r.Out, fit.Objective)
		printOutcomes(r.Out, c, d.train)
	}
	if err != nil {
		return err
	}
	all, err := e.asked(c.trained())
	if err != nil {
		return err
	}
	return e.testTrained(ctx, r, results, all)
}

// asked returns those of all that -direction names.
func (e *experiment) asked(all []*transliteration.Transliterator, err error) ([]*transliteration.Transliterator, error) {
	var some []*transliteration.Transliterator
	for _, t := range all {
		if *e.direction == "both" || *e.direction == t.Name {
			some = append(some, t)
		}
	}
	return some, err
}

// learn trains the channel, draws the figures, saves the model and exports its machines, where
// that was asked for. It returns the training also with an error.
func (e *experiment) learn(ctx context.Context, r *program.Run, c *cascade, d *data) (*em.Result, error) {
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
func (e *experiment) train(ctx context.Context, r *program.Run, c *cascade, d *data) (*em.Result, error) {
	progress := r.Progress("training", *e.iterations*(1+*e.restarts))
	defer progress.Done()
	fit, err := c.channel.Fit(ctx, em.Data{Examples: examples(d.train), Underivable: em.Skip}, &em.Options{
		Iterations: *e.iterations, Restarts: *e.restarts, Rand: rand.NewPCG(*e.seed, 0),
		Workers: *e.workers, Checkpoint: *e.checkpoint,
		Observer: func(v em.Event) {
			progress.Step(fmt.Sprintf("log likelihood %.3f after %.1f s", v.Objective, v.Elapsed.Seconds()))
		},
	})
	if fit == nil {
		return nil, err
	}
	e.trained(r, fit)
	return fit, err
}

// trained reports a training.
func (e *experiment) trained(r *program.Run, fit *em.Result) {
	r.Trained(program.Training{
		Iterations: fit.Iterations(), Objective: fit.Objective, Status: fit.Status.String(), Skipped: len(fit.Skipped),
	})
	for i, s := range fit.Skipped {
		if i == maxNamed {
			r.Warn("… and %d more", len(fit.Skipped)-maxNamed)
			break
		}
		r.Warn("skipped, no derivation: %s", s.Name)
	}
}

// maxNamed is how many skipped examples are named.
const maxNamed = 5
