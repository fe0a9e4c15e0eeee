package main

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/edit"
)

// curves are the log likelihoods of a training run, by model.
type curves []figure.Line

// add begins a curve, which observes training with the options.
func (c *curves) add(name string, o *em.Options) {
	i, before := len(*c), o.Observer
	*c = append(*c, figure.Line{Name: name, First: 1})
	o.Observer = func(v em.Event) {
		(*c)[i].Values = append((*c)[i].Values, v.LogLikelihood)
		before(v)
	}
}

// draw draws the curves, per pair.
func (c curves) draw(to *program.Output, pairs int) error {
	for _, line := range c {
		floats.Scale(1/float64(pairs), line.Values)
	}
	return to.Draw(figure.Lines("Training; in context the window grows by a symbol where the curve jumps", "ln P(misspelt | correct) per pair", c...))
}

// drawnPairs and drawnLetters are how many pairs the heat map is made from, and how many
// of their most frequent letters it shows.
const (
	drawnPairs   = 2000
	drawnLetters = 26
)

// drawEdits draws what letters become in the pairs: expected edits given the pairs, as
// fractions of those of the letter.
func (s *speller) drawEdits(to *program.Output, pairs []pair) error {
	predictor, err := s.models.edits.Predictor()
	if err != nil {
		return err
	}
	total := map[edit.Edit]float64{}
	uses := map[int32]float64{}
	for k := range min(drawnPairs, len(pairs)) {
		p := pairs[k*len(pairs)/min(drawnPairs, len(pairs))]
		x, err := s.models.letters().EncodeRunes(p.word)
		if err != nil {
			continue // a character that the models, read from a file, do not know
		}
		y, err := s.models.letters().EncodeRunes(p.misspelt)
		if err != nil {
			continue
		}
		expected, err := predictor.Posteriors(x, y)
		if errors.Is(err, em.ErrUnderivable) {
			continue // a character that the models do not write
		}
		if err != nil {
			return err
		}
		for e, n := range expected {
			total[e] += n
			uses[e.Source] += n
		}
	}
	g := &grid{total: total, uses: uses}
	for l := range uses {
		if l != fst.Epsilon {
			g.labels = append(g.labels, l)
		}
	}
	slices.SortFunc(g.labels, func(a, b int32) int { return cmp.Or(cmp.Compare(uses[b], uses[a]), cmp.Compare(a, b)) })
	g.labels = g.labels[:min(drawnLetters, len(g.labels))]
	letter := func(l int32) string {
		name, _ := s.models.letters().Name(l)
		return name
	}
	slices.SortFunc(g.labels, func(a, b int32) int { return cmp.Compare(letter(a), letter(b)) })
	g.labels = append(g.labels, fst.Epsilon)
	var names []string
	for _, l := range g.labels[:len(g.labels)-1] {
		names = append(names, letter(l))
	}
	return to.Draw(figure.Grid{
		Title: "What becomes of a letter: white never, black 30 % and more; the diagonal is left out",
		Row:   "letter", Column: "written",
		Rows: append(slices.Clone(names), "inserted"), Columns: append(names, "left out"), Value: g.shade,
	}.Figure(), nil)
}

// grid holds the fractions of edits.
type grid struct {
	labels []int32
	total  map[edit.Edit]float64
	uses   map[int32]float64
}

// most is the fraction from which on a cell is black.
const most = .3

// shade returns the square root of a fraction, which shows small ones too, as a part of that
// of most; 0 on the diagonal.
func (g *grid) shade(row, column int) float64 {
	e := edit.Edit{Source: g.labels[row], Target: g.labels[column]}
	if e.Source == e.Target {
		return 0
	}
	return math.Sqrt(min(g.total[e]/g.uses[e.Source]/most, 1))
}
