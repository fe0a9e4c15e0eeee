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

// pairsTSV is the default data: words that are often misspelt, and how.
//
//go:embed pairs.tsv
var pairsTSV string

// wordsTSV is the default lexicon: the correct words of pairsTSV and other common words,
// with rough frequencies.
//
//go:embed words.tsv
var wordsTSV string

// heldOut is how data without test data of their own are divided where there is a test: the
// misspellings of each heldOut-th correct word are test pairs.
const heldOut = 5

// heldBack is how training pairs are divided where there are no development pairs: those of
// each heldBack-th correct word are for the exponents.
const heldBack = 10

// format is that of the data.
const format = "correct<TAB>misspelt[<TAB>count]"

// data are the pairs to learn from, to learn exponents from and to be tested with, the lexicon,
// and how words are pronounced.
type data struct {
	train, dev, test []speller.Pair
	lexicon          []speller.Word
	dictionary       []speller.Pronunciation
}

// read reads the pairs, the lexicon and the pronunciations; of a loaded model the test pairs.
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
	case !r.Applies(): // what is not tested learns from all
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

// readPairs reads the pairs of a file, the embedded ones without a name.
func readPairs(r *program.Run, file string) ([]speller.Pair, error) {
	rows := tsv.PairsOf(file)
	if file == "" {
		rows = tsv.Pairs(strings.NewReader(pairsTSV), "pairs.tsv")
	}
	return program.All(r, speller.Pairs(rows))
}

// divide returns the pairs of all correct words but each nth, and those of these.
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

// readLexicon reads the words of a file, the embedded ones without a name.
func readLexicon(r *program.Run, file string) ([]speller.Word, error) {
	rows := tsv.RowsOf(file, 1, 2)
	if file == "" {
		file = "words.tsv"
		rows = tsv.Rows(strings.NewReader(wordsTSV), file, 1, 2)
	}
	words, err := some(r, file, speller.Words(rows, file))
	return speller.Lexicon(words), err
}

// readDictionary reads how words are pronounced from a file, in its order; nothing without a
// name.
func readDictionary(r *program.Run, file string) ([]speller.Pronunciation, error) {
	if file == "" {
		return nil, nil
	}
	return some(r, file, speller.Pronunciations(tsv.RowsOf(file, 2, 2), file))
}

// some returns all records of a file, which must have some.
func some[T any](r *program.Run, file string, records iter.Seq2[T, error]) ([]T, error) {
	all, err := program.All(r, records)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: no words", text.Name(file))
	}
	return all, err
}
