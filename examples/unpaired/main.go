package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test, sounds  *string
	pairs, names, tests *int
	iterations, workers *int
	output, curve       *program.Output
	lines, direction    *string
	best                *int
	model               *program.Model
}

const format = "latin<TAB>カ タ カ ナ[<TAB>count]"

func newExperiment() (*program.Program, *experiment) {
	p := program.New("unpaired", "unpaired learns to transliterate from few pairs of names, many names without their\npartners, and the sounds of some.")
	e := &experiment{
		data:       p.Data(format),
		test:       p.Test("Lines: those of -data. Without -test, every eighth pair is held out."),
		sounds:     p.Input("sounds", "read from `FILE` how names are pronounced, latin<TAB>S OU N DS; with -data, for which there are none without it"),
		pairs:      p.Count("pairs", 200, 1, "learn from `N` pairs as such, and from the rest of the data one side of each"),
		names:      p.Count("names", 25000, 1, "learn from at most `N` names of each side"),
		tests:      p.Count("tests", 1<<30, 1, "test with at most `N` pairs"),
		iterations: p.Iterations(4),
		workers:    p.Workers(),
		output:     p.Output("direction<TAB>word<TAB>reference<TAB>candidate<TAB>…, best first: one for each test pair, of the last system. With -apply, its records"),
		curve:      p.Figure("curve", "the log likelihood of the data by iteration, without sounds and with them"),
		lines:      p.Apply("A line is a name; its answer is the name and its candidates, with tabs between."),
		best:       p.Best(1, "of -apply; if they are several, <TAB> and the score in nats behind each"),
		direction:  p.Choice("direction", "way of -apply: to katakana, back, or, line by line, the way from the script that the line is in", transliteration.Both, directions[forward], directions[backward]),
	}
	e.model = p.Model("data test sounds pairs names tests iterations curve", "apply")
	p.Excludes("apply", "test tests")
	p.Needs("n", "apply")
	p.Needs("direction", "apply")
	p.Needs("sounds", "data")
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	if e.model.Loads() {
		s, err := program.Loaded(e.model, loadSystem)
		if err != nil {
			return err
		}
		return transliteration.Stream(ctx, r, *e.direction, *e.best, s.transliterators()...)
	}
	d, err := loadData(*e.data, *e.sounds, *e.test, sizes{*e.pairs, *e.names})
	if err != nil {
		return err
	}
	d.test = spread(d.test, *e.tests)
	systems, err := e.train(ctx, r, d)
	if err != nil {
		return err
	}
	last := systems[len(systems)-1]
	if err := e.model.Save(last.save); err != nil {
		return err
	}
	if *e.lines != "" {
		return transliteration.Stream(ctx, r, *e.direction, *e.best, last.transliterators()...)
	}
	s := &results{}
	if err := e.output.Write(func(w io.Writer) error { return e.evaluate(ctx, r, w, d, systems, s) }); err != nil {
		return err
	}
	s.print(r.Out, d)
	s.report(r)
	return nil
}

// Settings that were chosen on other pairs than those of the test: the orders of the n-grams
// that rank candidates, of pairs alone and of names, and the exponents.
const (
	fewOrder, fewExponent   = 4, .3
	manyOrder, manyExponent = 6, .5
	lengthExponent          = .4
)

// train returns the systems, that of all data last.
func (e *experiment) train(ctx context.Context, r *program.Run, d *data) ([]*system, error) {
	heard, _ := pronounced(slices.Concat(d.pairs, d.latin))
	var sounds map[int32][]outcome
	if len(heard) > 0 {
		var err error
		if sounds, err = findSounds(ctx, heard); err != nil {
			return nil, err
		}
	}
	bigrams, err := newBigrams(ctx, d.pairs)
	if err != nil {
		return nil, err
	}
	t, err := newTree(bigrams, sounds)
	if err != nil {
		return nil, err
	}
	r.Set("pairs", len(d.pairs))
	r.Set("names", map[string]int{"latin": len(d.latin), "katakana": len(d.kana), "pronounced": len(heard)})
	r.Set("test_pairs", len(d.test))
	fmt.Fprintf(r.Out, "%d pairs, %d names in Latin letters, %d in katakana, %d pronounced; %d units, %d parameters\n\n",
		len(d.pairs), len(d.latin), len(d.kana), len(heard), bigrams.Chunks().Len(), t.params.Len())

	few, err := newRanking(fewOrder, d, d.pairs, d.pairs, fewExponent, lengthExponent)
	if err != nil {
		return nil, err
	}
	many, err := newRanking(manyOrder, d, slices.Concat(d.pairs, d.latin), slices.Concat(d.pairs, d.kana), manyExponent, lengthExponent)
	if err != nil {
		return nil, err
	}
	trigrams, err := newTrigrams(ctx, d, ranking{symbols: few.symbols})
	if err != nil {
		return nil, err
	}
	alone, err := t.newSystem("pairs alone", t.params.Start(), trigrams, few)
	if err != nil {
		return nil, err
	}
	systems := []*system{trigrams, alone}
	p := t.newParts()
	stages := []struct {
		name string
		of   func(d *data) (em.Likelihood, error)
	}{{"and names", p.names}, {"and sounds", p.all}}
	if len(heard) == 0 {
		stages = stages[:1]
	}
	var curves []figure.Line
	for _, stage := range stages {
		l, err := stage.of(d)
		if err != nil {
			return nil, err
		}
		fit, err := e.fit(ctx, r, stage.name, l)
		if err != nil {
			return nil, err
		}
		curves = append(curves, figure.Line{Name: "pairs " + stage.name, First: 1, Values: fit.Objective})
		s, err := t.newSystem(stage.name, fit.Theta, trigrams, many)
		if err != nil {
			return nil, err
		}
		systems = append(systems, s)
	}
	if e.curve.Given() {
		return systems, e.curve.Draw(figure.Lines("Training", "log likelihood, weighted, nats", curves...))
	}
	return systems, nil
}

// evaluate decodes the test pairs with all systems, and writes the candidates of the last.
func (e *experiment) evaluate(ctx context.Context, r *program.Run, w io.Writer, d *data, systems []*system, s *results) error {
	progress := r.Progress("decoding", len(systems)*len(directions)*len(d.test))
	defer progress.Done()
	for n, system := range systems {
		s.systems, s.judged = append(s.systems, system.name), append(s.judged, nil)
		for _, t := range system.transliterators() {
			asked := transliteration.Questions(d.test, t.Name, func(p pair) (latin, kana string) { return p.latin, p.kana })
			j, err := t.Judge(ctx, asked, listed, *e.workers, func(i int, candidates []string, _ error) (err error) {
				if progress.Step(""); n == len(systems)-1 {
					record := append([]string{t.Name, asked[i].Word, asked[i].Reference}, candidates...)
					_, err = fmt.Fprintln(w, strings.Join(record, "\t"))
				}
				return err
			})
			if err != nil {
				return err
			}
			s.judged[n] = append(s.judged[n], j)
		}
	}
	return nil
}
