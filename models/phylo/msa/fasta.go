package msa

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"example.org/pathsum/semiring"
)

// ReadFASTA reads an alignment: per species a line >name, the name up to a space, and
// lines of symbols, which may be of any length. All columns are one run. file is the name
// to use in errors.
//
// Errors are *Error and wrap ErrFormat, semiring.ErrLimit, or r's error.
func ReadFASTA(r io.Reader, file string) (*Alignment, error) {
	f := fasta{a: new(Alignment), line: 1, seen: map[string]int{}}
	if err := f.read(bufio.NewReaderSize(r, 1<<16)); err != nil {
		return nil, &Error{File: file, Line: f.line, Err: err}
	}
	return f.a, nil
}

// fasta is a reader at work.
type fasta struct {
	a      *Alignment
	line   int
	cells  int
	seen   map[string]int // line of each name
	header []byte
}

func (f *fasta) read(b *bufio.Reader) error {
	if head, err := b.Peek(3); err == nil && string(head) == "\ufeff" {
		b.Discard(len(head))
	}
	column := 0 // of the line
	header := false
	for {
		part, err := b.ReadSlice('\n')
		whole := err == nil
		if err != nil && err != bufio.ErrBufferFull && err != io.EOF {
			return err
		}
		text := bytes.TrimRight(part, "\r\n")
		switch {
		case column == 0 && bytes.HasPrefix(text, []byte(">")):
			header, f.header = true, append(f.header[:0], text...)
		case header:
			if f.header = append(f.header, text...); len(f.header) > maxName {
				return fmt.Errorf("%w: a name of more than %d bytes", ErrFormat, maxName)
			}
		default:
			if err := f.symbols(text, column); err != nil {
				return err
			}
		}
		column += len(text)
		ended := whole || err == io.EOF
		if ended && header {
			if err := f.begin(); err != nil {
				return err
			}
			header = false
		}
		if err == io.EOF {
			return f.end()
		}
		if ended {
			f.line++
			column = 0
		}
	}
}

// maxName is the length of the longest line with a name.
const maxName = 1 << 16

// begin begins a row.
func (f *fasta) begin() error {
	if err := f.complete(); err != nil {
		return err
	}
	name, _, _ := bytes.Cut(bytes.TrimSpace(f.header[1:]), []byte(" "))
	name, _, _ = bytes.Cut(name, []byte("\t"))
	switch at := f.seen[string(name)]; {
	case len(name) == 0:
		return fmt.Errorf("%w: no name", ErrFormat)
	case at > 0:
		return fmt.Errorf("%w: %q has a row already, at line %d", ErrFormat, name, at)
	}
	f.seen[string(name)] = f.line
	f.a.Species = append(f.a.Species, string(name))
	f.a.Rows = append(f.a.Rows, nil)
	return nil
}

// symbols appends to the row; the text begins after column bytes of its line.
func (f *fasta) symbols(text []byte, column int) error {
	n := len(f.a.Rows)
	row := []Cell(nil)
	if n > 0 {
		row = f.a.Rows[n-1]
		if n > 1 && row == nil {
			row = make([]Cell, 0, len(f.a.Rows[0]))
		}
	}
	for i, symbol := range text {
		if symbol == ' ' || symbol == '\t' {
			continue
		}
		c, ok := ParseCell(symbol)
		switch {
		case n == 0:
			return fmt.Errorf("%w: %q before the first line with > and a name", ErrFormat, symbol)
		case !ok:
			return fmt.Errorf("%w: unknown symbol %q at byte %d, want bases, ambiguity codes, N, -, ? or *", ErrFormat, symbol, column+i+1)
		}
		row = append(row, c)
	}
	if n == 0 {
		return nil
	}
	if f.cells += len(row) - len(f.a.Rows[n-1]); f.cells > maxCells {
		return fmt.Errorf("%w: more than %d cells", semiring.ErrLimit, maxCells)
	}
	f.a.Rows[n-1] = row
	if n > 1 && len(row) > len(f.a.Rows[0]) {
		return fmt.Errorf("%w: more than the %d columns of %q in the row of %q", ErrFormat, len(f.a.Rows[0]), f.a.Species[0], f.a.Species[n-1])
	}
	return nil
}

// complete checks the last row.
func (f *fasta) complete() error {
	if n := len(f.a.Rows); n > 0 && len(f.a.Rows[n-1]) < len(f.a.Rows[0]) {
		return fmt.Errorf("%w: %d columns of %q, %d of %q", ErrFormat, len(f.a.Rows[n-1]), f.a.Species[n-1], len(f.a.Rows[0]), f.a.Species[0])
	}
	return nil
}

func (f *fasta) end() error {
	switch {
	case len(f.a.Rows) == 0:
		return fmt.Errorf("%w: no sequences", ErrFormat)
	case f.a.Columns() == 0:
		return fmt.Errorf("%w: no columns of %q", ErrFormat, f.a.Species[0])
	}
	return f.complete()
}
