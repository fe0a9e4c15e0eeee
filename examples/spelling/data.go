package main

import (
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

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

// heldOut is how data without test data of their own are divided where there is a test with
// pairs: the misspellings of each heldOut-th correct word are test pairs.
const heldOut = 5

// heldBack is how training pairs are divided where there are no development pairs: those of
// each heldBack-th correct word are for the exponents.
const heldBack = 10

// format is that of the data.
const format = "correct<TAB>misspelt[<TAB>count]"

// pair is a word and a misspelling, in lower case.
type pair struct {
	word, misspelt string
	count          float64
}

// word is a word of the lexicon, in lower case.
type word struct {
	text  string
	count float64
}

// spoken is a word, in lower case, and the sounds of one way to pronounce it.
type spoken struct {
	word   string
	sounds []string
}

// data are the pairs to learn from, to learn exponents from and to be tested with, the lexicon,
// and how words are pronounced.
type data struct {
	train, dev, test []pair
	lexicon          []word
	dictionary       []spoken
}

// fold returns text in the form in which words are compared: in lower case, without blanks at
// its ends.
func fold(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// loadData reads the training, development and test pairs of files; without a name, the
// embedded pairs and held-out ones. Test pairs are those of each held-th correct word, none
// for 0.
func loadData(trainFile, devFile, testFile string, held int) (*data, error) {
	rows := tsv.PairsOf(trainFile)
	if trainFile == "" {
		rows = tsv.Pairs(strings.NewReader(pairsTSV), "pairs.tsv")
	}
	d := new(data)
	var err error
	if d.train, err = readPairs(rows); err != nil {
		return nil, err
	}
	switch {
	case testFile == "" && held > 0:
		d.train, d.test = divide(d.train, held)
	case testFile != "":
		d.test, err = readPairs(tsv.PairsOf(testFile))
	}
	if err != nil {
		return nil, err
	}
	if devFile == "" {
		d.train, d.dev = divide(d.train, heldBack)
	} else if d.dev, err = readPairs(tsv.PairsOf(devFile)); err != nil {
		return nil, err
	}
	switch {
	case len(d.train) == 0:
		return nil, errors.New("no training pairs")
	case len(d.test) == 0 && held > 0:
		return nil, fmt.Errorf("no test pairs: give -test, or at least %d correct words to hold one out", held)
	}
	return d, nil
}

func readPairs(rows iter.Seq2[tsv.Pair, error]) ([]pair, error) {
	var pairs []pair
	for p, err := range rows {
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair{fold(p.Left), fold(p.Right), p.Count})
	}
	return pairs, nil
}

// divide returns the pairs of all correct words but each nth, and those of these.
func divide(pairs []pair, n int) (train, test []pair) {
	words := map[string]int{}
	for _, p := range pairs {
		if _, ok := words[p.word]; !ok {
			words[p.word] = len(words) + 1
		}
		if words[p.word]%n == 0 {
			test = append(test, p)
		} else {
			train = append(train, p)
		}
	}
	return train, test
}

// loadLexicon reads the words of a file, the embedded ones without a name, in
// alphabetical order. The counts of words that differ in case only are added.
func loadLexicon(file string) ([]word, error) {
	rows := tsv.RowsOf(file, 1, 2)
	if file == "" {
		file = "words.tsv"
		rows = tsv.Rows(strings.NewReader(wordsTSV), file, 1, 2)
	}
	counts := map[string]float64{}
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		bad := func(reason string) error { return &text.Error{File: file, Line: row.Line, Err: errors.New(reason)} }
		folded, count := fold(row.Columns[0]), 0.0
		if folded == "" {
			return nil, bad("no word")
		}
		if len(row.Columns) == 2 {
			if count, err = strconv.ParseFloat(row.Columns[1], 64); err != nil || !(count >= 0) || count-count != 0 {
				return nil, bad(fmt.Sprintf("count %s, want a finite number ≥ 0", text.Quote(row.Columns[1])))
			}
		}
		counts[folded] += count
	}
	if len(counts) == 0 {
		return nil, fmt.Errorf("%s: no words", file)
	}
	words := make([]word, 0, len(counts))
	for text, count := range counts {
		words = append(words, word{text, count})
	}
	slices.SortFunc(words, func(a, b word) int { return strings.Compare(a.text, b.text) })
	return words, nil
}

// loadDictionary reads how words are pronounced from a file, in its order; nothing without a
// name.
func loadDictionary(file string) ([]spoken, error) {
	if file == "" {
		return nil, nil
	}
	var dictionary []spoken
	for row, err := range tsv.RowsOf(file, 2, 2) {
		if err != nil {
			return nil, err
		}
		bad := func(reason string) error {
			return &text.Error{File: text.Name(file), Line: row.Line, Err: errors.New(reason)}
		}
		s := spoken{fold(row.Columns[0]), tsv.Symbols(row.Columns[1])}
		switch {
		case s.word == "":
			return nil, bad("no word")
		case len(s.sounds) == 0:
			return nil, bad("no sounds")
		}
		dictionary = append(dictionary, s)
	}
	if len(dictionary) == 0 {
		return nil, fmt.Errorf("%s: no words", text.Name(file))
	}
	return dictionary, nil
}
