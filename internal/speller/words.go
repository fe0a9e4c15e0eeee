package speller

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

// Word is a word of a lexicon, in lower case, with its frequency.
type Word struct {
	Text  string
	Count float64
}

// Pair is a word and a misspelling, in lower case.
type Pair struct {
	Word, Misspelt string
	Count          float64
}

// Pronunciation is a word, in lower case, and the sounds of one way to pronounce it.
type Pronunciation struct {
	Word   string
	Sounds []string
}

// Fold returns text in the form for comparing words: in lower case, without blanks at its ends.
func Fold(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// Pairs yields the pairs of rows.
func Pairs(rows iter.Seq2[tsv.Pair, error]) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		for p, err := range rows {
			if !yield(Pair{Fold(p.Left), Fold(p.Right), p.Count}, err) {
				return
			}
		}
	}
}

// Words yields the words of rows of a file: word[<TAB>count].
func Words(rows iter.Seq2[tsv.Row, error], file string) iter.Seq2[Word, error] {
	return parsed(rows, file, func(columns []string) (w Word, err error) {
		if w.Text = Fold(columns[0]); w.Text == "" {
			return w, errors.New("no word")
		}
		if len(columns) == 2 {
			if w.Count, err = strconv.ParseFloat(columns[1], 64); err != nil || !(w.Count >= 0) || w.Count-w.Count != 0 {
				return w, fmt.Errorf("count %s, want a finite number ≥ 0", text.Quote(columns[1]))
			}
		}
		return w, nil
	})
}

// Pronunciations yields the pronunciations of rows of a file: word<TAB>sound sound ….
func Pronunciations(rows iter.Seq2[tsv.Row, error], file string) iter.Seq2[Pronunciation, error] {
	return parsed(rows, file, func(columns []string) (Pronunciation, error) {
		p := Pronunciation{Fold(columns[0]), tsv.Symbols(columns[1])}
		switch {
		case p.Word == "":
			return p, errors.New("no word")
		case len(p.Sounds) == 0:
			return p, errors.New("no sounds")
		}
		return p, nil
	})
}

// parsed yields the results of parse for the columns of rows. Its errors are errors of the
// line.
func parsed[T any](rows iter.Seq2[tsv.Row, error], file string, parse func(columns []string) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			var x T
			if err == nil {
				if x, err = parse(row.Columns); err != nil {
					err = &text.Error{File: text.Name(file), Line: row.Line, Err: err}
				}
			}
			if !yield(x, err) {
				return
			}
		}
	}
}

// Lexicon returns words in alphabetical order. The counts of equal words are added.
func Lexicon(words []Word) []Word {
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(a.Text, b.Text) })
	lexicon := words[:0]
	for _, w := range words {
		if n := len(lexicon); n > 0 && lexicon[n-1].Text == w.Text {
			lexicon[n-1].Count += w.Count
		} else {
			lexicon = append(lexicon, w)
		}
	}
	return lexicon
}
