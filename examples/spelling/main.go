package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/internal/wholefile"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test, lexicon, model, correct, checkpoint *string
	output, plot, curve                             *program.Output
	iterations, workers                             *int
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("spelling", "spelling learns from misspelt words what becomes of letters, and corrects words through a\nlexicon: word frequency × trained contextual edits.")
	return p, &experiment{
		data:       p.Data(format),
		test:       p.Test("Lines: those of -data. Without -test, each fifth correct word and its misspellings are held out."),
		lexicon:    p.Input("lexicon", "`FILE` of the correct words instead of the embedded ones; lines: word[<TAB>count]"),
		model:      p.Flags.String("model", "", "`FILE` to read the trained model from, or to write it to if there is none"),
		correct:    p.Input("correct", "`FILE` of words to correct, - for standard input, one a line, instead of a test; one line of suggestions is written for each"),
		iterations: p.Iterations(6),
		workers:    p.Workers(),
		checkpoint: p.Checkpoint(),
		output:     p.Output("misspelt<TAB>correct<TAB>suggestion<TAB>…, best first, of the test words"),
		plot:       p.Plot("what becomes of each letter, as a heat map"),
		curve:      p.Figure("curve", "the log likelihood of the training words by iteration"),
	}
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	d, err := e.load()
	if err != nil {
		return err
	}
	m, err := e.models(ctx, r, d)
	if err != nil {
		return err
	}
	s, err := newSpeller(m, d.lexicon)
	if err != nil {
		return err
	}
	if e.plot.Given() {
		if err := s.drawEdits(e.plot, d.train); err != nil {
			return err
		}
	}
	if *e.correct != "" {
		return e.stream(ctx, r, s)
	}
	return e.evaluate(ctx, r, s, d.test)
}

// load reads the data that the flags ask for.
func (e *experiment) load() (*data, error) {
	d, err := loadData(*e.data, *e.test)
	if err != nil {
		return nil, err
	}
	if d.lexicon, err = loadLexicon(*e.lexicon); err != nil {
		return nil, err
	}
	return d, nil
}

// models returns the models of the model file, or trains them and writes that file.
func (e *experiment) models(ctx context.Context, r *program.Run, d *data) (*models, error) {
	if *e.model != "" {
		switch f, err := os.Open(*e.model); {
		case err == nil:
			defer f.Close()
			m, err := readModels(f)
			if err != nil {
				return nil, fmt.Errorf("model file %s: %w", *e.model, err)
			}
			return m, nil
		case !errors.Is(err, os.ErrNotExist):
			return nil, err
		}
	}
	if *e.model == "" {
		return e.train(ctx, r, d)
	}
	f, err := wholefile.Create(*e.model)
	if err != nil {
		return nil, err
	}
	m, err := e.train(ctx, r, d)
	if err == nil {
		err = m.write(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return m, f.Commit()
}

// stream writes one line for each line of -correct: the corrections of the word there,
// best first, the word itself if it is in the lexicon, and nothing, but a line on standard
// error, for what cannot be corrected.
func (e *experiment) stream(ctx context.Context, r *program.Run, s *speller) error {
	return r.Stream(ctx, program.Stream{
		Input: *e.correct, Output: e.output, Workers: *e.workers, Bare: true,
		Answer: s.correct,
	})
}
