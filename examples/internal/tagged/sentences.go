package tagged

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/internal/tsv"
)

// HeldOut is how data without test data of their own are divided: each HeldOut-th
// sentence is a test sentence.
const HeldOut = 6

// Format is the format of the data.
const Format = "word<TAB>tag[<TAB>…], and an empty line after each sentence"

// Sentence is a sequence of words with their tags.
type Sentence struct{ Words, Tags []string }

// Load returns the training sentences of one file and the test sentences of another;
// without a name of the first, those that are built in, and of the second, held-out ones.
func Load(trainFile, testFile string, builtIn func() ([]Sentence, error)) (train, test []Sentence, err error) {
	if train, err = LoadAll(trainFile, builtIn); err != nil {
		return nil, nil, err
	}
	if testFile != "" {
		test, err = ReadFile(testFile)
		return train, test, err
	}
	if train, test = program.HoldOut(train, HeldOut); len(test) == 0 {
		return nil, nil, fmt.Errorf("no test sentences: give -test, or at least %d sentences to hold one out", HeldOut)
	}
	return train, test, nil
}

// LoadAll returns the training sentences alone, with none held out.
func LoadAll(trainFile string, builtIn func() ([]Sentence, error)) (train []Sentence, err error) {
	if trainFile != "" {
		train, err = readFile(trainFile)
	} else {
		train, err = builtIn()
	}
	if err == nil && len(train) == 0 {
		err = errors.New("no training sentences")
	}
	return train, err
}

// ReadFile returns the test sentences of a file.
func ReadFile(name string) ([]Sentence, error) {
	test, err := readFile(name)
	if err == nil && len(test) == 0 {
		err = fmt.Errorf("%s: no test sentences", name)
	}
	return test, err
}

// columns is the most that a row may have: those after the second are not used.
const columns = 10

func readFile(name string) ([]Sentence, error) {
	return read(tsv.RowsOf(name, 1, columns), tsv.Name(name))
}

// Read reads sentences; errors mention the name.
func Read(r io.Reader, name string) ([]Sentence, error) {
	return read(tsv.Rows(r, name, 1, columns), name)
}

// read reads rows of word and tag, up to an empty row or the end each.
func read(rows iter.Seq2[tsv.Row, error], file string) ([]Sentence, error) {
	var all []Sentence
	var s Sentence
	end := func() {
		if len(s.Words) > 0 {
			all = append(all, s)
			s = Sentence{}
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
			s.Words, s.Tags = append(s.Words, c[0]), append(s.Tags, c[1])
		}
	}
	end()
	return all, nil
}
