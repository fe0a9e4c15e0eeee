package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/wordalign"
	"example.org/pathsum/models/align/bitext"
	"example.org/pathsum/models/align/gold"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	texts                             *wordalign.Texts
	settings                          *wordalign.Settings
	train, combine                    *string
	threshold                         *float64
	workers                           *int
	adapt, posteriors, scores, invert *bool
	output, forward, backward         *program.Output
}

func newProgram() *program.Program {
	p := program.New("align", "align finds which words of a text correspond to which words of its translation.",
		"go run ./examples/align",
		"go run ./examples/align -bitext text -o links -save model")
	f := &flags{
		texts:      wordalign.NewTexts(p),
		settings:   wordalign.NewSettings(p),
		train:      p.Choice("train", "how to train the two directions", wordalign.Agreement, wordalign.Independent),
		combine:    wordalign.NewCombine(p),
		threshold:  p.Flags.Float64("threshold", 0, "choose links with a posterior of at least `P`; 0: the best threshold on the development set, or the threshold saved with the model, or .5"),
		workers:    p.Workers(),
		adapt:      p.Flags.Bool("adapt", true, "train further on new text, given by -load or -apply, before it is aligned; =false: use the model as it is, which is faster"),
		output:     p.Output("the links of a line, such as 0-0 1-2 (E first, positions from 0): of -apply, or else of -e and -f or -bitext"),
		forward:    p.Save("forward", "write the links by the direction E→F alone to `FILE`, beside -o"),
		backward:   p.Save("backward", "write the links by the direction F→E alone to `FILE`, beside -o"),
		posteriors: p.Flags.Bool("posteriors", false, "write links with their posteriors: 0-0:0.98 1-2:0.71"),
		scores:     p.Flags.Bool("scores", false, "write two more columns to -o, after tabs: ln P(f|e) and ln P(e|f), in nats"),
		invert:     p.Flags.Bool("invert", false, "write links with F first"),
	}
	p.Checkpoint()
	p.About(program.AboutTraining, "train")
	p.About(program.AboutAnswers, "threshold adapt")
	p.About(program.AboutOutput, "posteriors scores invert")
	p.Uses("e", "bitext", "dev-e", "test-e")
	p.Permits("f", "unpaired", "longest", "dev-f", "dev-gold", "test-f", "test-gold", "gold-from")
	program.Define(p, program.Task[*wordalign.Data, *aligner]{
		Read: f.read, Fit: f.fit, Save: (*aligner).save, Load: load, Score: f.score,
		New: func(d *wordalign.Data) (*aligner, error) {
			return &aligner{data: d, use: use{Spelling: *f.settings.Spelling}}, nil
		},
		Answer: f.answer, Bare: true, Others: []*program.Output{f.forward, f.backward},
		Line:    "A line is e " + bitext.Separator + " f; its answer is links, as in -o.",
		Curve:   figure.Curve("objective, nats"),
		Figures: []program.Figure[*wordalign.Data, *aligner]{{Flag: "matrix", Shows: "a heat map of the posteriors of a sentence", Draw: f.drawMatrix}},
	})
	p.Needs("dev-e", "e bitext load")
	p.Needs("test-e", "e bitext load")
	p.Excludes("apply", "test-e")
	wordalign.Within(p, "threshold", f.threshold, 0, 1)
	p.Check(func() error {
		given := func(flag string) bool { return p.Flags.Lookup(flag).Value.String() != "" }
		if given("load") && given("apply") && (!f.texts.Embedded() || given("dev-e")) {
			return errors.New("-apply: with -load each line is aligned by itself, want no -e, -bitext or -dev-e")
		}
		return nil
	})
	return p
}

// usual is the default threshold, used if there are no data to tune it with.
const usual = .5

// read reads the training text, or new text for a loaded model.
func (f *flags) read(_ context.Context, r *program.Run) (*wordalign.Data, error) {
	read := func() (*wordalign.Data, error) { return f.texts.Read(r, *f.settings.Prune) }
	if r.Loads() {
		read = func() (*wordalign.Data, error) { return f.texts.ReadNew(r) }
	} else {
		r.Set("train", *f.train)
	}
	d, err := read()
	if err == nil {
		r.Set("lines", d.Corpus.Len())
	}
	return d, err
}

// tune sets the threshold of a, to -threshold if it is given, and scores the combination and
// the two directions.
func (f *flags) tune(ctx context.Context, a *aligner, d *wordalign.Data) (err error) {
	before := usual
	if a.Threshold > 0 {
		before = a.Threshold
	}
	a.scores, err = d.Tune(ctx, a.posteriors, *f.threshold, before, *f.workers, wordalign.Combinations[*f.combine], wordalign.Forward, wordalign.Backward)
	if err == nil {
		a.Threshold = a.scores[0].Tuned.Threshold
	}
	return err
}

// score reports the accuracy of the links, and writes the links of the text. A loaded model is
// adapted to all sentences together, as one text.
func (f *flags) score(ctx context.Context, r *program.Run, a *aligner, d *wordalign.Data) error {
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	if r.Loads() {
		if *f.adapt && d.Corpus.Len() > 0 {
			var err error
			if a, err = a.adapted(ctx, d, *f.workers); err != nil {
				return err
			}
		}
		if err := f.tune(ctx, a, d); err != nil {
			return err
		}
	}
	f.report(r, a, d)
	asked := f.output.Given() || f.forward.Given() || f.backward.Given()
	if r.Loads() && !f.texts.Embedded() || !r.Loads() && asked {
		return f.write(ctx, r, a, d)
	}
	return nil
}

// report prints the accuracy of the links.
func (f *flags) report(r *program.Run, a *aligner, d *wordalign.Data) {
	if !r.Loads() {
		fmt.Fprintf(r.Out, "%d sentences to learn from, %d to tune the threshold, %d to score\n\n", d.Corpus.Len(), len(d.Dev.Sentences), len(d.Test.Sentences))
	}
	s := a.scores[0]
	tuned := math.NaN()
	if s.Curve != nil {
		fmt.Fprintf(r.Out, "%s, development set:\n", *f.combine)
		printCurve(r.Out, s.Curve)
		tuned = s.Tuned.AER()
	}
	set := ""
	switch {
	case len(d.Test.Sentences) > 0:
		set = "test"
	case len(d.Dev.Sentences) > 0:
		set = "development"
	}
	for i, name := range []string{*f.combine, "E→F", "F→E"} {
		if s := a.scores[i]; set != "" {
			fmt.Fprintf(r.Out, "%s, %s set, threshold %.3g: AER %.4f, precision %.4f, recall %.4f\n",
				name, set, s.Tuned.Threshold, s.Final.AER(), s.Final.Precision(), s.Final.Recall())
		}
	}
	r.Set("aer", s.Final.AER())
	r.Set("aer_dev", tuned)
	r.Set("precision", s.Final.Precision())
	r.Set("recall", s.Final.Recall())
	r.Set("threshold", s.Tuned.Threshold)
	r.Set("aer_directions", []float64{a.scores[1].Final.AER(), a.scores[2].Final.AER()})
	r.Set("combination", *f.combine)
}

// thresholds are the thresholds in the table.
var thresholds = []float64{.01, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99}

// printCurve writes the table of thresholds.
func printCurve(w io.Writer, c *gold.Curve) {
	best := c.Best()
	fmt.Fprintf(w, "%9s %8s %10s %8s\n", "threshold", "AER", "precision", "recall")
	line := func(p gold.Point, note string) {
		fmt.Fprintf(w, "%9.4g %8.4f %10.4f %8.4f%s\n", p.Threshold, p.AER(), p.Precision(), p.Recall(), note)
	}
	shown := false
	for _, t := range thresholds {
		if !shown && best.Threshold < t {
			line(best, "  best")
			shown = true
		}
		line(c.At(t), "")
	}
	if !shown {
		line(best, "  best")
	}
	fmt.Fprintln(w)
}
