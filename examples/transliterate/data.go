package main

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"

	"example.org/pathsum/internal/loanwords"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/internal/tsv"
)

// heldOut is how data without test data of their own are divided where there is a test: each
// heldOut-th pair is a test pair.
const heldOut = 8

// format is that of the data.
const format = "latin<TAB>カ タ カ ナ[<TAB>count]; katakana may stand without the spaces"

// pair is a pair of words. Its weight in training grows with the logarithm of its
// count, log₂(1 + count): how a name is written is not a hundred observations
// because the name is frequent.
type pair struct {
	where       string // file and line
	latin, kana string
	x, y        []int32 // labels of a training pair
	weight      float64
}

// data are the words to learn from and to be tested with.
type data struct {
	letters, kana *transliteration.Column // of the training pairs
	train, test   []pair
}

// loadData reads the training pairs of one file and the test pairs of another; without a name,
// the embedded pairs, and each held-th of the training pairs, none for 0. Its pairs have no
// labels yet.
func loadData(trainFile, testFile string, held int) (*data, error) {
	d := new(data)
	var err error
	if trainFile == "" {
		d.train, err = readPairs(tsv.Pairs(strings.NewReader(loanwords.TSV), "pairs.tsv"), "pairs.tsv")
	} else {
		d.train, err = readPairs(tsv.PairsOf(trainFile), trainFile)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case testFile == "" && held > 0:
		d.train, d.test = program.HoldOut(d.train, held)
	case testFile != "":
		d.test, err = readPairs(tsv.PairsOf(testFile), testFile)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case len(d.train) == 0:
		return nil, errors.New("no training pairs")
	case len(d.test) == 0 && held > 0:
		return nil, fmt.Errorf("no test pairs: give -test, or at least %d pairs to hold one out", held)
	}
	return d, nil
}

// label gives the training pairs labels, letters in the form and katakana by kana.
func (d *data) label(form script.Form, kana *transliteration.Column) {
	d.letters, d.kana = transliteration.NewColumn(form, false), kana
	for i := range d.train {
		p := &d.train[i]
		p.x, p.y = d.letters.Learn(p.latin), kana.Add(p.kana)
	}
}

// newMorae returns a column of katakana as consonants and vowels, which knows those of words.
func newMorae(form script.Form, words []pair) *transliteration.Column {
	kana := transliteration.NewColumn(composed(form), true)
	for _, p := range words {
		kana.Learn(p.kana)
	}
	return kana
}

// composed returns the form of katakana where letters have another: the parts of a character
// would be no katakana.
func composed(form script.Form) script.Form { return min(form, script.Composed) }

func readPairs(rows iter.Seq2[tsv.Pair, error], file string) ([]pair, error) {
	var pairs []pair
	var kana []string
	for p, err := range rows {
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair{where: fmt.Sprintf("%s:%d", file, p.Line), latin: p.Left, kana: p.Right, weight: math.Log2(1 + p.Count)})
		kana = append(kana, p.Right)
	}
	if script.Spaced(kana) { // else a space is one of the characters
		for i, k := range kana {
			pairs[i].kana = strings.Join(tsv.Symbols(k), "")
		}
	}
	return pairs, nil
}

// unknown describes the first test pair with a character that the model does not
// know, on either side, and says how many there are.
func (d *data) unknown() (first string, n int) {
	for _, p := range d.test {
		_, unknown := d.letters.Labels(p.latin)
		_, more := d.kana.Labels(p.kana)
		if unknown = append(unknown, more...); len(unknown) > 0 {
			if n == 0 {
				first = fmt.Sprintf("%s: %q in %s %s", p.where, unknown[0].Symbol, p.latin, p.kana)
			}
			n++
		}
	}
	return first, n
}
