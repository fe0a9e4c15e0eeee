package matrix

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Error is an error at a position in a file. All readers return it.
type Error = text.Error

// ErrFormat reports that a file does not contain a matrix.
var ErrFormat = nested.ErrFormat

// Matrix has a number for each symbol in each frame.
type Matrix struct {
	Frames, Symbols int
	// Numbers has Frames × Symbols numbers, frame by frame.
	Numbers []float64
}

// Row returns the numbers of frame t, in the storage of m.
func (m *Matrix) Row(t int) []float64 { return m.Numbers[t*m.Symbols : (t+1)*m.Symbols] }

// Load reads the matrix in the named file, as Read does. A file whose name ends in .gz is
// decompressed, and the name - is standard input. The error is the system's, or as for Read.
func Load(file string) (*Matrix, error) {
	f, err := text.Open(file)
	if err != nil {
		return nil, err
	}
	m, err := Read(f, text.Name(file))
	return m, cmp.Or(err, f.Close())
}

// Read reads a matrix in any of the three forms, which it recognizes by the first bytes. file is
// the name to use in errors. Errors are as for ReadCSV, ReadJSON and ReadNPY.
func Read(r io.Reader, file string) (*Matrix, error) {
	b := bufio.NewReader(r)
	begin, err := b.Peek(64)
	if err != nil && err != io.EOF {
		return nil, &Error{File: file, Line: 1, Err: err}
	}
	if bytes.HasPrefix(begin, []byte(magic)) {
		return ReadNPY(b, file)
	}
	begin = bytes.TrimLeft(bytes.TrimPrefix(begin, []byte("\ufeff")), " \t\r\n")
	if bytes.HasPrefix(begin, []byte("[")) {
		return ReadJSON(b, file)
	}
	return ReadCSV(b, file)
}

// grow appends a row of text to m, which ends at a position.
func (m *Matrix) grow(c *text.Cursor, at text.Position, row []float64) error {
	if m.Frames > 0 && len(row) != m.Symbols {
		return c.Errorf(at, "row %d has %d numbers, want %d as the rows before", m.Frames+1, len(row), m.Symbols)
	}
	m.Frames, m.Symbols, m.Numbers = m.Frames+1, len(row), append(m.Numbers, row...)
	return nil
}

// maxNumber is the length of the longest number in a text, in bytes.
const maxNumber = 1000

// errEmpty is the error for a matrix without numbers.
var errEmpty = fmt.Errorf("%w: the matrix has no numbers", ErrFormat)

// truncated converts an error of reading a part of a file: the end of the file becomes ErrFormat.
func truncated(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the file ends too early", ErrFormat)
	}
	return err
}
