package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
)

func main() { newProgram().Main() }

// flags are the values of the program's own flags.
type flags struct {
	data, test, sounds, direction     *string
	pairs, names, iterations, workers *int
	output                            *program.Output
}

func newProgram() *program.Program {
	p := program.New("unpaired", "unpaired learns to transliterate from few pairs of names and many names without partners.",
		"go run ./examples/unpaired",
		"go run ./examples/unpaired -data names.tsv -pairs 1000 -save names.model")
	f := &flags{
		data:       p.Data(transliteration.Format),
		test:       p.Test("Lines: as for -data. Without -test and -apply, every eighth pair is held out."),
		sounds:     p.Input("sounds", "read the pronunciations of names from `FILE`, latin<TAB>S OU N DS; with -data, which has no pronunciations otherwise"),
		pairs:      p.Count("pairs", 200, 1, "learn from `N` pairs as such, and from the rest of the data one side of each"),
		names:      p.Count("names", 25000, 1, "learn from at most `N` names of each side"),
		direction:  transliteration.Direction(p, "way to test and to answer: to katakana, back, or both; of a line, the way that knows more of its symbols"),
		iterations: p.Iterations(4),
		workers:    p.Workers(),
		output:     p.Output("direction<TAB>word<TAB>reference<TAB>candidate<TAB>…, best first: one for each test pair. With -apply, its records"),
	}
	p.About(program.AboutData, "pairs names")
	p.Needs("sounds", "data")
	program.Define(p, program.Task[*data, *model]{
		Read: f.read, Fit: f.fit, Save: (*model).save, Load: load, Score: f.score,
		New: func(*data) (*model, error) { return new(model), nil },
		Answer: func(ctx context.Context, m *model, line string, n int) ([]string, error) {
			return transliteration.Answer(ctx, *f.direction, line, n, m.all.ways...)
		},
		Line:    "A line is a name; its answer is the name and its candidates, with tabs between.",
		Several: "candidates; if there are several, each is followed by its score in nats",
		Curve:   figure.Curve("log likelihood, weighted, nats"),
	})
	return p
}

// model has the systems trained on all data, and on the pairs alone for comparison; alone is
// nil if the model was loaded.
type model struct{ alone, all *system }

// read reads the pairs and takes most of them apart.
func (f *flags) read(_ context.Context, r *program.Run) (*data, error) {
	all, err := transliteration.ReadData(r, *f.data, *f.test)
	if err != nil || r.Loads() {
		return &data{test: all.Test}, err
	}
	if n := len(all.Train); n < *f.pairs {
		return nil, fmt.Errorf("%d pairs to learn from, want at least %d", n, *f.pairs)
	}
	sounds, err := readSounds(r, *f.sounds, *f.data == "")
	if err != nil {
		return nil, err
	}
	return newData(all, sounds, *f.pairs, *f.names), nil
}

// Settings that were chosen on pairs outside the test: the orders of the n-grams that rank
// candidates, of pairs alone and of names, and their exponents.
const (
	fewOrder, fewExponent   = 4, .3
	manyOrder, manyExponent = 6, .5
)

// fit trains the tree, starting from the parameters of the pairs alone.
func (f *flags) fit(ctx context.Context, r *program.Run, m *model, d *data) error {
	var sounds map[int32][]outcome
	heard, _ := pronounced(d.pairs, d.latin)
	if len(heard) > 0 {
		var err error
		if sounds, err = findSounds(ctx, heard); err != nil {
			return err
		}
	}
	bigrams, err := units.Fit(ctx, lessons(forward, d.pairs), nil)
	if err != nil {
		return err
	}
	t, err := newTree(bigrams, sounds)
	if err != nil {
		return err
	}
	r.Set("pairs", len(d.pairs))
	r.Set("names", map[string]int{"latin": len(d.latin), "katakana": len(d.kana), "pronounced": len(heard)})
	r.Set("test_pairs", len(d.test))
	fmt.Fprintf(r.Out, "%d pairs, %d names in Latin letters, %d in katakana, %d pronounced; %d units, %d parameters\n\n",
		len(d.pairs), len(d.latin), len(d.kana), len(heard), bigrams.Chunks().Len(), t.params.Len())

	if m.alone, err = t.newSystem(ctx, t.params.Start(), d, ranking{fewOrder, fewExponent, d.pairs, d.pairs}); err != nil {
		return err
	}
	l, err := t.likelihood(d)
	if err != nil {
		return err
	}
	progress := r.Progress("training", *f.iterations)
	defer progress.Done()
	result, err := em.Fit(ctx, l, &em.Options{Iterations: *f.iterations, Tolerance: -1, Workers: *f.workers, Observer: progress.Observe})
	if result != nil {
		r.Trained(program.TrainingOf(result)) // names that no sequence of units spells are skipped
	}
	if err != nil {
		return err
	}
	m.all, err = t.newSystem(ctx, result.Theta, d, ranking{manyOrder, manyExponent, slices.Concat(d.pairs, d.latin), slices.Concat(d.pairs, d.kana)})
	return err
}

// score tests the systems, and prints the gain from the names over the pairs alone.
func (f *flags) score(ctx context.Context, r *program.Run, m *model, d *data) error {
	t := &transliteration.Test{Pairs: d.test, Direction: *f.direction, Workers: *f.workers}
	if m.alone != nil {
		if err := t.Ask(ctx, r, io.Discard, "before", len(d.test), m.alone.ways...); err != nil {
			return err
		}
	}
	err := f.output.Write(func(w io.Writer) error { return t.Ask(ctx, r, w, "after", len(d.test), m.all.ways...) })
	if err != nil {
		return err
	}
	t.Report(r)
	for _, name := range directions {
		before, after := t.Judged(name, "before"), t.Judged(name, "after")
		if before == nil {
			continue
		}
		g := after.Over(before)
		fmt.Fprintf(r.Out, "%s, names without partners gain %.1f ± %.1f points of first candidates over the pairs alone\n", name, 100*g.Top1, 100*g.SE)
		r.Set(name+"_gain", g)
	}
	return nil
}
