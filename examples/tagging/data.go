package main

import (
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"strings"

	"example.org/pathsum/internal/tsv"
)

// sentencesTSV is the default data: sentences written for this program, with a simple
// set of tags.
//
//go:embed sentences.tsv
var sentencesTSV string

// heldOut is how data without test data of their own are divided: each heldOut-th
// sentence is a test sentence.
const heldOut = 6

// format is that of the data.
const format = "word<TAB>tag[<TAB>…], and an empty line after each sentence"

// sentence is a sequence of words with their tags.
type sentence struct{ words, tags []string }

// loadData reads the training sentences of one file and the test sentences of another;
// without a name, the embedded sentences and held-out ones.
func loadData(trainFile, testFile string) (train, test []sentence, err error) {
	if trainFile == "" {
		train, err = readSentences(tsv.Rows(strings.NewReader(sentencesTSV), "sentences.tsv", 1, columns), "sentences.tsv")
	} else {
		train, err = readSentences(tsv.RowsOf(trainFile, 1, columns), trainFile)
	}
	if err != nil {
		return nil, nil, err
	}
	if testFile == "" {
		train, test = divide(train)
	} else if test, err = readSentences(tsv.RowsOf(testFile, 1, columns), testFile); err != nil {
		return nil, nil, err
	}
	switch {
	case len(train) == 0:
		return nil, nil, errors.New("no training sentences")
	case len(test) == 0:
		return nil, nil, fmt.Errorf("no test sentences: give -test, or at least %d sentences to hold one out", heldOut)
	}
	return train, test, nil
}

// columns is the most that a row may have: those after the second are not used.
const columns = 10

// readSentences reads rows of word and tag, up to an empty row or the end each.
func readSentences(rows iter.Seq2[tsv.Row, error], file string) ([]sentence, error) {
	var all []sentence
	var s sentence
	end := func() {
		if len(s.words) > 0 {
			all = append(all, s)
			s = sentence{}
		}
	}
	for row, err := range rows {
		switch c := row.Columns; {
		case err != nil:
			return nil, err
		case len(c) == 1 && c[0] == "":
			end()
		case len(c) == 1:
			return nil, &tsv.Error{File: file, Line: row.Line, Err: fmt.Errorf("%w, want word and tag", tsv.ErrNoTab)}
		case c[0] == "" || c[1] == "":
			return nil, &tsv.Error{File: file, Line: row.Line, Err: fmt.Errorf("%w: want word and tag", tsv.ErrEmptySide)}
		default:
			s.words, s.tags = append(s.words, c[0]), append(s.tags, c[1])
		}
	}
	end()
	return all, nil
}

// divide returns all sentences but each heldOut-th, and those.
func divide(sentences []sentence) (train, test []sentence) {
	for i, s := range sentences {
		if (i+1)%heldOut == 0 {
			test = append(test, s)
		} else {
			train = append(train, s)
		}
	}
	return train, test
}
