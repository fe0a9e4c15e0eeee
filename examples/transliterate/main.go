package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test, checkpoint, output *string
	iterations, restarts, workers  *int
	seed                           *uint64
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("transliterate", "transliterate learns from pairs of words how European words are written in\nkatakana and back: letter n-gram ∘ trained channel ∘ table of romaji.")
	return p, &experiment{
		data:       p.Data(format),
		test:       p.Test("Lines: those of -data. Without -test, every eighth pair is held out."),
		iterations: p.Iterations(20),
		restarts:   p.Restarts(0),
		seed:       p.Seed(),
		workers:    p.Workers(),
		checkpoint: p.Checkpoint(),
		output:     p.Output("direction<TAB>word<TAB>reference<TAB>candidate<TAB>…, best first, of the test words"),
	}
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	t, err := loadTable()
	if err != nil {
		return err
	}
	d, err := loadData(*e.data, *e.test, t.kana)
	if err != nil {
		return err
	}
	if first, n := d.unknown(); n > 0 {
		r.Warn("%d test pairs have a character that the model does not know and cannot be right: %s", n, first)
	}
	c, err := newCascade(d, t)
	if err != nil {
		return err
	}
	r.Set("pairs", len(d.train))
	r.Set("test_pairs", len(d.test))
	fmt.Fprintf(r.Out, "%d pairs to learn from, %d to be tested with; %d parameters; letter %d-gram\n\n",
		len(d.train), len(d.test), c.channel.Params.Len(), c.rank.Order())

	results := newResults(c, d.test)
	decode := func(stage string, theta []float64) error {
		return results.decode(ctx, r, stage, theta, *e.workers)
	}
	if err := decode("before", c.channel.Params.Start()); err != nil {
		return err
	}
	if err := decode("copy", c.copying()); err != nil {
		return err
	}
	fit, err := e.train(ctx, r, c, d)
	if fit != nil {
		printObjective(r.Out, fit.Objective)
		printOutcomes(r.Out, c, d.train)
	}
	if err != nil {
		return err
	}
	if err := decode("after", c.channel.Theta); err != nil {
		return err
	}
	results.print(r.Out)
	results.report(r)
	if *e.output != "" {
		return program.WriteFile(*e.output, func(w io.Writer) error { return results.write(w, "after") })
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
