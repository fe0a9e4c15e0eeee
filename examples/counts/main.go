package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/tagged"
	"example.org/pathsum/models/crf"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test                   *string
	plot, geometry               *program.Output
	passes, beam, exact, workers *int
	column                       *int
	seed                         *uint64
	regions                      *[]int
	model                        *string
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("counts", "counts learns to tag words from counts of tags in regions of sentences.")
	e := &experiment{
		data:     p.Data(tagged.Format),
		test:     p.Test("Lines: those of -data. Without -test, every sixth sentence is held out."),
		passes:   p.Count("passes", 4, 0, "make `N` passes of EM"),
		seed:     p.Seed(),
		workers:  p.Workers(),
		plot:     p.Plot("the accuracy by pass of EM"),
		beam:     p.Count("beam", 500, 1, "keep `N` states of the beam"),
		exact:    p.Flags.Int("exact", 4, "sum over all taggings, too, for regions of at most `N` words"),
		geometry: p.Figure("geometry", "a moment estimate among three values, and its rival,"),
		regions:  program.List(p, "regions", "try regions of the `SIZES`, separated by commas", 1, 2, 4, 8),
		model:    p.Choice("model", "what model of features to fit, of each word by itself or of a chain", crf.Node.String(), crf.Chain.String()),
	}
	e.column = tagged.Column(p)
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	c, err := load(*e.data, *e.test, *e.column, rand.New(rand.NewPCG(*e.seed, 0)))
	if err != nil {
		return err
	}
	r.Set("sentences", len(c.train.word))
	r.Set("test_sentences", len(c.test.word))
	fmt.Fprintf(r.Out, "%d sentences to learn from, %d to be tested with; %d words, %d tags\n",
		len(c.train.word), len(c.test.word), len(c.words), len(c.tags))
	if e.geometry.Given() {
		g, err := newGeometry(ctx)
		if err != nil {
			return err
		}
		if err := g.draw(e.geometry); err != nil {
			return err
		}
	}
	all, err := e.compare(ctx, r, c)
	all.print(r)
	all.report(r)
	if err == nil && e.plot.Given() {
		err = all.draw(e.plot)
	}
	return err
}

// compare makes all trials. Of a run that was interrupted it returns what is known.
func (e *experiment) compare(ctx context.Context, r *program.Run, c *corpus) (results, error) {
	steps := 2
	for _, size := range *e.regions {
		steps += 3 + 2*(*e.passes)
		if size <= *e.exact {
			steps += *e.passes
		}
	}
	progress := r.Progress("results", steps)
	defer progress.Done()
	first := &trial{corpus: c, flags: e, step: progress.Step}
	if err := first.supervised(ctx); err != nil {
		return first.results, err
	}
	all := first.results
	for _, size := range *e.regions {
		t := &trial{corpus: c, flags: e, size: size, step: progress.Step}
		err := t.run(ctx)
		all = append(all, t.results...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}
