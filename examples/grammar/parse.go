package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

// parseAll returns the most probable structure of each sentence.
func (e *experiment) parseAll(ctx context.Context, m *grammar.Model, data []treebank.Sentence) ([]*grammar.Parse, error) {
	parses, faults := make([]*grammar.Parse, len(data)), make([]error, len(data))
	var next atomic.Int64
	var all sync.WaitGroup
	for range *e.workers {
		p, err := m.Predictor(grammar.MostProbable)
		if err != nil {
			return nil, err
		}
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(data)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				parses[i], faults[i] = p.Best(data[i].Tags)
			}
		})
	}
	all.Wait()
	for i, err := range faults {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", data[i].ID, err)
		}
	}
	return parses, ctx.Err()
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
