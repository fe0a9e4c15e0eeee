package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/tagged"
	"example.org/pathsum/models/crf"
)

func main() { newProgram().Main() }

// flags are the values of the flags.
type flags struct {
	files                                 *tagged.Files
	plot                                  *program.Output
	passes, beam, exact, workers, counted *int
	seed                                  *uint64
	regions                               *[]int
	model                                 *string
}

func newProgram() *program.Program {
	p := program.New("counts", "counts learns to tag words from counts of tags in regions of sentences.",
		"go run ./examples/counts",
		"go run ./examples/counts -data train.txt.gz -test test.txt.gz -regions 1,10,20 -passes 3")
	f := &flags{
		files:   tagged.Declare(p),
		passes:  p.Count("passes", 4, 0, "make `N` passes of EM"),
		seed:    p.Seed(),
		workers: p.Workers(),
		plot:    p.Plot("the test accuracy by pass of EM"),
		beam:    p.Count("beam", 500, 1, "keep `N` states of the beams of likelihoods"),
		exact:   p.Flags.Int("exact", 4, "let EM sum over all taggings, too, for regions of at most `N` words"),
		regions: program.List(p, "regions", "count tags in regions of the `SIZES`, with commas between", 1, 2, 4, 8),
		counted: p.Count("counted", 0, 0, "let each annotator count `N` tags, drawn at random; 0: all of them"),
		model:   p.Choice("model", "the model of features: of each word by itself, or of a chain", crf.Node.String(), crf.Chain.String()),
	}
	p.About(program.AboutData, "regions counted")
	p.About(program.AboutTraining, "passes beam exact")
	p.Needs("test", "data")
	p.Do(f.run)
	return p
}

func (f *flags) run(ctx context.Context, r *program.Run) error {
	train, test, err := f.files.Load(r, func() ([]tagged.Sentence, error) {
		return simulate(rand.New(rand.NewPCG(*f.seed, 0))), nil
	})
	if err != nil {
		return err
	}
	c := newCorpus(train, test)
	r.Set("sentences", len(train))
	r.Set("test_sentences", len(test))
	fmt.Fprintf(r.Out, "%d sentences to learn from, %d to be tested with; %d words, %d tags\n\n",
		len(train), len(test), len(c.words), len(c.tags))
	all, err := f.compare(ctx, r, c)
	all.print(r.Out)
	all.report(r)
	if err == nil && f.plot.Given() {
		err = f.plot.Draw(figure.Lines("Tags from counts in regions, by pass of EM; 0 is the moments", "test accuracy", all.lines()...))
	}
	return err
}

// compare makes all trials. If it is interrupted, it returns the results so far.
func (f *flags) compare(ctx context.Context, r *program.Run, c *corpus) (results, error) {
	steps := 2
	for _, size := range *f.regions {
		steps += 5 + 2*(*f.passes)
		if size <= *f.exact {
			steps += *f.passes
		}
	}
	progress := r.Progress("results", steps)
	defer progress.Done()
	t := &trial{corpus: c, flags: f, step: progress.Step}
	if err := t.supervised(ctx); err != nil {
		return t.results, err
	}
	for _, size := range *f.regions {
		if err := t.ofRegions(ctx, size); err != nil {
			return t.results, err
		}
	}
	return t.results, nil
}
