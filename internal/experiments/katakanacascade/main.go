package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, test, normalize, direction *string
	iterations, restarts, workers    *int
	seed                             *uint64
	output                           *program.Output
}

func newProgram() *program.Program {
	p := program.New("katakanacascade", "katakanacascade writes names in katakana by letter n-gram ∘ trained channel ∘ table of romaji.",
		"go run ./internal/experiments/katakanacascade",
		"go run ./internal/experiments/katakanacascade -data train.tsv -test test.tsv -iterations 20")
	f := &flags{
		data:       p.Data(transliteration.Format),
		test:       p.Test("Lines: as for -data. Without -test and -apply, every eighth pair is held out."),
		normalize:  p.Choice("normalize", "take the letters of words in a Unicode form", "nfc", "nfd", "none"),
		direction:  transliteration.Direction(p, "directions to test and to answer: to katakana, back, or both; of a line, the one that knows more of its symbols"),
		iterations: p.Iterations(11),
		restarts:   p.Restarts(0),
		seed:       p.Seed(),
		workers:    p.Workers(),
		output:     p.Output("direction<TAB>word<TAB>reference<TAB>candidate<TAB>…, best first: one for each test pair. With -apply, its records"),
	}
	p.Checkpoint()
	program.Define(p, program.Task[*data, *cascadeSystem]{
		Read: f.read, New: newCascade, Fit: f.fit, Save: (*cascadeSystem).save, Load: load, Score: f.score,
		Answer: func(ctx context.Context, c *cascadeSystem, line string, n int) ([]string, error) {
			return transliteration.Answer(ctx, *f.direction, line, n, c.ways...)
		},
		Line:    "A line is a word; its answer is the word and its candidates, with tabs between.",
		Several: "candidates; if there are several, each is followed by its score in nats",
		Curve:   figure.Curve("ln likelihood of a pair, nats"),
		Figures: []program.Figure[*data, *cascadeSystem]{{
			Flag: "matrix", Shows: "a heat map of what the letters become", Draw: drawChannel,
		}},
		Exports: []program.Export[*cascadeSystem]{{
			Flag: "export", Usage: "write the machines to `FILE`, an archive of OpenFst (.far): channel, letters and table, with their symbols",
			Write: (*cascadeSystem).export,
		}},
	})
	return p
}

// pair is a training pair with its labels. Its weight is log₂(1 + count): a hundred occurrences
// of a frequent name are not a hundred observations of its spelling.
type pair struct {
	transliteration.Pair
	x, y   []int32
	weight float64
}

// data are the training words and the test words.
type data struct {
	letters *transliteration.Column
	table   *table
	train   []pair
	test    []transliteration.Pair
}

// newData gives the training pairs labels, letters in the given form and katakana by the table.
func newData(all transliteration.Data, form script.Form, t *table) *data {
	d := &data{letters: transliteration.NewColumn(form, false), table: t, test: all.Test}
	for _, p := range all.Train {
		d.train = append(d.train, pair{p, d.letters.Learn(p.Latin), t.column.Add(p.Kana), math.Log2(1 + p.Count)})
	}
	return d
}

func (f *flags) read(_ context.Context, r *program.Run) (*data, error) {
	all, err := transliteration.ReadData(r, *f.data, *f.test)
	if err != nil {
		return nil, err
	}
	form, err := script.ParseForm(*f.normalize)
	if err != nil {
		return nil, err
	}
	t, err := loadTable()
	if err != nil {
		return nil, err
	}
	if !r.Loads() {
		r.Set("pairs", len(all.Train))
		r.Set("test_pairs", len(all.Test))
		fmt.Fprintf(r.Out, "%d pairs to learn from, %d to be tested with\n", len(all.Train), len(all.Test))
	}
	return newData(all, form, t), nil
}

// fit trains the channel. If it is interrupted, it reports the result so far.
func (f *flags) fit(ctx context.Context, r *program.Run, c *cascadeSystem, d *data) error {
	fmt.Fprintf(r.Out, "%d parameters; letter %d-gram\n\n", c.channel.Params.Len(), c.rank.Order())
	progress := r.Progress("training", *f.iterations*(1+*f.restarts))
	defer progress.Done()
	fit, err := c.channel.Fit(ctx, cascade.Data{Examples: examples(d.train), Underivable: em.Skip}, &em.Options{
		Iterations: *f.iterations, Restarts: *f.restarts, Rand: rand.NewPCG(*f.seed, 0),
		Workers: *f.workers, Checkpoint: r.Checkpoint(),
		Observer: progress.Observe,
	})
	if fit != nil {
		r.Fitted(fit)
		program.WriteObjective(r.Out, "log likelihood", fit.Objective)
		printOutcomes(r.Out, c, d.train)
		r.Curve("", 1, floats.ScaleTo(make([]float64, len(fit.Objective)), 1/float64(len(d.train)), fit.Objective))
	}
	if err != nil {
		return err
	}
	c.ways, err = c.transliterators(c.channel.Theta)
	return err
}

// sample is the number of test pairs to decode without training if decoding is slow and finds
// little.
const sample = 200

// score tests the cascade. If it was trained in this run, it also tests it before training, and
// a channel that copies.
func (f *flags) score(ctx context.Context, r *program.Run, c *cascadeSystem, d *data) error {
	t := &transliteration.Test{Pairs: d.test, Direction: *f.direction, Workers: *f.workers}
	t.WarnUnknown(r, c.letters, c.table.column)
	if !r.Loads() {
		for _, stage := range []struct {
			name  string
			theta []float64
		}{{"before", c.channel.Params.Start()}, {"copy", c.copying()}} {
			ways, err := c.transliterators(stage.theta)
			if err != nil {
				return err
			}
			if err := t.Ask(ctx, r, io.Discard, stage.name, sample, ways...); err != nil {
				return err
			}
		}
	}
	err := f.output.Write(func(w io.Writer) error { return t.Ask(ctx, r, w, "after", len(d.test), c.ways...) })
	if err != nil {
		return err
	}
	t.Report(r)
	return nil
}

// named is the number of letters to show.
const named = 26

// printOutcomes writes the most probable outcomes of the most frequent letters of the words.
func printOutcomes(w io.Writer, c *cascadeSystem, words []pair) {
	rows := [][]string{{"letter", "becomes"}}
	for _, l := range frequent(c.letters.Symbols, words, named) {
		name, _ := c.letters.Symbols.Name(l)
		row := []string{name}
		for _, o := range c.outcomes(l, c.channel.Theta)[:4] {
			if o.prob >= .01 {
				row = append(row, fmt.Sprintf("%s %.2f", cmp.Or(o.romaji, "ε"), o.prob))
			}
		}
		rows = append(rows, row)
	}
	program.WriteTable(w, rows)
}

// frequent returns the labels of the n most frequent letters of the words, in the
// order of their names.
func frequent(letters *fst.Symbols, words []pair, n int) []int32 {
	count := make([]float64, letters.Len())
	for _, p := range words {
		for _, l := range p.x {
			count[l] += p.weight
		}
	}
	all := labels(letters)
	slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(count[b], count[a]) })
	all = all[:min(len(all), n)]
	slices.SortFunc(all, func(a, b int32) int {
		x, _ := letters.Name(a)
		y, _ := letters.Name(b)
		return cmp.Compare(x, y)
	})
	return all
}

// drawChannel draws the outcomes of letters: the probability of each letter of the romaji as
// the first letter of an outcome, dark being probable.
func drawChannel(c *cascadeSystem, d *data) (program.Drawing, error) {
	g := figure.Grid{Title: "The channel: first romaji, given the letter", Row: "romaji", Column: "letter"}
	for _, r := range c.names() {
		g.Rows = append(g.Rows, string(r))
	}
	n := len(g.Rows)
	g.Rows = append(g.Rows, "ε")
	var first [][]float64 // of each letter: the probability of each row
	for _, l := range frequent(c.letters.Symbols, d.train, named) {
		name, _ := c.letters.Symbols.Name(l)
		g.Columns = append(g.Columns, name)
		theta, p := c.group(l).In(c.channel.Theta), make([]float64, n+1)
		p[n] = theta[0]
		for j := range n {
			p[j] = theta[1+j] + floats.Sum(theta[1+n*(1+j):][:n])
		}
		first = append(first, p)
	}
	g.Value = func(row, column int) float64 { return first[column][row] }
	return g.Figure(), nil
}
