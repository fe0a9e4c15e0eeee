package main

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/speller"
	"example.org/pathsum/models/edit"
)

// drawnPairs and drawnLetters are the numbers of pairs in the heat map and of their most
// frequent letters that it shows; cells are black from the fraction most on.
const (
	drawnPairs   = 2000
	drawnLetters = 26
	most         = .3
)

// drawEdits draws the edits of letters in the pairs: expected edits given the pairs, as
// fractions of the occurrences of the letter.
func drawEdits(s *speller.Speller, d *data) (program.Drawing, error) {
	total, uses, err := expectedEdits(s, d.train)
	if err != nil {
		return nil, err
	}
	letter := func(l int32) string {
		name, _ := s.Letters().Name(l)
		return name
	}
	labels := slices.DeleteFunc(slices.Collect(maps.Keys(uses)), func(l int32) bool { return l == fst.Epsilon })
	slices.SortFunc(labels, func(a, b int32) int { return cmp.Or(cmp.Compare(uses[b], uses[a]), cmp.Compare(a, b)) })
	labels = labels[:min(drawnLetters, len(labels))]
	slices.SortFunc(labels, func(a, b int32) int { return cmp.Compare(letter(a), letter(b)) })
	var names []string
	for _, l := range labels {
		names = append(names, letter(l))
	}
	labels = append(labels, fst.Epsilon)
	return figure.Grid{
		Title: "Probability of a change: white 0, black 30 % and more; the diagonal is left out",
		Row:   "letter", Column: "written",
		Rows: append(slices.Clone(names), "inserted"), Columns: append(names, "left out"),
		Value: func(row, column int) float64 { // a square root makes small fractions visible
			e := edit.Edit{Source: labels[row], Target: labels[column]}
			if e.Source == e.Target {
				return 0
			}
			return math.Sqrt(min(total[e]/uses[e.Source]/most, 1))
		},
	}.Figure(), nil
}

// expectedEdits returns the expected number of each edit in some of the pairs, and of the edits
// of each letter.
func expectedEdits(s *speller.Speller, pairs []speller.Pair) (total map[edit.Edit]float64, uses map[int32]float64, err error) {
	predictor, err := s.Edits.Predictor()
	if err != nil {
		return nil, nil, err
	}
	total, uses = map[edit.Edit]float64{}, map[int32]float64{}
	for k := range min(drawnPairs, len(pairs)) {
		p := pairs[k*len(pairs)/min(drawnPairs, len(pairs))]
		expected, err := predictor.Posteriors(s.Label(p.Word), s.Label(p.Misspelt))
		if errors.Is(err, em.ErrUnderivable) {
			continue // a character that the models do not have
		}
		if err != nil {
			return nil, nil, err
		}
		for e, n := range expected {
			total[e] += n
			uses[e.Source] += n
		}
	}
	return total, uses, nil
}
