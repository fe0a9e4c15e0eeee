package main

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/pairgram"
)

// drawCurve draws the log likelihood of a pair after each iteration of alignment.
func drawCurve(to *program.Output, t *trainer) error {
	var lines []figure.Line
	for i, fit := range t.fits {
		values := floats.ScaleTo(make([]float64, len(fit.Objective)), 1/t.weight, fit.Objective)
		lines = append(lines, figure.Line{Name: fmt.Sprint(t.aligners[i].Chunks().Sizes()), Values: values})
	}
	return to.Draw(figure.Lines("EM alignment", "ln likelihood of a pair, nats", lines...))
}

// drawChunks draws how probable the targets of one symbol are, given the symbol: dark is
// probable. Chunks of several symbols are left out.
func drawChunks(to *program.Output, t *trainer) error {
	s := t.symbols
	c := newChannel(t.aligners[0], s)
	return to.Draw(figure.Grid{
		Title: "Chunks: target symbol, given the symbol of the word",
		Row:   "target", Column: "word", Rows: withEpsilon(s.target), Columns: withEpsilon(s.word),
		Value: func(row, column int) float64 { return c.at(column, row) },
	}.Figure(), nil)
}

// withEpsilon are the names of all symbols in the order of their labels.
func withEpsilon(s *fst.Symbols) []string { return append([]string{"ε"}, names(s)...) }

// channel holds the conditional probabilities of targets, 0 standing for none, by
// symbol of the word, 0 standing for insertions.
type channel struct {
	columns, rows int
	p             []float64
}

func newChannel(a *pairgram.Aligner, s symbols) *channel {
	c := &channel{columns: s.word.Len(), rows: s.target.Len()}
	c.p = make([]float64, c.columns*c.rows)
	sum := make([]float64, c.columns)
	for i, theta := range a.Theta {
		chunk := a.Chunks().All()[i]
		if len(chunk.Source) > 1 || len(chunk.Target) > 1 {
			continue
		}
		x, y := int32(0), int32(0)
		for _, l := range chunk.Source {
			x = l
		}
		for _, l := range chunk.Target {
			y = l
		}
		c.p[int(x)*c.rows+int(y)] += theta
		sum[x] += theta
	}
	for i := range c.p {
		if total := sum[i/c.rows]; total > 0 {
			c.p[i] /= total
		}
	}
	return c
}

// at returns the probability of a row's target, given a column's symbol.
func (c *channel) at(column, row int) float64 { return c.p[column*c.rows+row] }
