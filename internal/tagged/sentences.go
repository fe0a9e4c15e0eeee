package tagged

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

// HeldOut is how data without test data of their own are divided: each HeldOut-th
// sentence is a test sentence.
const HeldOut = 6

// Format is the format of the data.
const Format = "word<TAB>tag, and an empty line after each sentence"

// Column declares -column, the column of the tags in files that have more than two; 0
// without the flag. It comes after the flags -data and -test.
func Column(p *program.Program) *int {
	column := p.Flags.Int("column", 0, "take the tags of -data and -test from column `N`, from 2; without it they have two columns")
	p.Check(func() error {
		if *column != 0 && (*column < 2 || *column > columns) {
			return fmt.Errorf("-column %d: want 2 to %d", *column, columns)
		}
		return nil
	})
	p.Needs("column", "data test")
	return column
}

// Sentence is a sequence of words with their tags.
type Sentence struct{ Words, Tags []string }

// Load returns the training sentences of one file and the test sentences of another, with
// the tags of a column; without a name of the first, those that are built in, and of the
// second, held-out ones.
func Load(trainFile, testFile string, column int, builtIn func() ([]Sentence, error)) (train, test []Sentence, err error) {
	if train, err = LoadAll(trainFile, column, builtIn); err != nil {
		return nil, nil, err
	}
	if testFile != "" {
		test, err = ReadFile(testFile, column)
		return train, test, err
	}
	if train, test = program.HoldOut(train, HeldOut); len(test) == 0 {
		return nil, nil, fmt.Errorf("no test sentences: give -test, or at least %d sentences to hold one out", HeldOut)
	}
	return train, test, nil
}

// LoadAll returns the training sentences alone, with none held out.
func LoadAll(trainFile string, column int, builtIn func() ([]Sentence, error)) (train []Sentence, err error) {
	if trainFile != "" {
		train, err = readFile(trainFile, column)
	} else {
		train, err = builtIn()
	}
	if err == nil && len(train) == 0 {
		err = errors.New("no training sentences")
	}
	return train, err
}

// ReadFile returns the test sentences of a file.
func ReadFile(name string, column int) ([]Sentence, error) {
	test, err := readFile(name, column)
	if err == nil && len(test) == 0 {
		err = fmt.Errorf("%s: no test sentences", name)
	}
	return test, err
}

// columns is the most that a row may have.
const columns = 10

func readFile(name string, column int) ([]Sentence, error) {
	return read(tsv.RowsOf(name, 1, columns), text.Name(name), column)
}

// Read returns the sentences of r, with the tags of a column; 0 is the second of two.
// Errors mention the name.
func Read(r io.Reader, name string, column int) ([]Sentence, error) {
	return read(tsv.Rows(r, name, 1, columns), name, column)
}

// read returns sentences of rows of word and tag. A row of blanks ends a sentence, as an empty
// one does: spreadsheets write an empty row with its tabs.
func read(rows iter.Seq2[tsv.Row, error], file string, column int) ([]Sentence, error) {
	var all []Sentence
	var s Sentence
	end := func() {
		if len(s.Words) > 0 {
			all = append(all, s)
			s = Sentence{}
		}
	}
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(strings.Join(row.Columns, "")) == "" {
			end()
			continue
		}
		tag, err := tagOf(row.Columns, column)
		if err != nil {
			return nil, &text.Error{File: file, Line: row.Line, Err: err}
		}
		s.Words, s.Tags = append(s.Words, row.Columns[0]), append(s.Tags, tag)
	}
	end()
	return all, nil
}

// tagOf returns the tag of a row.
func tagOf(row []string, column int) (string, error) {
	switch n := len(row); {
	case n == 1:
		return "", fmt.Errorf("%w, want word and tag", tsv.ErrNoTab)
	case column == 0 && n > 2:
		return "", fmt.Errorf("%w: %d, want word and tag; -column 2 to %d takes the tags from one of them", tsv.ErrColumns, n, n)
	case column > n:
		return "", fmt.Errorf("%w: %d, want at least %d, the column of the tags", tsv.ErrColumns, n, column)
	}
	tag := row[max(column, 2)-1]
	if row[0] == "" || tag == "" {
		return "", fmt.Errorf("%w: want word and tag", tsv.ErrEmptySide)
	}
	return tag, nil
}
