package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"

	"example.org/pathsum/examples/internal/loanwords"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/tsv"
)

// heldOut is how data without test data of their own are divided: each heldOut-th
// pair is a test pair.
const heldOut = 8

// format is that of the data.
const format = "latin<TAB>カ タ カ ナ[<TAB>count]"

// pair is a pair of words. Its weight in training grows with the logarithm of its
// count, log₂(1 + count): how a name is written is not a hundred observations
// because the name is frequent.
type pair struct {
	where       string // file and line
	latin, kana string
	x, y        []int32 // labels; x is nil if the model does not know a letter
	unknown     string  // the first character, on either side, that the model does not know
	weight      float64
}

// data are the words to learn from and to be tested with.
type data struct {
	letters     *fst.Symbols // those of the training pairs
	train, test []pair
}

// loadData reads the training pairs of one file and the test pairs of another;
// without a name, the embedded pairs and held-out ones.
func loadData(trainFile, testFile string, kana *fst.Symbols) (*data, error) {
	d := &data{letters: fst.NewSymbols()}
	var err error
	if trainFile == "" {
		d.train, err = readPairs(tsv.Pairs(strings.NewReader(loanwords.TSV), "pairs.tsv"), "pairs.tsv")
	} else {
		d.train, err = readPairs(tsv.PairsOf(trainFile), trainFile)
	}
	if err != nil {
		return nil, err
	}
	if testFile == "" {
		d.train, d.test = divide(d.train)
	} else if d.test, err = readPairs(tsv.PairsOf(testFile), testFile); err != nil {
		return nil, err
	}
	switch {
	case len(d.train) == 0:
		return nil, errors.New("no training pairs")
	case len(d.test) == 0:
		return nil, fmt.Errorf("no test pairs: give -test, or at least %d pairs to hold one out", heldOut)
	}
	for i := range d.train {
		p := &d.train[i]
		p.x = add(d.letters, strings.Split(p.latin, ""))
	}
	for i := range d.test {
		p := &d.test[i]
		p.x, _ = d.letters.EncodeRunes(p.latin)
		p.unknown = cmp.Or(missing(d.letters, p.latin), missing(kana, p.kana))
	}
	for _, pairs := range [][]pair{d.train, d.test} {
		for i := range pairs {
			pairs[i].y = add(kana, strings.Split(pairs[i].kana, ""))
		}
	}
	return d, nil
}

// missing returns the first character of text that is no name of s.
func missing(s *fst.Symbols, text string) string {
	for _, r := range text {
		if _, ok := s.Find(string(r)); !ok {
			return string(r)
		}
	}
	return ""
}

func readPairs(rows iter.Seq2[tsv.Pair, error], file string) ([]pair, error) {
	var pairs []pair
	for p, err := range rows {
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair{
			where: fmt.Sprintf("%s:%d", file, p.Line),
			latin: p.Left, kana: strings.Join(tsv.Symbols(p.Right), ""), weight: math.Log2(1 + p.Count),
		})
	}
	return pairs, nil
}

// divide returns all pairs but each heldOut-th, and those.
func divide(pairs []pair) (train, test []pair) {
	for i, p := range pairs {
		if (i+1)%heldOut == 0 {
			test = append(test, p)
		} else {
			train = append(train, p)
		}
	}
	return train, test
}

// unknown describes the first test pair with a character that the model does not
// know, a letter that no training pair has or one that is not katakana, and says
// how many there are.
func (d *data) unknown() (first string, n int) {
	for _, p := range d.test {
		if p.unknown != "" {
			if n == 0 {
				first = fmt.Sprintf("%s: %q in %s %s", p.where, p.unknown, p.latin, p.kana)
			}
			n++
		}
	}
	return first, n
}
