package main

import (
	"fmt"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/wordalign"
	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/gold"
)

// readable is the greatest length in words of the sentence to draw, if there is such a
// sentence.
const readable = 20

// specimen returns the sentence to draw: the longest readable one with references,
// or else the first of the text.
func specimen(d *wordalign.Data) (align.Sentence, gold.Reference) {
	from := d.Test
	if len(from.Sentences) == 0 {
		from = d.Dev
	}
	best, most := -1, 0
	for i, s := range from.Sentences {
		if n := len(s.Source) + len(s.Target); n > most && len(s.Source) <= readable && len(s.Target) <= readable {
			best, most = i, n
		}
	}
	if best >= 0 {
		return from.Sentences[best], from.References[best]
	}
	return d.Corpus.Sentence(0), gold.Reference{}
}

// drawMatrix draws the posteriors of a sentence, the links chosen and, if known, the reference
// links.
func (f *flags) drawMatrix(a *aligner, d *wordalign.Data) (program.Drawing, error) {
	s, reference := specimen(d)
	both, err := a.posteriors(s)
	if err != nil {
		return nil, err
	}
	choice := wordalign.Combinations[*f.combine](both)
	grid := both.Shown(choice)
	g := figure.Grid{
		Title: fmt.Sprintf("Posteriors; dots: chosen (%s, %.3g); frames: reference", *f.combine, a.Threshold),
		Row:   "E", Column: "F", Rows: s.Source, Columns: s.Target, Value: grid.At,
		Dots: cells(choice.Align(a.Threshold)), Frames: cells(reference.Sure), Thin: cells(reference.Possible),
	}
	return g.Figure(), nil
}

// cells returns the cells of links, a row for each word of E.
func cells(links align.Alignment) (all []figure.Cell) {
	for _, l := range links {
		all = append(all, figure.Cell{Row: l.Source, Column: l.Target})
	}
	return all
}
