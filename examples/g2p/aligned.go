package main

import (
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/internal/figure"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/pairgram"
)

// writeAligned writes the best alignment of each training pair, as the aligner of
// Phonetisaurus does; pairs that cannot be cut are left out.
func writeAligned(to *program.Output, t *trainer) error {
	skipped := map[int]bool{}
	for _, s := range t.fits[0].Skipped {
		skipped[s.Index] = true
	}
	return to.Write(func(w io.Writer) error {
		for i, p := range t.pairs {
			if skipped[i] {
				continue
			}
			chunks, _, err := t.aligners[0].Best(p)
			if err != nil {
				return err
			}
			words := make([]string, len(chunks))
			for k, c := range chunks {
				if words[k], err = c.Text(t.symbols.word, t.symbols.target); err != nil {
					return err
				}
			}
			if _, err := fmt.Fprintln(w, strings.Join(words, " ")); err != nil {
				return err
			}
		}
		return nil
	})
}

// readable is how many symbols the word that is drawn has at most.
const readable = 20

// drawMatrix draws the alignment of the longest readable pair: how probable it is that a symbol
// of the word and one of the target are in one chunk.
func drawMatrix(to *program.Output, t *trainer) error {
	longest, most := pairgram.Pair{}, 0
	for _, p := range t.pairs {
		if n := len(p.Source) + len(p.Target); n > most && max(len(p.Source), len(p.Target)) <= readable {
			longest, most = p, n
		}
	}
	posteriors, err := t.aligners[0].Posteriors(longest)
	if err != nil {
		return err
	}
	word, err := t.symbols.word.Decode(longest.Source)
	if err != nil {
		return err
	}
	target, err := t.symbols.target.Decode(longest.Target)
	if err != nil {
		return err
	}
	return to.Draw(figure.Grid{
		Title: "Posteriors of the alignment", Row: "target", Column: "word", Rows: target, Columns: word,
		Value: func(row, column int) float64 { return posteriors.At(column, row) },
	}.Figure(), nil)
}
