package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/speller"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

// pairsTSV is the default data: words that are often misspelt, with misspellings.
//
//go:embed pairs.tsv
var pairsTSV string

// wordsTSV is the default lexicon: the correct words of pairsTSV and other common words,
// with rough frequencies.
//
//go:embed words.tsv
var wordsTSV string

// heldOut defines the test pairs if a test is made without -test: the misspellings of each
// heldOut-th correct word.
const heldOut = 5

// heldBack defines the development pairs without -dev: the pairs of each heldBack-th correct
// word serve to learn the exponents.
const heldBack = 10

// format describes the format of the data.
const format = "correct<TAB>misspelt[<TAB>count]"

// data has the pairs for training, for the exponents and for testing, the lexicon, and
// pronunciations.
type data struct {
	train, dev, test []speller.Pair
	lexicon          []speller.Word
	dictionary       []speller.Pronunciation
}

// read reads the pairs, the lexicon and the pronunciations; for a loaded model only the test
// pairs.
func (f *flags) read(_ context.Context, r *program.Run) (*data, error) {
	d := new(data)
	var err error
	if r.Loads() {
		if d.test, err = readPairs(r, *f.test); err == nil && len(d.test) == 0 {
			err = errors.New("no test pairs")
		}
		return d, err
	}
	if d.train, err = readPairs(r, *f.data); err != nil {
		return nil, err
	}
	switch {
	case *f.test != "":
		d.test, err = readPairs(r, *f.test)
	case !r.Applies(): // without a test, train on all
		d.train, d.test = divide(d.train, heldOut)
	}
	if err != nil {
		return nil, err
	}
	if *f.dev == "" {
		d.train, d.dev = divide(d.train, heldBack)
	} else if d.dev, err = readPairs(r, *f.dev); err != nil {
		return nil, err
	}
	switch {
	case len(d.train) == 0:
		return nil, errors.New("no training pairs")
	case len(d.test) == 0 && !r.Applies():
		return nil, fmt.Errorf("no test pairs: give -test, or at least %d correct words to hold one out", heldOut)
	}
	if d.lexicon, err = readLexicon(r, *f.lexicon); err != nil {
		return nil, err
	}
	d.dictionary, err = readDictionary(r, *f.sounds)
	return d, err
}

// readPairs reads the pairs of a file, or the embedded ones without a file name.
func readPairs(r *program.Run, file string) ([]speller.Pair, error) {
	rows := tsv.PairsOf(file)
	if file == "" {
		rows = tsv.Pairs(strings.NewReader(pairsTSV), "pairs.tsv")
	}
	return program.All(r, speller.Pairs(rows))
}

// divide returns the pairs of all correct words except each nth, and the pairs of the latter.
func divide(pairs []speller.Pair, n int) (train, test []speller.Pair) {
	words := map[string]int{}
	for _, p := range pairs {
		if _, ok := words[p.Word]; !ok {
			words[p.Word] = len(words) + 1
		}
		if words[p.Word]%n == 0 {
			test = append(test, p)
		} else {
			train = append(train, p)
		}
	}
	return train, test
}

// readLexicon reads the words of a file, or the embedded ones without a file name.
func readLexicon(r *program.Run, file string) ([]speller.Word, error) {
	rows := tsv.RowsOf(file, 1, 2)
	if file == "" {
		file = "words.tsv"
		rows = tsv.Rows(strings.NewReader(wordsTSV), file, 1, 2)
	}
	words, err := some(r, file, speller.Words(rows, file))
	return speller.Lexicon(words), err
}

// readDictionary reads pronunciations from a file, in its order. Without a file name it returns
// nil.
func readDictionary(r *program.Run, file string) ([]speller.Pronunciation, error) {
	if file == "" {
		return nil, nil
	}
	return some(r, file, speller.Pronunciations(tsv.RowsOf(file, 2, 2), file))
}

// some returns all records of a file. An empty file is an error.
func some[T any](r *program.Run, file string, records iter.Seq2[T, error]) ([]T, error) {
	all, err := program.All(r, records)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: no words", text.Name(file))
	}
	return all, err
}
