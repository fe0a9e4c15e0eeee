package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/examples/internal/program"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test, checkpoint        *string
	output, plot, heatmap         *program.Output
	lines, direction              *string
	model                         *program.Model
	iterations, restarts, workers *int
	seed                          *uint64
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("transliterate", "transliterate learns from pairs of words how European words are written in\nkatakana and back: letter n-gram ∘ trained channel ∘ table of romaji.")
	e := &experiment{
		data:       p.Data(format),
		test:       p.Test("Lines: those of -data. Without -test, every eighth pair is held out."),
		iterations: p.Iterations(20),
		restarts:   p.Restarts(0),
		seed:       p.Seed(),
		workers:    p.Workers(),
		checkpoint: p.Checkpoint(),
		output:     p.Output("direction<TAB>word<TAB>reference<TAB>candidate<TAB>…, best first: one for each test pair, in order and as soon as it is known, first forward and then backward"),
		plot:       p.Plot("the learning curve"),
		heatmap:    p.Figure("heatmap", "what the letters become"),
		lines:      p.Apply("A line is a word; its answer is the word and its candidates, with tabs between."),
		direction:  p.Choice("direction", "way of -apply, from letters to katakana or back", "forward", "backward"),
	}
	e.model = p.Model("data test iterations restarts seed checkpoint plot heatmap", "apply")
	p.Excludes("apply", "test")
	p.Needs("direction", "apply")
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	t, err := loadTable()
	if err != nil {
		return err
	}
	if e.model.Loads() {
		c, err := e.loadModel(t)
		if err != nil {
			return err
		}
		return e.decode(ctx, r, c)
	}
	d, err := loadData(*e.data, *e.test, t.kana)
	if err != nil {
		return err
	}
	c, err := newCascade(d, t)
	if err != nil {
		return err
	}
	r.Set("pairs", len(d.train))
	r.Set("test_pairs", len(d.test))
	if *e.lines == "" {
		return e.evaluate(ctx, r, c, d)
	}
	if _, err := e.learn(ctx, r, c, d); err != nil {
		return err
	}
	return e.decode(ctx, r, c)
}

// loadModel returns the cascade that was saved.
func (e *experiment) loadModel(t *table) (c *cascade, err error) {
	err = e.model.Load(func(r io.Reader) error {
		c, err = loadCascade(r, t)
		return err
	})
	return c, err
}

// decode transliterates the lines of -apply.
func (e *experiment) decode(ctx context.Context, r *program.Run, c *cascade) error {
	dir := c.directions()[0]
	if *e.direction != dir.name {
		dir = c.directions()[1]
	}
	predictor, err := dir.predictor(c.channel.Theta)
	if err != nil {
		return err
	}
	return r.Stream(ctx, program.Stream{
		Input: *e.lines, Output: e.output, Workers: *e.workers,
		Answer: func(ctx context.Context, word string) ([]string, error) {
			if word == "" {
				return nil, errors.New("empty line")
			}
			return dir.answer(ctx, predictor, word)
		},
	})
}

// sample is the number of test pairs that are decoded before the channel is trained, when
// that takes long and finds little.
const sample = 200

// evaluate trains the cascade, and tests it before and after.
func (e *experiment) evaluate(ctx context.Context, r *program.Run, c *cascade, d *data) error {
	if first, n := d.unknown(); n > 0 {
		r.Warn("%d test pairs have a character that the model does not know and cannot be right: %s", n, first)
	}
	fmt.Fprintf(r.Out, "%d pairs to learn from, %d to be tested with; %d parameters; letter %d-gram\n\n",
		len(d.train), len(d.test), c.channel.Params.Len(), c.rank.Order())
	results := newResults(c, d.test)
	some := d.test[:min(len(d.test), sample)]
	if err := results.decode(ctx, r, io.Discard, "before", some, c.channel.Params.Start(), *e.workers); err != nil {
		return err
	}
	if err := results.decode(ctx, r, io.Discard, "copy", some, c.copying(), *e.workers); err != nil {
		return err
	}
	fit, err := e.learn(ctx, r, c, d)
	if fit != nil {
		printObjective(r.Out, fit.Objective)
		printOutcomes(r.Out, c, d.train)
	}
	if err != nil {
		return err
	}
	after := func(w io.Writer) error {
		return results.decode(ctx, r, w, "after", d.test, c.channel.Theta, *e.workers)
	}
	if !e.output.Given() {
		err = after(io.Discard)
	} else {
		err = e.output.Write(after)
	}
	if err != nil {
		return err
	}
	results.print(r.Out)
	results.report(r)
	return nil
}

// learn trains the channel, draws the figures and saves the model, where that was asked
// for. It returns the training also with an error.
func (e *experiment) learn(ctx context.Context, r *program.Run, c *cascade, d *data) (*em.Result, error) {
	fit, err := e.train(ctx, r, c, d)
	if err != nil {
		return fit, err
	}
	if err := e.draw(c, d, fit.Objective); err != nil {
		return fit, err
	}
	return fit, e.model.Save(c.save)
}

// draw draws the figures that were asked for.
func (e *experiment) draw(c *cascade, d *data, objective []float64) error {
	if e.plot.Given() {
		if err := drawCurve(e.plot, objective, len(d.train)); err != nil {
			return err
		}
	}
	if e.heatmap.Given() {
		return drawChannel(e.heatmap, c, frequent(c.letters, d.train, named))
	}
	return nil
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
	return fit, err
}

// maxNamed is how many skipped examples are named.
const maxNamed = 5
