package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

// parseAll returns the most probable structure of each of the training sentences.
func parseAll(ctx context.Context, r *program.Run, m *grammar.Model, data []treebank.Sentence) ([]*grammar.Parse, error) {
	p, err := m.Predictor(grammar.MostProbable)
	if err != nil {
		return nil, err
	}
	return parseEach(ctx, r, data, func(tags []string) (*grammar.Parse, error) {
		x, err := p.Best(tags)
		if len(tags) == 1 && errors.Is(err, em.ErrUnderivable) {
			// A product is not trained on one-word sentences, which have only one structure.
			x, err = &grammar.Parse{Spans: []treebank.Span{}, LogProb: math.Inf(-1)}, nil
			if m.Kind() != grammar.CCM {
				x.Heads = []int{-1}
			}
		}
		return x, err
	})
}

// parseTest returns the structures of the test sentences, and reports guesses.
func parseTest(ctx context.Context, r *program.Run, o *open, data []treebank.Sentence) ([]*grammar.Parse, error) {
	for _, s := range data {
		if err := errors.Join(o.check(s.Tags)...); err != nil {
			r.Warn("%s: %w", s.ID, err)
		}
	}
	return parseEach(ctx, r, data, o.parse)
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

// score compares parses with the annotation of the sentences.
func score(data []treebank.Sentence, parses []*grammar.Parse) *treebank.Score {
	s := new(treebank.Score)
	for i, p := range parses {
		s.Add(&data[i], p.Spans, p.Heads)
	}
	return s
}

// write writes the sentences with their parses.
func write(w io.Writer, data []treebank.Sentence, parses []*grammar.Parse) error {
	for i, s := range data {
		s.Heads, s.Spans = parses[i].Heads, parses[i].Spans
		if err := treebank.Write(w, &s); err != nil {
			return err
		}
	}
	return nil
}

// shown is the number of sentences to print.
const shown = 8

// printScores prints the scores of the parses, and some of the parses.
func printScores(r *program.Run, kind grammar.Kind, data []treebank.Sentence, parses []*grammar.Parse) {
	s := score(data, parses)
	r.Set("f1", s.F1())
	r.Set("precision", s.Precision())
	r.Set("recall", s.Recall())
	r.Set("directed", s.DirectedAccuracy())
	r.Set("undirected", s.UndirectedAccuracy())
	rows := [][]string{{"", "precision", "recall", "F1", "directed", "undirected"}}
	for _, x := range []struct {
		name string
		*treebank.Score
	}{{kind.String(), s}, {"left branching", branching(data, -1)}, {"right branching", branching(data, 1)}} {
		row := []string{x.name}
		for _, v := range []float64{x.Precision(), x.Recall(), x.F1(), x.DirectedAccuracy(), x.UndirectedAccuracy()} {
			row = append(row, fmt.Sprintf("%.4f", v))
		}
		rows = append(rows, row)
	}
	program.WriteTable(r.Out, rows)
	for n := range min(shown, len(data)) {
		i := n * len(data) / min(shown, len(data))
		fmt.Fprintf(r.Out, "%s\n", data[i].ID)
		program.WriteTable(r.Out, [][]string{
			{"  found", brackets(data[i].Words, parses[i].Spans), heads(data[i].Words, parses[i].Heads)},
			{"  drawn", brackets(data[i].Words, data[i].Spans), heads(data[i].Words, data[i].Heads)},
		})
	}
}

// branching scores trees that all branch to one side, −1 for left. Each word depends on its
// neighbour on the other side.
func branching(data []treebank.Sentence, side int) *treebank.Score {
	s := new(treebank.Score)
	for i := range data {
		n := data[i].Len()
		var spans []treebank.Span
		heads := make([]int, n)
		for w := range n {
			spans = append(spans, treebank.Span{I: 0, J: w + 1})
			heads[w] = w + 1
			if side > 0 {
				spans[w] = treebank.Span{I: w, J: n}
				heads[w] = w - 1
			}
		}
		if side < 0 {
			heads[n-1] = -1
		}
		s.Add(&data[i], spans, heads)
	}
	return s
}

// brackets returns the words in the brackets of spans.
func brackets(words []string, spans []treebank.Span) string {
	if spans == nil {
		return "–"
	}
	opening, closing := make([]int, len(words)), make([]int, len(words))
	for _, s := range spans {
		opening[s.I]++
		closing[s.J-1]++
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Repeat("(", opening[i]) + w + strings.Repeat(")", closing[i]))
	}
	return b.String()
}

// heads returns the words with their heads.
func heads(words []string, heads []int) string {
	var list []string
	for i, h := range heads {
		if h >= 0 {
			list = append(list, words[i]+"←"+words[h])
		}
	}
	return strings.Join(list, " ")
}
