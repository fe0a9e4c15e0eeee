package main

import (
	"context"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, test                 *string
	kind, normalize, direction *string
	conditional                *bool
	iterations, workers        *int
	output                     *program.Output
}

func newProgram() *program.Program {
	p := program.New("transliterate", "transliterate learns from pairs of words how to write names in katakana, and reads them back.",
		"go run ./examples/transliterate",
		"go run ./examples/transliterate -data train.tsv -save names.model")
	f := &flags{
		data:        p.Data(transliteration.Format),
		test:        p.Test("Lines: as for -data. Without -test and -apply, every eighth pair is held out."),
		kind:        p.Choice("model", "a product of four models for each direction, or the best one of them, which takes a tenth of the time to answer", product, single),
		conditional: p.Flags.Bool("conditional", false, "train the models for the probability of the answer given the word, in some fifteen times the time"),
		normalize:   p.Choice("normalize", "take the letters of words in a Unicode form; auto: the one with which more of held-out training pairs are right", auto, "none", "nfc", "nfd"),
		direction:   transliteration.Direction(p, "directions to learn, to test and to answer: to katakana, back, or both; of a line, the one that knows more of its symbols"),
		iterations:  p.Iterations(11),
		workers:     p.Workers(),
		output:      p.Output("direction<TAB>word<TAB>reference<TAB>candidate<TAB>…, best first: one for each test pair, in order and as soon as it is known, first forward and then backward. With -apply, its records"),
	}
	p.Checkpoint()
	program.Define(p, program.Task[transliteration.Data, *model]{
		Read: f.read, Fit: f.fit, Save: (*model).save, Load: f.load, Score: f.score,
		New: func(transliteration.Data) (*model, error) { return new(model), nil },
		Answer: func(ctx context.Context, m *model, line string, n int) ([]string, error) {
			return transliteration.Answer(ctx, *f.direction, line, n, m.ways...)
		},
		Line:    "A line is a word; its answer is the word and its candidates, with tabs between.",
		Several: "candidates; if there are several, each is followed by its score in nats",
		Curve:   figure.Curve("ln likelihood of a pair, nats"),
		Figures: []program.Figure[transliteration.Data, *model]{{
			Flag: "matrix", Shows: "the posteriors of the alignment of the longest training pair of at most 20 symbols",
			Draw: func(m *model, _ transliteration.Data) (program.Drawing, error) { return m.drawn() },
		}},
	})
	return p
}

// Values of -model and -normalize.
const (
	product = "product"
	single  = "single"
	auto    = "auto"
)

func (f *flags) read(_ context.Context, r *program.Run) (transliteration.Data, error) {
	d, err := transliteration.ReadData(r, *f.data, *f.test)
	if err == nil && !r.Loads() {
		r.Set("pairs", len(d.Train))
		r.Set("test_pairs", len(d.Test))
		fmt.Fprintf(r.Out, "%d pairs to learn from, %d to be tested with\n", len(d.Train), len(d.Test))
	}
	return d, err
}

// load reads models, which must include the requested directions.
func (f *flags) load(in io.Reader) (*model, error) {
	m, err := load(in)
	if err != nil {
		return nil, err
	}
	_, err = transliteration.Asked(*f.direction, m.ways...)
	return m, err
}

// fit trains the models of the requested directions.
func (f *flags) fit(ctx context.Context, r *program.Run, m *model, d transliteration.Data) error {
	form, err := f.form(ctx, r, d.Train)
	if err != nil {
		return err
	}
	r.Set("normalize", form.String())
	*m = *newModel(form, d.Train)
	if err := f.train(ctx, r, m, d.Train); err != nil {
		return err
	}
	for dir, set := range m.sets {
		if set != nil {
			set.Describe(r.Out, transliteration.Directions[dir])
		}
	}
	return m.combine()
}

// sample is the number of test pairs to decode without training if decoding is slow and finds
// little.
const sample = 200

// score tests the models. If they were trained in this run, it also tests untrained models for
// comparison.
func (f *flags) score(ctx context.Context, r *program.Run, m *model, d transliteration.Data) error {
	t := &transliteration.Test{Pairs: d.Test, Direction: *f.direction, Workers: *f.workers}
	t.WarnUnknown(r, m.columns[forward], m.columns[backward])
	if !r.Loads() {
		u, err := f.untrained(ctx, m, d.Train)
		if err != nil {
			return err
		}
		if err := t.Ask(ctx, r, io.Discard, "before", sample, u.ways...); err != nil {
			return err
		}
	}
	err := f.output.Write(func(w io.Writer) error { return t.Ask(ctx, r, w, "after", len(d.Test), m.ways...) })
	if err != nil {
		return err
	}
	t.Report(r)
	return nil
}

// Without -normalize the form of letters is chosen by models of all except each devPart-th
// pair, of at most mostChosen pairs in total; the excepted pairs test them.
const (
	devPart    = 10
	mostChosen = 20000
)

// form returns the form of letters: the value of -normalize, or else the form with which a
// single model of each direction has more of the held-out training pairs right. Ties select
// composed letters.
func (f *flags) form(ctx context.Context, r *program.Run, pairs []transliteration.Pair) (script.Form, error) {
	if *f.normalize != auto {
		return script.ParseForm(*f.normalize)
	}
	forms := script.Forms(script.Column{}, func(yield func(string) bool) {
		for _, p := range pairs {
			if !yield(p.Latin) {
				return
			}
		}
	})
	if len(forms) == 1 {
		return forms[0], nil
	}
	train, test := program.HoldOut(pairs[:min(len(pairs), mostChosen)], devPart)
	progress := r.Progress("choice of the form of letters", len(forms))
	defer progress.Done()
	best, most := forms[0], -1
	for _, form := range forms {
		right, err := f.tryForm(ctx, form, train, test)
		if err != nil {
			return best, err
		}
		progress.Step(fmt.Sprintf("%s: %d answers right", form, right))
		if right > most {
			best, most = form, right
		}
	}
	return best, nil
}

// tryForm returns the number of test pairs that are right, in all directions together.
func (f *flags) tryForm(ctx context.Context, form script.Form, train, test []transliteration.Pair) (right int, err error) {
	m := newModel(form, train)
	for _, dir := range f.asked() {
		lessons, t := m.lessons(dir, train), f.trainer(order, kinds(dir, true)...)
		if err := t.Align(ctx, lessons, func(int) *em.Options { return nil }); err != nil {
			return 0, err
		}
		if m.sets[dir], err = t.Joint(ctx, nil, lessons); err != nil {
			return 0, err
		}
	}
	if err := m.combine(); err != nil {
		return 0, err
	}
	for _, t := range m.ways {
		judged, err := t.Judge(ctx, test, 1, *f.workers, func(int, []string, error) error { return nil })
		if err != nil {
			return 0, err
		}
		for i := range test {
			if judged.Right(i) {
				right++
			}
		}
	}
	return right, nil
}
