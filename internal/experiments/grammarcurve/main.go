package main

import (
	"context"
	"errors"
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

func main() { newProgram().Main() }

// flags are the values of the flags.
type flags struct {
	data, model, init   *string
	iterations, workers *int
	plot                *program.Output
}

func newProgram() *program.Program {
	p := program.New("grammarcurve", "grammarcurve shows how good an induced grammar is after each iteration.",
		"go run ./internal/experiments/grammarcurve -data wsj10.tsv.gz -plot curve.svg",
		"go run ./internal/experiments/grammarcurve -data wsj10.tsv.gz -model dmv -init harmonic-trees")
	f := &flags{
		data:       p.Input("data", "read sentences from `FILE`, - for standard input; .gz is read directly. Lines: those of examples/grammar"),
		model:      p.Choice("model", "train a model", grammar.Product.String(), grammar.DMV.String(), grammar.CCM.String()),
		init:       p.Choice("init", "start the dependency model by", grammar.Starts()...),
		iterations: p.Iterations(40),
		workers:    p.Workers(),
		plot:       p.Plot("F1 and the accuracy of heads by iteration"),
	}
	p.About(program.AboutTraining, "init")
	p.Check(func() error {
		if *f.data == "" {
			return errors.New("want -data")
		}
		return nil
	})
	p.Do(f.run)
	return p
}

func (f *flags) run(ctx context.Context, r *program.Run) error {
	data, err := treebank.Collect(program.Records(r, treebank.SentencesOf(*f.data)))
	if err != nil {
		return err
	}
	scores, err := f.train(ctx, r, data)
	if err != nil {
		return err
	}
	rows := [][]string{{"iteration", "F1", "directed", "undirected"}}
	lines := []program.Line{{Name: "F1"}, {Name: "directed"}, {Name: "undirected"}}
	for i, s := range scores {
		row := []string{fmt.Sprint(i)}
		for k, x := range []float64{s.F1(), s.DirectedAccuracy(), s.UndirectedAccuracy()} {
			lines[k].Values = append(lines[k].Values, x)
			row = append(row, fmt.Sprintf("%.4f", x))
		}
		rows = append(rows, row)
	}
	program.WriteTable(r.Out, rows)
	r.Set("f1", lines[0].Values)
	r.Set("directed", lines[1].Values)
	r.Set("undirected", lines[2].Values)
	if !f.plot.Given() {
		return nil
	}
	return f.plot.Draw(figure.Lines(*f.model, "fraction", lines...))
}

// train trains the model, and returns the scores of its parses before each iteration from the best
// start.
func (f *flags) train(ctx context.Context, r *program.Run, data []treebank.Sentence) ([]*treebank.Score, error) {
	m, tags, err := f.newModel(data)
	if err != nil {
		return nil, err
	}
	starts := 1
	if *f.init == grammar.Likeliest.String() && m.Kind() != grammar.CCM {
		starts = len(grammar.Starts()) - 1
	}
	progress := r.Progress("training", starts**f.iterations)
	defer progress.Done()
	scores := make([][]*treebank.Score, starts)
	var failed error
	fit, err := m.Fit(ctx, tags, &em.Options{Iterations: *f.iterations, Tolerance: -1, Workers: *f.workers,
		Observer: func(v em.Event) {
			s, err := f.score(ctx, r, m, v.Theta, data)
			if err != nil {
				failed = errors.Join(failed, err)
				return
			}
			scores[v.Start] = append(scores[v.Start], s)
			progress.Iteration(v, fmt.Sprintf("objective %.3f, F1 %.4f", v.Objective, s.F1()))
		},
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	r.Fitted(fit)
	return scores[fit.Start], nil
}

// newModel returns the model that flags name, and the tags of data.
func (f *flags) newModel(data []treebank.Sentence) (m *grammar.Model, tags [][]string, err error) {
	for _, s := range data {
		tags = append(tags, s.Tags)
	}
	kind, err := grammar.ParseKind(*f.model)
	if err != nil {
		return nil, nil, err
	}
	start, err := grammar.ParseStart(*f.init)
	if err != nil {
		return nil, nil, err
	}
	m, err = grammar.New(kind, tags, &grammar.Options{Start: start})
	return m, tags, err
}

// score parses the data with a model at theta. A sentence of one word, for which a product has
// no probability, has only one structure.
func (f *flags) score(ctx context.Context, r *program.Run, m *grammar.Model, theta []float64, data []treebank.Sentence) (*treebank.Score, error) {
	m.Theta = theta
	p, err := m.Predictor(grammar.MostProbable)
	if err != nil {
		return nil, err
	}
	parses := make([]*grammar.Parse, len(data))
	err = r.Each(ctx, "", len(data), func(i int) (err error) {
		switch {
		case data[i].Len() > 1:
			parses[i], err = p.Best(data[i].Tags)
		case m.Kind() == grammar.CCM:
			parses[i] = &grammar.Parse{Spans: []treebank.Span{}}
		default:
			parses[i] = &grammar.Parse{Spans: []treebank.Span{}, Heads: []int{-1}}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s := new(treebank.Score)
	for i, x := range parses {
		s.Add(&data[i], x.Spans, x.Heads)
	}
	return s, nil
}
