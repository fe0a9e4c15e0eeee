package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test                    *string
	output, plot, heatmap, export *program.Output
	kind, normalize               *string
	conditional                   *bool
	lines, direction              *string
	model                         *program.Model
	iterations, restarts, workers *int
	best                          *int
	seed                          *uint64
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("transliterate", "transliterate learns from pairs of words how European words are written in\nkatakana and back.")
	e := &experiment{
		data:        p.Data(format),
		test:        p.Test("Lines: those of -data. Without -test and -apply, every eighth pair is held out."),
		kind:        p.Choice("model", "kind of model: a product of four models of pairs for each direction, the best one of them, or letter n-gram ∘ trained channel ∘ table of romaji", "product", "single", "cascade"),
		conditional: p.Flags.Bool("conditional", false, "train models of pairs for the probability of the answer given the word, in some fifteen times the time"),
		normalize:   p.Flags.String("normalize", "", "take the letters of words in the Unicode `FORM` none, nfc or nfd; without the flag, in the one with which more of held-out training pairs are right"),
		iterations:  p.Iterations(11),
		restarts:    p.Restarts(0),
		seed:        p.Seed(),
		workers:     p.Workers(),
		output:      p.Output("direction<TAB>word<TAB>reference<TAB>candidate<TAB>…, best first: one for each test pair, in order and as soon as it is known, first forward and then backward. With -apply, its records"),
		plot:        p.Plot("the learning curve"),
		heatmap:     p.Figure("heatmap", "what the letters become in a cascade"),
		export:      p.Save("export", "write the machines of a cascade to `FILE`, an archive of OpenFst (.far): channel, letters and table, with their symbols"),
		lines:       p.Apply("A line is a word; its answer is the word and its candidates, with tabs between."),
		best:        p.Best(1, "of -apply; if they are several, <TAB> and the score in nats behind each"),
		direction:   p.Choice("direction", "directions to learn and test: from letters to katakana, back, or both; with -apply, both takes the one that knows more of the line's symbols", transliteration.Both, transliteration.Directions[forward], transliteration.Directions[backward]),
	}
	p.Checkpoint()
	e.model = p.Model("data test model conditional normalize iterations restarts seed checkpoint plot heatmap", "apply export")
	p.Excludes("apply", "test")
	p.Needs("n", "apply")
	p.Check(e.check)
	return p, e
}

// check returns what is wrong about the flags together.
func (e *experiment) check() error {
	if *e.normalize != "" {
		if _, err := script.ParseForm(*e.normalize); err != nil {
			return fmt.Errorf("-normalize: %w", err)
		}
	}
	cascade := *e.kind == "cascade"
	switch {
	case cascade && *e.conditional:
		return errors.New("-conditional: has no effect with -model cascade")
	case !cascade && *e.restarts > 0:
		return errors.New("-restarts: want -model cascade as well")
	case !cascade && e.heatmap.Given():
		return errors.New("-heatmap: want -model cascade as well")
	case !cascade && !e.model.Loads() && e.export.Given():
		return errors.New("-export: want -model cascade as well, or -load")
	}
	return nil
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	t, err := loadTable()
	if err != nil {
		return err
	}
	if e.model.Loads() {
		return e.load(ctx, r, t)
	}
	held := heldOut
	if *e.lines != "" {
		held = 0 // what is not to be tested learns from all
	}
	d, err := loadData(*e.data, *e.test, held)
	if err != nil {
		return err
	}
	r.Set("pairs", len(d.train))
	r.Set("test_pairs", len(d.test))
	fmt.Fprintf(r.Out, "%d pairs to learn from, %d to be tested with\n", len(d.train), len(d.test))
	form, err := e.form(ctx, r, d)
	if err != nil {
		return err
	}
	r.Set("normalize", form.String())
	if *e.kind == "cascade" {
		d.label(form, t.column)
		return e.runCascade(ctx, r, d, t)
	}
	d.label(form, newMorae(form, d.train))
	return e.runPairs(ctx, r, d)
}

// load does what there is to do with a model that was saved.
func (e *experiment) load(ctx context.Context, r *program.Run, t *table) error {
	var c *cascadeSystem
	var p *pairSystem
	err := e.model.Load(func(r io.Reader) (err error) {
		c, p, err = loadModel(r, t)
		return err
	})
	if err != nil {
		return err
	}
	if e.export.Given() {
		if c == nil {
			return errors.New("-export: the model is no cascade")
		}
		if err := e.export.Write(c.export); err != nil {
			return err
		}
	}
	if *e.lines == "" {
		return nil
	}
	var all []*transliteration.Transliterator
	if c != nil {
		all, err = c.trained()
	} else {
		all, err = p.transliterators()
	}
	if err != nil {
		return err
	}
	return transliteration.Stream(ctx, r, *e.direction, *e.best, all...)
}

// sample is the number of test pairs that are decoded before training, when that takes long
// and finds little.
const sample = 200

// testTrained decodes the test pairs with a trained model and prints all results.
func (e *experiment) testTrained(ctx context.Context, r *program.Run, s *results, all []*transliteration.Transliterator) error {
	err := e.output.Write(func(w io.Writer) error { return s.decode(ctx, r, w, "after", s.test, all, *e.workers) })
	if err != nil {
		return err
	}
	s.print(r.Out)
	s.report(r)
	return nil
}

// runPairs trains models of pairs, and tests them or applies them.
func (e *experiment) runPairs(ctx context.Context, r *program.Run, d *data) error {
	results := &results{test: d.test}
	if *e.lines == "" {
		d.warn(r)
		s, err := e.untrained(ctx, d)
		if err != nil {
			return err
		}
		all, err := s.transliterators()
		if err != nil {
			return err
		}
		if err := results.decode(ctx, r, io.Discard, "before", results.some(), all, *e.workers); err != nil {
			return err
		}
	}
	s, err := e.trainPairs(ctx, r, d, *e.kind == "single")
	if err != nil {
		return err
	}
	if err := e.model.Save(s.save); err != nil {
		return err
	}
	all, err := s.transliterators()
	if err != nil {
		return err
	}
	if *e.lines != "" {
		return transliteration.Stream(ctx, r, *e.direction, *e.best, all...)
	}
	for dir := range s.models {
		s.describe(r.Out, dir)
	}
	return e.testTrained(ctx, r, results, all)
}

// warn says how many test pairs have characters that no training pair has.
func (d *data) warn(r *program.Run) {
	if first, n := d.unknown(); n > 0 {
		r.Warn("%d test pairs have a character that the model does not know: %s", n, first)
	}
}
