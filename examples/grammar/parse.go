package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

// parseAll returns the most probable structure of each of the training sentences.
func (e *experiment) parseAll(ctx context.Context, r *program.Run, m *grammar.Model, data []treebank.Sentence) ([]*grammar.Parse, error) {
	p, err := newPredictors(m, *e.workers)
	if err != nil {
		return nil, err
	}
	return parseEach(ctx, r, p, data, func(q *grammar.Predictor, tags []string) (*grammar.Parse, error) { return q.Best(tags) })
}

// parseTest returns the test sentences with their structures, and says what there is to say
// of them.
func (e *experiment) parseTest(ctx context.Context, r *program.Run, m *grammar.Model) ([]treebank.Sentence, []*grammar.Parse, error) {
	data, err := readFile(*e.test)
	if err != nil {
		return nil, nil, err
	}
	r.Set("test_sentences", len(data))
	o, err := newOpen(m, *e.workers)
	if err != nil {
		return nil, nil, err
	}
	for i, s := range data {
		if err := errors.Join(o.check(s.Tags)...); err != nil {
			r.Warn("%s: %w", data[i].ID, err)
		}
	}
	parses, err := parseEach(ctx, r, o.predictors, data, o.parse)
	return data, parses, err
}

// parseEach parses all sentences, in as many goroutines as there are predictors.
func parseEach(ctx context.Context, r *program.Run, p predictors, data []treebank.Sentence, parse func(*grammar.Predictor, []string) (*grammar.Parse, error)) ([]*grammar.Parse, error) {
	parses := make([]*grammar.Parse, len(data))
	err := r.Each(ctx, "", len(data), func(i int) (err error) {
		q := <-p
		defer func() { p <- q }()
		if parses[i], err = parse(q, data[i].Tags); err != nil {
			err = fmt.Errorf("%s: %w", data[i].ID, err)
		}
		return err
	})
	return parses, err
}

// predictors are those that no goroutine uses now.
type predictors chan *grammar.Predictor

func newPredictors(m *grammar.Model, n int) (predictors, error) {
	free := make(predictors, n)
	for range n {
		p, err := m.Predictor(grammar.MostProbable)
		if err != nil {
			return nil, err
		}
		free <- p
	}
	return free, nil
}

// score compares parses with what is known of the sentences.
func score(data []treebank.Sentence, parses []*grammar.Parse) *treebank.Score {
	s := new(treebank.Score)
	for i, p := range parses {
		s.Add(&data[i], p.Spans, p.Heads)
	}
	return s
}

// write writes the sentences with the structure that was found.
func write(w io.Writer, data []treebank.Sentence, parses []*grammar.Parse) error {
	for i, s := range data {
		s.Heads, s.Spans = parses[i].Heads, parses[i].Spans
		if err := treebank.Write(w, &s); err != nil {
			return err
		}
	}
	return nil
}
