package fstio

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// ErrFormat is returned, wrapped, for text or data that do not have the expected form. It is the
// ErrFormat of all packages.
var ErrFormat = nested.ErrFormat

// ParseError is the error for text or data that do not have the expected form. It wraps ErrFormat,
// or semiring.ErrLimit for a length or weight beyond a limit.
type ParseError = text.Error

// malformed returns the error that a ParseError wraps.
func malformed(format string, args ...any) error {
	err := nested.Errorf(format, args...)
	if errors.Is(err, semiring.ErrLimit) {
		return err
	}
	return nested.Errorf("%w: %w", ErrFormat, err)
}

// lines reads text line by line. Errors are kept in err.
type lines struct {
	reader  *text.LineReader
	file    string
	number  int
	split   func(columns []string, text string) []string
	columns []string // of the current line
	err     error
}

func newLines(r io.Reader, file string, split func(columns []string, text string) []string) *lines {
	b := bufio.NewReader(r)
	l := &lines{reader: text.NewLineReader(b, file), file: file, split: split}
	head, _ := b.Peek(magicSize) // the reader returns its error again
	if kind := binaryKind(head); kind != "" {
		l.err = &ParseError{File: file, Line: 1, Err: malformed("this is not text but %s", kind)}
	}
	return l
}

// next moves to the next line that is not blank. It returns false at the end and after an error.
func (l *lines) next() bool {
	for l.line() {
		if len(l.columns) > 0 {
			return true
		}
	}
	return false
}

// line moves to the next line; a blank line has no columns. It returns false at the end and after
// an error.
func (l *lines) line() bool {
	if l.err != nil {
		return false
	}
	line, err := l.reader.Next()
	if err == io.EOF {
		return false
	}
	if l.err = cmp.Or(err, line.Err); l.err != nil {
		return false
	}
	l.number = line.Number
	l.columns = l.split(l.columns[:0], line.Text)
	return true
}

// atBlanks appends the columns of a text. Only ASCII blanks separate them: other spaces
// occur in the names of symbols.
func atBlanks(columns []string, line string) []string {
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return columns
		}
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			end = len(line)
		}
		columns = append(columns, line[:end])
		line = line[end:]
	}
}

// atTabs appends the tab-separated columns of a text. An empty text has no columns.
func atTabs(columns []string, line string) []string {
	if line == "" {
		return columns
	}
	for column := range strings.SplitSeq(line, "\t") {
		columns = append(columns, column)
	}
	return columns
}

// label returns the label of a name in a table, or of a number if there is no table.
func (l *lines) label(name string, table *fst.Symbols) int32 {
	if table != nil {
		label, ok := table.Find(name)
		if !ok {
			l.fail("%s is not among the symbols", text.Quote(name))
		}
		return label
	}
	n, err := strconv.ParseInt(name, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt32 {
		l.fail("%s is not a label, want a number from 0 to 2³¹−1", text.Quote(name))
	}
	return int32(n)
}

// fail keeps a ParseError about the current line.
func (l *lines) fail(format string, args ...any) {
	if l.err == nil {
		l.err = &ParseError{File: l.file, Line: l.number, Err: malformed(format, args...)}
	}
}

// readFile calls read with the contents of a file, decompressed if its name ends in .gz, within the
// default limit of Open.
func readFile[T any](name string, read func(r io.Reader) (T, error)) (value T, err error) {
	f, err := Open(name, 0)
	if err != nil {
		return value, err
	}
	defer f.Close()
	return read(f)
}

// weightedLines are lines that have weights.
type weightedLines[W any] struct {
	*lines
	weights weightText[W]
}

func newWeightedLines[W any](l *lines, ring semiring.Semiring[W], kind Weights) (*weightedLines[W], error) {
	weights, err := newWeightText(ring, kind)
	if err != nil {
		return nil, err
	}
	return &weightedLines[W]{l, weights}, nil
}

// weight returns the weight in a column, or One if the line has no such column.
func (l *weightedLines[W]) weight(column int) W {
	if column >= len(l.columns) {
		return l.weights.one
	}
	w, err := l.weights.parse(l.columns[column])
	if err != nil {
		l.fail("%w", err)
	}
	return w
}
