package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/pairset"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, dev, test                      *string
	spaced, normalize, chunks, direction *string
	iterations, workers, order, classes  *int
	discount, sigma                      *float64
	swap, conditional, scores            *bool
	output, aligned                      *program.Output
}

const format = "word<TAB>t a r g e t[<TAB>count]; a column where most lines have a space is cut at spaces, another one into characters"

func newProgram() *program.Program {
	p := program.New("g2p", "g2p learns from pairs how words are pronounced, or transcribed, and does so with others.",
		"go run ./examples/g2p",
		"go run ./examples/g2p -data words.tsv -save g2p.model")
	f := &flags{
		data:        p.Data(format),
		dev:         p.Input("dev", "choose the settings that flags leave open on the pairs of `FILE`. Without it, every tenth pair of the data is held out for such a choice"),
		test:        p.Test("Lines: as for -data. Without -test and -apply, every eighth pair of the data is held out."),
		spaced:      p.Choice("spaced", "columns of -data that are split at spaces; auto: the columns in which most lines have a space, unless not splitting is better on the pairs of -dev", script.Spacings...),
		swap:        p.Flags.Bool("swap", false, "learn the way from the second column to the first"),
		iterations:  p.Iterations(11),
		workers:     p.Workers(),
		conditional: p.Flags.Bool("conditional", false, "train for the probability of the target given the word, by features of the word around each chunk: in some fifteen times the time"),
		sigma:       p.Positive("sigma", .2, "let the strengths of -conditional have the standard deviation `X` around 0"),
		order:       p.Count("order", 6, 1, "make n-grams of chunks, of the order `N`"),
		discount:    p.Positive("discount", 1.2, "multiply Kneser-Ney discounts of orders above 1 by `X`"),
		chunks:      p.Flags.String("chunks", "10,01,11", "`LIST` of the sizes of chunks, ab for a symbols of the word with b of the target; several lists, with + between them, for several models, each perhaps with a : and its direction"),
		direction:   p.Choice("direction", "read words in this direction, or in both, with a model for each", pairset.Forward, pairset.Backward, pairset.Both),
		normalize:   p.Choice("normalize", "Unicode form in which é or a syllable of Korean is one symbol (nfc), several (nfd), or unchanged (none); auto: the better of nfc and nfd on the pairs of -dev", "auto", "none", "nfc", "nfd"),
		classes:     p.Count("classes", 1, 0, "learn `N` models in the place of each, of hidden classes of words that are written by different habits; 0: of 1, 2 and 3 the best on the pairs of -dev"),
		scores:      p.Flags.Bool("scores", false, "write after each candidate its share of the probability of all candidates; a symbol outside the training words divides it by the number of target symbols plus 1"),
		output:      p.Output("word<TAB>candidate<TAB>..., for each test word, or for each line of -apply"),
		aligned:     p.Save("aligned", "write the most probable alignment of each training pair by the first model to `FILE`, in the form of Phonetisaurus: a|b}x|y for a chunk, _ for ε"),
	}
	p.Checkpoint()
	p.About(program.AboutData, "spaced swap normalize")
	p.About(program.AboutTraining, "conditional sigma")
	p.About(program.AboutAnswers, "scores")
	program.Define(p, program.Task[*corpus, *model]{
		Read: f.read, Fit: f.fit, Save: (*model).save, Load: load, Answer: f.answer, Score: f.score,
		New:     func(*corpus) (*model, error) { return new(model), nil },
		Line:    "A line is a word; its answer is the word and its candidates, with tabs between.",
		Several: "candidates",
		Curve:   figure.Curve("ln likelihood of a pair, nats"),
		Figures: []program.Figure[*corpus, *model]{{
			Flag: "matrix", Shows: "the posteriors of the alignment of the longest training pair of at most 20 symbols", Draw: drawMatrix,
		}},
		Exports: []program.Export[*model]{
			{Flag: "arpa", Usage: "write the n-grams of chunks to `FILE`, in ARPA form with the names of Phonetisaurus: a|b}x|y, _ for ε. -load reads it", Write: (*model).writeARPA},
			{Flag: "openfst", Usage: "write the model as a transducer with symbol tables to `FILE`, in the binary form of OpenFst", Write: machine(pairgram.Machine[semiring.Cost]).write},
			{Flag: "phonetisaurus", Usage: "write the model to `FILE` as the transducer that the decoder of Phonetisaurus reads", Write: machine(pairgram.ClusterMachine[semiring.Cost]).write},
		},
	})
	p.Excludes("load", "aligned")
	p.Needs("scores", "apply o")
	p.Excludes("conditional", "classes arpa openfst phonetisaurus")
	p.Needs("sigma", "conditional")
	p.Check(func() error {
		if *f.classes > maxClasses {
			return fmt.Errorf("-classes %d: want 0 to %d", *f.classes, maxClasses)
		}
		kinds, err := pairset.ParseKinds(*f.chunks, *f.direction)
		if err != nil {
			return fmt.Errorf("-chunks %w", err)
		}
		single := len(kinds) == 1 && !kinds[0].Reversed && *f.classes == 1
		for _, export := range []string{"arpa", "openfst", "phonetisaurus"} {
			if !single && p.Flags.Lookup(export).Value.String() != "" {
				return fmt.Errorf("-%s: %w", export, pairset.ErrSeveral)
			}
		}
		return nil
	})
	return p
}

// fit trains the models. Settings that the flags leave open are chosen on the pairs of -dev.
func (f *flags) fit(ctx context.Context, r *program.Run, m *model, c *corpus) error {
	fmt.Fprintf(r.Out, "%d pairs to learn from, %d to choose by, %d to be tested with\n", len(c.train), len(c.dev), len(c.test))
	t, err := f.choose(ctx, r, c)
	if err != nil {
		return err
	}
	t.describe()
	if f.aligned.Given() {
		err := f.aligned.Write(func(w io.Writer) error {
			return t.Aligners[0].WriteAligned(w, t.pairs, t.symbols.word, t.symbols.target)
		})
		if err != nil {
			return err
		}
	}
	trained := t.model
	if *f.conditional {
		trained = t.conditionals
	}
	x, err := trained(ctx)
	if err != nil {
		return err
	}
	*m = *x
	m.set.Describe(r.Out, "words")
	return nil
}

// answer transcribes a line of -apply. The error names the symbols that the models do not have,
// or says why the word has no candidates.
func (f *flags) answer(ctx context.Context, m *model, line string, n int) ([]string, error) {
	if strings.TrimSpace(line) == "" {
		return nil, errors.New("empty line")
	}
	found, unknown, err := m.transcribe(ctx, m.Word.Split(line), n)
	if err == nil {
		err = unknown.Err()
	}
	if err == nil && len(found) == 0 {
		err = errors.New("no target")
	}
	return f.texts(m, found, n), err
}

// texts returns n candidates in the output format: each is followed by its probability if
// -scores is given.
func (f *flags) texts(m *model, found []candidate, n int) []string {
	var all []string
	for _, c := range found[:min(len(found), n)] {
		all = append(all, m.Target.Join(c.target))
		if *f.scores {
			all = append(all, strconv.FormatFloat(c.share, 'g', 4, 64))
		}
	}
	return all
}

// shown is the number of words to print.
const shown = 8

// score tests the models and prints their accuracy.
func (f *flags) score(ctx context.Context, r *program.Run, m *model, c *corpus) error {
	x, err := m.test(ctx, r, "decoding", c.test)
	if err != nil {
		return err
	}
	x.report(r)
	for i, word := range x.words[:min(shown, len(x.words))] {
		best := "nothing"
		if list := x.lists[i]; len(list) > 0 {
			best = m.Target.Join(list[0].target)
		}
		var want []string
		for _, target := range x.targets[i] {
			want = append(want, m.Target.Join(target))
		}
		fmt.Fprintf(r.Out, "%s: %s (%s)\n", m.Word.Join(word), best, strings.Join(want, " or "))
	}
	return f.output.Write(func(w io.Writer) error {
		for i, word := range x.words {
			record := append([]string{m.Word.Join(word)}, f.texts(m, x.lists[i], r.Answers())...)
			if _, err := fmt.Fprintln(w, strings.Join(record, "\t")); err != nil {
				return err
			}
		}
		return nil
	})
}
