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

// parseAll returns the most probable structure of each of the training sentences.
func (e *experiment) parseAll(ctx context.Context, r *program.Run, m *grammar.Model, data []treebank.Sentence) ([]*grammar.Parse, error) {
	p, err := m.Predictor(grammar.MostProbable)
	if err != nil {
		return nil, err
	}
	return parseEach(ctx, r, data, func(tags []string) (*grammar.Parse, error) {
		x, err := p.Best(tags)
		if len(tags) == 1 && errors.Is(err, em.ErrUnderivable) {
			// A product is not trained on words alone, which have but one structure.
			x, err = &grammar.Parse{Spans: []treebank.Span{}, LogProb: math.Inf(-1)}, nil
			if m.Kind() != grammar.CCM {
				x.Heads = []int{-1}
			}
		}
		return x, err
	})
}

// parseTest returns the test sentences with their structures, and says what there is to say
// of them.
func (e *experiment) parseTest(ctx context.Context, r *program.Run, m *grammar.Model) ([]treebank.Sentence, []*grammar.Parse, error) {
	data, err := readFile(*e.test)
	if err != nil {
		return nil, nil, err
	}
	r.Set("test_sentences", len(data))
	o, err := newOpen(m)
	if err != nil {
		return nil, nil, err
	}
	for i, s := range data {
		if err := errors.Join(o.check(s.Tags)...); err != nil {
			r.Warn("%s: %w", data[i].ID, err)
		}
	}
	parses, err := parseEach(ctx, r, data, o.parse)
	return data, parses, err
}

// parseEach parses all sentences.
func parseEach(ctx context.Context, r *program.Run, data []treebank.Sentence, parse func(tags []string) (*grammar.Parse, error)) ([]*grammar.Parse, error) {
	parses := make([]*grammar.Parse, len(data))
	err := r.Each(ctx, "", len(data), func(i int) (err error) {
		if parses[i], err = parse(data[i].Tags); err != nil {
			err = fmt.Errorf("%s: %w", data[i].ID, err)
		}
		return err
	})
	return parses, err
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
