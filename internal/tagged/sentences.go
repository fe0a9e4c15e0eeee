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

// HeldOut defines the test data if there are no separate ones: each HeldOut-th sentence is a
// test sentence.
const HeldOut = 6

// Format is the format of the data.
const Format = "word<TAB>tag, and an empty line after each sentence"

// Sentence is a sequence of words with their tags.
type Sentence struct{ Words, Tags []string }

// Files are the files named by a program's flags.
type Files struct {
	data, test *string
	column     *int
}

// Declare declares -data, -test and -column, which is the column of the tags in files that have
// more than two.
func Declare(p *program.Program) *Files {
	f := &Files{
		data:   p.Data(Format),
		test:   p.Test("Lines: as for -data. Without -test, every sixth sentence is held out."),
		column: p.Flags.Int("column", 0, "take the tags of -data and -test from column `N`, from 2; without it they have two columns"),
	}
	p.Check(func() error {
		if n := *f.column; n != 0 && (n < 2 || n > columns) {
			return fmt.Errorf("-column %d: want 2 to %d", n, columns)
		}
		return nil
	})
	p.Flags.Lookup("column").DefValue = "" // for -h
	p.About(program.AboutData, "column")
	p.Needs("column", "data test")
	return f
}

// Load returns the training sentences, which are built in without -data, and the test
// sentences. Without -test every HeldOut-th training sentence is held out for testing. With
// -load there are no training sentences, and with -apply no test sentences. Sentences with a
// bad line are skipped: see program.Skipping.
func (f *Files) Load(r *program.Run, builtIn func() ([]Sentence, error)) (train, test []Sentence, err error) {
	if !r.Loads() {
		if *f.data == "" {
			train, err = builtIn()
		} else {
			train, err = f.read(r, *f.data)
		}
		if err == nil && len(train) == 0 {
			err = errors.New("no training sentences")
		}
		if err != nil {
			return nil, nil, err
		}
	}
	switch {
	case r.Applies():
		return train, nil, nil
	case *f.test != "":
		if test, err = f.read(r, *f.test); err == nil && len(test) == 0 {
			err = fmt.Errorf("%s: no test sentences", *f.test)
		}
		return train, test, err
	}
	if train, test = program.HoldOut(train, HeldOut); len(test) == 0 {
		return nil, nil, fmt.Errorf("no test sentences: give -test, or at least %d sentences to hold one out", HeldOut)
	}
	return train, test, nil
}

// read returns the sentences of a file.
func (f *Files) read(r *program.Run, name string) ([]Sentence, error) {
	s := r.Skipping()
	all, err := read(tsv.RowsOf(name, 1, columns), text.Name(name), *f.column, s.Skips)
	if err == nil {
		err = s.End()
	}
	return all, err
}

// columns is the maximum number of columns of a row.
const columns = 10

// Read returns the sentences of r, with the tags of a column; 0 is the second of two.
// Errors mention the name.
func Read(r io.Reader, name string, column int) ([]Sentence, error) {
	return read(tsv.Rows(r, name, 1, columns), name, column, func(error) bool { return false })
}

// read returns sentences of rows of word and tag. A row of blanks ends a sentence, like an
// empty one: spreadsheets write an empty row with its tabs. A sentence with a row for which
// skips returns true is left out.
func read(rows iter.Seq2[tsv.Row, error], file string, column int, skips func(error) bool) ([]Sentence, error) {
	var all []Sentence
	var s Sentence
	skipped := false // s
	end := func() {
		if len(s.Words) > 0 && !skipped {
			all = append(all, s)
		}
		s, skipped = Sentence{}, false
	}
	for row, err := range rows {
		blank := err == nil && strings.TrimSpace(strings.Join(row.Columns, "")) == ""
		var tag string
		if err == nil && !blank {
			if tag, err = tagOf(row.Columns, column); err != nil {
				err = &text.Error{File: file, Line: row.Line, Err: err}
			}
		}
		switch {
		case skips(err):
			skipped = true
		case err != nil:
			return nil, err
		case blank:
			end()
		default:
			s.Words, s.Tags = append(s.Words, row.Columns[0]), append(s.Tags, tag)
		}
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
