package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

func main() {
	p, e := newExperiment()
	p.Main(e.run)
}

// experiment is what the flags say.
type experiment struct {
	data, test, model, init   *string
	lines                     *string
	plot, output              *program.Output
	saved                     *program.Model
	iterations, workers, best *int
}

func newExperiment() (*program.Program, *experiment) {
	p := program.New("grammar", "grammar induces the structure of sentences from their tags alone.")
	e := &experiment{
		data:       p.Data(format),
		test:       p.Test("Lines: those of -data. Without -test, the training sentences are the test."),
		model:      p.Choice("model", "train a model", grammar.Product.String(), grammar.DMV.String(), grammar.CCM.String()),
		init:       p.Choice("init", "start the dependency model by", grammar.Starts()...),
		iterations: p.Iterations(40),
		workers:    p.Workers(),
		plot:       p.Plot("F1 and the accuracy of heads by iteration, which takes a parse of all sentences in each,"),
		output:     p.Output("those of the test, with the heads and spans that were found; or the answers to -apply"),
		lines:      p.Apply("A line is a sentence of tags, or of words with tags, word_TAG, with spaces between. Its answer is the sentence in brackets and, unless the model is ccm, <TAB> and the numbers of the heads."),
	}
	e.best = p.Best(1, "of -apply; if they are several, <TAB> and its log probability given the tags, in nats, behind each")
	p.Checkpoint()
	e.saved = p.Model("data model init iterations checkpoint plot", "apply test")
	p.Excludes("apply", "test plot")
	p.Needs("n", "apply")
	return p, e
}

func (e *experiment) run(ctx context.Context, r *program.Run) error {
	if e.saved.Loads() {
		m, err := program.Loaded(e.saved, grammar.Load)
		if err != nil {
			return err
		}
		r.Set("model", m.Kind().String())
		return e.use(ctx, r, m, nil)
	}
	data, err := loadData(*e.data)
	if err != nil {
		return err
	}
	r.Set("model", *e.model)
	r.Set("init", *e.init)
	r.Set("sentences", len(data))
	m, err := newModel(*e.model, *e.init, data)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "%d sentences, %d parameters\n\n", len(data), m.Params.Len())
	fault := e.train(ctx, r, m, data)
	if fault == nil {
		if err := e.saved.Save(m.Save); err != nil {
			return err
		}
		return e.use(ctx, r, m, data)
	}
	if ctx.Err() != nil && *e.lines == "" {
		// Of a run that was interrupted it says how good the model is now.
		_, _, err := e.evaluate(context.WithoutCancel(ctx), r, m, data)
		return errors.Join(fault, err)
	}
	return fault
}

// use answers the lines of -apply, or evaluates the model and writes the parses.
func (e *experiment) use(ctx context.Context, r *program.Run, m *grammar.Model, data []treebank.Sentence) error {
	if *e.lines != "" {
		return e.apply(ctx, r, m)
	}
	data, parses, err := e.evaluate(ctx, r, m, data)
	if err != nil || !e.output.Given() {
		return err
	}
	return e.output.Write(func(w io.Writer) error { return write(w, data, parses) })
}

// evaluate says how well the model parses the test sentences or, if there are none, data. It
// returns those and the parses.
func (e *experiment) evaluate(ctx context.Context, r *program.Run, m *grammar.Model, data []treebank.Sentence) ([]treebank.Sentence, []*grammar.Parse, error) {
	var parses []*grammar.Parse
	var err error
	if *e.test == "" {
		parses, err = e.parseAll(ctx, r, m, data)
	} else {
		data, parses, err = e.parseTest(ctx, r, m)
	}
	if err == nil {
		printScores(r, m.Kind(), data, parses)
	}
	return data, parses, err
}

// starts returns how many times the model is trained.
func (e *experiment) starts() int {
	if *e.init == grammar.Likeliest.String() && *e.model != grammar.CCM.String() {
		return len(grammar.Starts()) - 1
	}
	return 1
}

// newHistories returns the histories of all starts, each in a file of its own beside the
// checkpoint.
func newHistories(r *program.Run) ([]*program.History, error) {
	var all []*program.History
	for i := range grammar.Starts() {
		start := ""
		if i > 0 {
			start = fmt.Sprint("start", i)
		}
		h, err := program.NewHistory(r.Checkpoint(start))
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

// train trains m and reports on it.
func (e *experiment) train(ctx context.Context, r *program.Run, m *grammar.Model, data []treebank.Sentence) error {
	progress := r.Progress("training", e.starts()**e.iterations)
	defer progress.Done()
	histories, failed := newHistories(r)
	if failed != nil {
		return failed
	}
	checkpoint := r.Checkpoint()
	opts := &em.Options{Iterations: *e.iterations, Tolerance: -1, Workers: *e.workers, Checkpoint: checkpoint,
		Observer: func(v em.Event) {
			noted := []float64{v.LogLikelihood}
			detail := fmt.Sprintf("objective %.3f", v.Objective)
			if e.plot.Given() && failed == nil {
				m.Theta = v.Theta // to parse with
				var parses []*grammar.Parse
				if parses, failed = e.parseAll(ctx, r, m, data); failed == nil {
					s := score(data, parses)
					noted = append(noted, scores(s)...)
					detail += fmt.Sprintf(", F1 %.4f", s.F1())
				}
			}
			if failed == nil {
				failed = histories[v.Start].Note(v.Iteration, v.Objective, noted...)
			}
			progress.Iteration(v, detail)
		},
	}
	fit, err := m.Fit(ctx, tagsOf(data), opts)
	if fit == nil {
		return err
	}
	if len(fit.Starts) > 1 {
		best := grammar.Starts()[int(grammar.HarmonicCounts)+fit.Start]
		fmt.Fprintf(r.Out, "the best start is %s\n\n", best)
		r.Set("best_start", best)
	}
	history := histories[fit.Start]
	r.Fitted(fit)
	agreement, curve := make([]float64, len(fit.Objective)), newCurve()
	for i, objective := range fit.Objective {
		noted := history.Of(i, objective)
		if noted == nil {
			noted = []float64{math.NaN()}
			r.Warn("the log likelihood of iteration %d, of an earlier run, is not in %s.history", i+1, checkpoint)
		}
		agreement[i] = noted[0]
		curve.add(i, noted[1:])
	}
	if m.Kind() == grammar.Product {
		r.Set("o_agree", agreement)
	}
	printObjective(r.Out, fit.Objective, agreement)
	if err == nil {
		err = failed
	}
	if err == nil && e.plot.Given() {
		err = curve.draw(e.plot, *e.model)
	}
	return err
}
