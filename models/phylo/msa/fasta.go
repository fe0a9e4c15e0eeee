package msa

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// ReadFASTA reads an alignment: per species a line >name, the name up to a space, and lines of
// symbols, which may be of any length. All columns are one run. file is the name in errors.
//
// Errors are *Error and wrap ErrFormat (also for invalid UTF-8), semiring.ErrLimit, or the error of
// r.
func ReadFASTA(r io.Reader, file string) (*Alignment, error) { return Options{}.ReadFASTA(r, file) }

// ReadFASTA is ReadFASTA with the rules of o.
func (o Options) ReadFASTA(r io.Reader, file string) (*Alignment, error) {
	f := fasta{Options: o, a: new(Alignment), line: 1, seen: map[string]int{}}
	c := text.NewCursor(r, file)
	if err := f.read(c); err != nil {
		return nil, c.Error(text.Position{Line: f.line}, err)
	}
	return f.a, nil
}

// fasta is a reader of FASTA.
type fasta struct {
	Options
	a       *Alignment
	line    int
	cells   int
	seen    map[string]int // line of each name
	header  []byte
	repeats bool // a species has several rows
}

func (f *fasta) read(c *text.Cursor) error {
	column := 0 // of the line
	header := false
	for {
		line, ended, err := c.Piece()
		if err == io.EOF && header {
			err = cmp.Or(f.begin(), err)
		}
		if err == io.EOF {
			return f.end()
		}
		if err != nil {
			return err
		}
		switch {
		case column == 0 && bytes.HasPrefix(line, []byte(">")):
			header, f.header = true, append(f.header[:0], line...)
		case header:
			f.header = append(f.header, line...)
		default:
			if err := f.symbols(line, column); err != nil {
				return err
			}
		}
		if header && len(f.header) > maxName {
			return fmt.Errorf("%w: a name of more than %d bytes", ErrFormat, maxName)
		}
		column += len(line)
		if ended && header {
			if err := f.begin(); err != nil {
				return err
			}
			header = false
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
	case at > 0 && f.Repeats == RepeatsRefused:
		return fmt.Errorf("%w: %s has a row already, at line %d; set Options.Repeats to take one of them or their consensus", ErrFormat, text.Quote(string(name)), at)
	case at > 0:
		f.repeats = true
	default:
		f.seen[string(name)] = f.line
	}
	f.a.Species = append(f.a.Species, string(name))
	f.a.Rows = append(f.a.Rows, nil)
	return nil
}

// symbols appends to the row; the part begins after column bytes of its line.
func (f *fasta) symbols(part []byte, column int) error {
	n := len(f.a.Rows)
	row := []Cell(nil)
	if n > 0 {
		row = f.a.Rows[n-1]
		if n > 1 && row == nil {
			row = make([]Cell, 0, len(f.a.Rows[0]))
		}
	}
	for i, symbol := range part {
		if symbol == ' ' || symbol == '\t' {
			continue
		}
		if n == 0 {
			if other := formatOf(string(part)); other != "" {
				return fmt.Errorf("%w: the file is %s, want FASTA", ErrFormat, other)
			}
			return fmt.Errorf("%w: %q before the first line with > and a name", ErrFormat, symbol)
		}
		c := cellOf[symbol]
		if c == 0 {
			first := Missing
			if n > 1 && len(row) < len(f.a.Rows[0]) {
				first = f.a.Rows[0][len(row)]
			}
			var ok bool
			if c, ok = f.cell(symbol, n-1, first); !ok {
				return f.unknown(symbol, fmt.Sprintf(" at byte %d", column+i+1))
			}
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
		return fmt.Errorf("%w: more than the %d columns of %s in the row of %s", ErrFormat, len(f.a.Rows[0]), text.Quote(f.a.Species[0]), text.Quote(f.a.Species[n-1]))
	}
	return nil
}

// complete checks the last row.
func (f *fasta) complete() error {
	if n := len(f.a.Rows); n > 0 && len(f.a.Rows[n-1]) < len(f.a.Rows[0]) {
		return fmt.Errorf("%w: %d columns of %s, %d of %s", ErrFormat, len(f.a.Rows[n-1]), text.Quote(f.a.Species[n-1]), len(f.a.Rows[0]), text.Quote(f.a.Species[0]))
	}
	return nil
}

func (f *fasta) end() error {
	switch {
	case len(f.a.Rows) == 0:
		return fmt.Errorf("%w: no sequences", ErrFormat)
	case f.a.Columns() == 0:
		return fmt.Errorf("%w: no columns of %s", ErrFormat, text.Quote(f.a.Species[0]))
	}
	if err := f.complete(); err != nil || !f.repeats {
		return err
	}
	number := map[string]int{} // of each name
	var names []string
	var species []int
	for _, name := range f.a.Species {
		i, known := number[name]
		if !known {
			i = len(names)
			number[name], names = i, append(names, name)
		}
		species = append(species, i)
	}
	rows, several := f.merge(f.a.Rows, species, len(names))
	f.a.Species, f.a.Rows = names, rows
	for i, name := range names {
		if several[i] {
			f.a.Remarks = append(f.a.Remarks, fmt.Sprintf("%s has several rows, of which %s", text.Quote(name), f.Repeats.taken()))
		}
	}
	return nil
}
