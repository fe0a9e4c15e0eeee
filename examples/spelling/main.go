package main

import (
	"context"
	"fmt"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/speller"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, dev, test, lexicon, sounds *string
	iterations, workers              *int
	output                           *program.Output
}

func newProgram() *program.Program {
	p := program.New("spelling", "spelling learns from misspelt words how letters change, and corrects words.",
		"go run ./examples/spelling",
		"go run ./examples/spelling -data pairs.tsv -lexicon words.tsv -save speller")
	f := &flags{
		data:       p.Data(format),
		dev:        p.Input("dev", "learn the mixture and the exponents from the pairs of `FILE`, and from a slip in each of their words; without it each tenth correct word of the data is held out for that"),
		test:       p.Test("Lines: as for -data. Without -test and -apply, every fifth correct word is held out."),
		lexicon:    p.Input("lexicon", "suggest the words of `FILE` instead of the embedded words or the words of the loaded model; lines: word[<TAB>count]"),
		sounds:     p.Input("sounds", "also learn spellings of sounds, from the pronunciations in `FILE`; lines: word<TAB>sound sound …"),
		iterations: p.Iterations(6),
		workers:    p.Workers(),
		output:     p.Output("misspelt<TAB>correct<TAB>suggestion<TAB>… of the test words, at most -n suggestions"),
	}
	p.Checkpoint()
	p.About(program.AboutAnswers, "lexicon")
	program.Define(p, program.Task[*data, *speller.Speller]{
		Read: f.read, Fit: f.fit, Save: (*speller.Speller).Save, Load: speller.Load, Prepare: f.prepare, Answer: correct, Score: f.score,
		New:     func(d *data) (*speller.Speller, error) { return &speller.Speller{Lexicon: d.lexicon}, nil },
		Line:    "A line is a word; its answer is the word and its corrections, each with its probability, tabs between: the word itself if it is in the lexicon.",
		Several: "corrections",
		Curve:   figure.Curve("penalized log likelihood, nats"),
		Figures: []program.Figure[*data, *speller.Speller]{{
			Flag: "matrix", Shows: "a heat map of the probabilities of letter changes", Draw: drawEdits,
		}},
	})
	return p
}

// prepare makes a loaded speller ready, with the lexicon of -lexicon if there is one.
func (f *flags) prepare(_ context.Context, r *program.Run, s *speller.Speller) (err error) {
	if *f.lexicon != "" {
		if s.Lexicon, err = readLexicon(r, *f.lexicon); err != nil {
			return err
		}
	}
	return s.Prepare()
}

// correct returns corrections of a word with probabilities: the word itself if it is in the
// lexicon, otherwise the n best corrections.
func correct(ctx context.Context, s *speller.Speller, line string, n int) ([]string, error) {
	found := []speller.Suggestion{{Text: speller.Fold(line), Prob: 1}}
	if !s.Known(found[0].Text) {
		var err error
		if found, err = s.Suggest(ctx, line, n); err != nil {
			return nil, err
		}
	}
	var fields []string
	for _, x := range found {
		fields = append(fields, x.Text, fmt.Sprintf("%.4f", x.Prob))
	}
	return fields, nil
}
