package matrix

import (
	"io"
	"strconv"

	"example.org/pathsum/internal/text"
)

// ReadJSON reads a matrix from a list of lists of numbers, a list per frame. Besides JSON it
// accepts the words of Python for other numbers: NaN, Infinity and -Infinity.
//
// The error is an *Error. It wraps ErrFormat for rows of different lengths, a text that is not such
// a list, and a matrix without numbers, or else r's error. The time is proportional to the text.
func ReadJSON(r io.Reader, file string) (*Matrix, error) {
	l := lists{c: text.NewCursor(r, file), m: new(Matrix)}
	err := l.list(func() error {
		at := l.c.At()
		l.row = l.row[:0]
		if err := l.list(l.number); err != nil {
			return err
		}
		if len(l.row) == 0 {
			return l.c.Errorf(at, "a list without numbers")
		}
		return l.m.grow(l.c, at, l.row)
	})
	if err != nil {
		return nil, err
	}
	l.space()
	if at := l.c.At(); l.c.Peek() != text.End {
		return nil, l.c.Errorf(at, "%q after the matrix, want one matrix in a file", string(l.c.Peek()))
	}
	if err := l.c.Err(); err != nil {
		return nil, err
	}
	if l.m.Frames == 0 {
		return nil, l.c.Error(text.Position{Line: 1}, errEmpty)
	}
	return l.m, nil
}

// lists reads nested lists.
type lists struct {
	c   *text.Cursor
	m   *Matrix
	row []float64
}

func (l *lists) space() {
	l.c.Skip(func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' })
}

// list reads a list, each item by a function.
func (l *lists) list(item func() error) error {
	l.space()
	if at := l.c.At(); !l.c.Accept('[') {
		return l.c.Errorf(at, "%s, want a list: a matrix is a list of lists of numbers", l.found())
	}
	if l.space(); l.c.Accept(']') {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if l.space(); l.c.Accept(']') {
			return nil
		}
		if at := l.c.At(); !l.c.Accept(',') {
			return l.c.Errorf(at, "%s, want a comma or the end of the list", l.found())
		}
	}
}

// found names the next character.
func (l *lists) found() string {
	if r := l.c.Peek(); r != text.End {
		return text.Quote(string(r))
	}
	return "the end of the text"
}

// number reads a number of the row.
func (l *lists) number() error {
	l.space()
	at := l.c.At()
	word := l.c.Word(maxNumber, func(r rune) bool {
		return r == ',' || r == ']' || r == '[' || r == ' ' || r == '\t' || r == '\n'
	})
	x, err := strconv.ParseFloat(word, 64)
	switch {
	case word == "":
		return l.c.Errorf(at, "%s, want a number: a matrix is a list of lists of numbers", l.found())
	case err != nil:
		return l.c.Errorf(at, "%q, want a number", word)
	}
	l.row = append(l.row, x)
	return nil
}
