package transliteration

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"example.org/pathsum/internal/loanwords"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/tsv"
)

// Format describes a line of a file of pairs.
const Format = "latin<TAB>カ タ カ ナ[<TAB>count]; katakana may stand without the spaces"

// HeldOut defines the test pairs if there are no separate ones: each HeldOut-th pair.
const HeldOut = 8

// Pair is a word in letters and in katakana.
type Pair struct {
	Where       string // file and line
	Latin, Kana string
	Count       float64
}

// Data are the training pairs and the test pairs.
type Data struct{ Train, Test []Pair }

// ReadData reads the pairs of a file, or the embedded loanwords without a file name, and test
// pairs of another file. Without a file for the test every HeldOut-th pair is held out, unless
// lines are answered instead of a test. With -load it reads only the test pairs.
func ReadData(r *program.Run, file, test string) (Data, error) {
	train, held, err := program.TrainTest(r, file, test, HeldOut, func(file string) ([]Pair, error) {
		rows, name := tsv.PairsOf(file), file
		if file == "" {
			name = "pairs.tsv"
			rows = tsv.Pairs(strings.NewReader(loanwords.TSV), name)
		}
		return readPairs(program.Records(r, rows), name)
	})
	switch {
	case err != nil:
	case len(train) == 0 && !r.Loads():
		err = errors.New("no pairs to learn from")
	case len(held) == 0 && !r.Applies():
		err = fmt.Errorf("no test pairs: give -test, or at least %d pairs to hold one out", HeldOut)
	}
	return Data{train, held}, err
}

// readPairs returns the pairs of rows. If most katakana have spaces, these are removed;
// otherwise a space is one of the characters.
func readPairs(rows iter.Seq2[tsv.Pair, error], file string) ([]Pair, error) {
	var pairs []Pair
	var kana []string
	for p, err := range rows {
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, Pair{fmt.Sprintf("%s:%d", file, p.Line), p.Left, p.Right, p.Count})
		kana = append(kana, p.Right)
	}
	if script.Spaced(kana) {
		for i, k := range kana {
			pairs[i].Kana = strings.Join(tsv.Symbols(k), "")
		}
	}
	return pairs, nil
}

// sides returns the query and the expected answer in a direction.
func (p *Pair) sides(direction string) (word, reference string) {
	if direction == Directions[Backward] {
		return p.Kana, p.Latin
	}
	return p.Latin, p.Kana
}
