package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/models/align/bitext"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	train, dev, test    files   // train has no references
	bitext              *string // in place of train
	unpaired            *bool
	how, combine        *string
	checkpoint          *string
	output, plot, curve *program.Output
	iterations, workers *int
	spelling            *bool
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("align", "align finds which words of a text correspond to which words of its translation: two\nhidden Markov models, one for each direction, that are trained to agree.")
	names := slices.Sorted(maps.Keys(combinations))
	names = slices.Insert(slices.DeleteFunc(names, func(n string) bool { return n == "average" }), 0, "average")
	x := &experiment{
		how:        p.Choice("train", "how to train the two directions", agreement, independent, product2006, agreement2007),
		spelling:   p.Flags.Bool("spelling", false, "expect words that begin alike to be translated alike, and to be translations of each other"),
		combine:    p.Choice("combine", "how to combine their posteriors", names...),
		unpaired:   p.Flags.Bool("unpaired", false, "skip the lines that only one of -e and -f has; without it, lengths that differ are an error"),
		bitext:     p.Input("bitext", "learn from `FILE` instead of -e and -f, with both sentences in a line, e "+bitext.Separator+" f; - for standard input; .gz is read directly"),
		output:     p.Output("the links of a line of -e and -f, such as 0-0 1-2 (E first, positions from 0)"),
		plot:       p.Plot("the posteriors of a sentence with references (or else of a line)"),
		curve:      p.Figure("curve", "the error rate by iteration of the ways to train"),
		iterations: p.Iterations(5),
		workers:    p.Workers(),
		checkpoint: p.Checkpoint(),
	}
	p.InputVar(&x.train.e, "e", "learn from `FILE` instead of the embedded sentences: a sentence of E a line, its words divided by spaces; - for standard input; .gz is read directly")
	p.InputVar(&x.train.f, "f", "and from `FILE`: the translations into F, line by line")
	for _, set := range []struct {
		name, use string
		files     *files
	}{{"dev", "choose the threshold", &x.dev}, {"test", "score the result", &x.test}} {
		p.InputVar(&set.files.e, set.name+"-e", set.use+" with the sentences of E in `FILE`; those that the training text lacks are learned from, too")
		p.InputVar(&set.files.f, set.name+"-f", "and their translations in `FILE`")
		p.InputVar(&set.files.gold, set.name+"-gold", "and their reference alignments in `FILE`: i-j sure, i?j possible, E first, positions from 0")
	}
	p.Check(x.check)
	return p, x
}

// embedded reports whether no text to learn from is named.
func (x *experiment) embedded() bool { return x.train == (files{}) && *x.bitext == "" }

// check returns what is wrong with the names of files.
func (x *experiment) check() error {
	switch {
	case x.embedded():
		if x.dev != (files{}) || x.test != (files{}) {
			return errors.New("-dev-… and -test-…: want -e and -f, too")
		}
		return nil
	case x.train != (files{}) && *x.bitext != "":
		return errors.New("-bitext: want neither -e nor -f")
	case *x.bitext == "" && (x.train.e == "" || x.train.f == ""):
		return errors.New("-e and -f: want both, or -bitext for a file with both sentences in a line")
	case x.curve.Given() && x.dev == (files{}):
		return errors.New("-curve: want a development set, -dev-…")
	case !x.dev.allOrNone():
		return errors.New("-dev-e, -dev-f and -dev-gold: want all three")
	case !x.test.allOrNone():
		return errors.New("-test-e, -test-f and -test-gold: want all three")
	}
	return nil
}

func (x *experiment) run(ctx context.Context, r *program.Run) error {
	d, err := x.load()
	if err != nil {
		return err
	}
	problems := problems{run: r}
	corpus, err := d.corpus(problems.add)
	if err != nil {
		return err
	}
	problems.end()
	// From here on nearly all memory holds numbers, which cost the collector nothing: it can
	// come often.
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	r.Set("train", *x.how)
	r.Set("lines", corpus.Len())
	fmt.Fprintf(r.Out, "%d sentences to learn from, %d to tune the threshold, %d to score\n\n", corpus.Len(), len(d.dev.sentences), len(d.test.sentences))
	m, interrupted := x.fit(ctx, r, corpus, problems.n)
	if m == nil {
		return interrupted
	}
	debug.FreeOSMemory() // what training alone needed
	threshold, err := x.score(context.WithoutCancel(ctx), r, m, d)
	if err != nil || interrupted != nil {
		return errors.Join(interrupted, err)
	}
	if x.output.Given() {
		err := x.output.Write(func(w io.Writer) error {
			return x.write(ctx, w, r, m, corpus, d.count, threshold)
		})
		if err != nil {
			return err
		}
	}
	if x.plot.Given() {
		if err := x.drawMatrix(m, corpus, d, threshold); err != nil {
			return err
		}
	}
	if x.curve.Given() {
		return x.drawCurve(ctx, r, corpus, d)
	}
	return nil
}

// maxNamed is how many problems are named.
const maxNamed = 5

// problems reports the first problems of a text and counts all of them.
type problems struct {
	run *program.Run
	n   int
}

func (p *problems) add(problem error) {
	if p.n++; p.n <= maxNamed {
		p.run.Warn("skipped: %w", problem)
	}
}

func (p *problems) end() {
	if p.n > maxNamed {
		p.run.Warn("skipped: %d more lines", p.n-maxNamed)
	}
}
