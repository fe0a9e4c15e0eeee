package main

import (
	"context"
	"errors"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/tsv"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, dev, test, lexicon, sounds, lines *string
	model                                   *program.Model
	output, plot, curve                     *program.Output
	iterations, workers, best, slips        *int
	seed                                    *uint64
	alone                                   *bool
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("spelling", "spelling learns from misspelt words what becomes of letters, and corrects words through a\nlexicon: word frequency × trained edits × pair n-grams, with learnt exponents.")
	e := &experiment{
		data:       p.Data(format),
		dev:        p.Input("dev", "learn the mixture and the exponents from the pairs of `FILE`, and from one random slip in each of their words; without it, those of each tenth correct word are held out of the data for that"),
		test:       p.Test("Lines: those of -data. Without -test, -slips and -apply, each fifth correct word and its misspellings are held out."),
		slips:      p.Count("slips", 0, 0, "test with `N` short words of the lexicon, each with one random slip of a finger, in place of pairs"),
		alone:      p.Flags.Bool("alone", false, "test the whole model only, and not its parts and the nearest words beside it"),
		lexicon:    p.Input("lexicon", "`FILE` of the correct words instead of the embedded ones, or those of the loaded model; lines: word[<TAB>count]"),
		sounds:     p.Input("sounds", "learn what people write for the sounds of words, too, from the pronunciations in `FILE`; lines: word<TAB>sound sound …, one for each way to pronounce a word"),
		lines:      p.Apply("A line is a word; its answer is the word and its corrections, each with its probability among the candidates, with tabs between: the word itself if it is in the lexicon."),
		best:       p.Best(asked, "to a line of -apply, or in the output of a test"),
		iterations: p.Iterations(6),
		seed:       p.Seed(),
		workers:    p.Workers(),
		output:     p.Output("misspelt<TAB>correct<TAB>suggestion<TAB>…, best first, of the test words"),
		plot:       p.Plot("what becomes of each letter, as a heat map"),
		curve:      p.Figure("curve", "the log likelihood of the training words by iteration"),
	}
	p.Checkpoint()
	e.model = p.Model("data dev sounds iterations checkpoint plot curve", "apply test slips")
	p.Excludes("apply", "test slips alone seed")
	p.Excludes("slips", "test")
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	s, test, err := e.speller(ctx, r)
	if err != nil {
		return err
	}
	if *e.lines != "" {
		return e.apply(ctx, r, s)
	}
	if *e.slips > 0 {
		if test, err = slips(s.models.lexicon, *e.slips, *e.seed); err != nil {
			return err
		}
	}
	return e.evaluate(ctx, r, s, test)
}

// speller returns the speller that was loaded, or one that is trained, and the pairs to test
// it with.
func (e *experiment) speller(ctx context.Context, r *program.Run) (*speller, []pair, error) {
	if e.model.Loads() {
		return e.loadSpeller()
	}
	held := heldOut
	if *e.lines != "" || *e.slips > 0 {
		held = 0 // what is not tested with pairs learns from all
	}
	d, err := loadData(*e.data, *e.dev, *e.test, held)
	if err != nil {
		return nil, nil, err
	}
	if d.lexicon, err = loadLexicon(*e.lexicon); err != nil {
		return nil, nil, err
	}
	if d.dictionary, err = loadDictionary(*e.sounds); err != nil {
		return nil, nil, err
	}
	s, err := e.train(ctx, r, d)
	if err != nil {
		return nil, nil, err
	}
	if e.plot.Given() {
		if err := s.drawEdits(e.plot, d.train); err != nil {
			return nil, nil, err
		}
	}
	return s, d.test, e.model.Save(s.models.save)
}

// loadSpeller returns the speller that was saved, and the pairs of -test.
func (e *experiment) loadSpeller() (*speller, []pair, error) {
	m, err := program.Loaded(e.model, loadModels)
	if err == nil && *e.lexicon != "" {
		m.lexicon, err = loadLexicon(*e.lexicon)
	}
	if err != nil {
		return nil, nil, err
	}
	s, err := newSpeller(m)
	if err != nil || *e.test == "" {
		return s, nil, err
	}
	test, err := readPairs(tsv.PairsOf(*e.test))
	if err == nil && len(test) == 0 {
		err = errors.New("no test pairs")
	}
	return s, test, err
}

// apply corrects the lines of -apply.
func (e *experiment) apply(ctx context.Context, r *program.Run, s *speller) error {
	return r.Stream(ctx, program.Stream{
		Answer: func(ctx context.Context, line string) ([]string, error) { return s.correct(ctx, line, *e.best) },
	})
}
