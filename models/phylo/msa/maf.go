package msa

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ReadMAF reads the blocks of an alignment in the multiple alignment format of the UCSC
// genome browser, one after the other. Of a source such as hg18.chr6 the species is what
// stands before the first dot. A species that a block lacks is missing there; columns
// are in the order of the file. A block begins a run unless its first row goes on where
// the block before left off, on the same strand of the same source. file is the
// name to use in errors.
//
// Lines other than a and s, such as those about quality or empty regions, are passed
// over. Errors are as for ReadFASTA; a line may have 2²⁰ bytes.
func ReadMAF(r io.Reader, file string) (*Alignment, error) {
	m := maf{a: new(Alignment), row: map[string]int{}}
	if err := readLines(r, file, m.line, m.end); err != nil {
		return nil, err
	}
	return m.a, nil
}

// maf is a reader at work.
type maf struct {
	a       *Alignment
	rows    []parts
	row     map[string]int // by species
	open    bool           // in a block
	block   int            // its number, from 1
	some    bool           // it has a row
	first   int            // column of the block
	columns int            // after the block, if it has a row
	bytes   int            // of the text so far
	next    place          // where the first row of the block before left off
}

// parts is what blocks say of a row, without the cells that are missing between them.
type parts struct {
	cells  []Cell
	pieces []piece
	block  int // the last one with a part
}

// piece is one that begins at a column; it ends where the next begins in cells.
type piece struct{ column, cell int }

// place is a position in a genome.
type place struct {
	source, strand string
	position       int64
}

func (m *maf) line(text string) error {
	m.bytes += len(text) + 1
	if strings.TrimSpace(text) == "" {
		return m.endBlock()
	}
	kind := text
	if end := strings.IndexAny(text, " \t"); end >= 0 {
		kind = text[:end]
	}
	switch kind {
	case "a":
		if err := m.endBlock(); err != nil {
			return err
		}
		m.open, m.some, m.first = true, false, m.columns
		m.block++
	case "s":
		if !m.open {
			return fmt.Errorf("%w: a sequence outside of a block", ErrFormat)
		}
		return m.sequence(strings.Fields(text[len(kind):]))
	}
	return nil
}

// sequence reads "source start size strand length symbols".
func (m *maf) sequence(fields []string) error {
	if len(fields) != 6 {
		return fmt.Errorf("%w: %d fields of a sequence, want s, source, start, size, strand, length and symbols", ErrFormat, len(fields)+1)
	}
	start, err := strconv.ParseInt(fields[1], 10, 62)
	size, err2 := strconv.ParseInt(fields[2], 10, 62)
	if err != nil || err2 != nil || start < 0 || size < 0 {
		return fmt.Errorf("%w: start %q, size %q, want whole numbers", ErrFormat, fields[1], fields[2])
	}
	species, _, _ := strings.Cut(fields[0], ".")
	if species == "" {
		return fmt.Errorf("%w: no name in %q", ErrFormat, fields[0])
	}
	symbols := fields[5]
	if !m.some {
		m.beginBlock(place{fields[0], fields[3], start}, size, len(symbols))
	}
	if want := m.columns - m.first; len(symbols) != want {
		return fmt.Errorf("%w: %d symbols of %q, %d in the first row of the block", ErrFormat, len(symbols), species, want)
	}
	number, known := m.row[species]
	if !known {
		number = len(m.rows)
		species = strings.Clone(species) // the line need not be kept
		m.row[species] = number
		m.a.Species, m.rows = append(m.a.Species, species), append(m.rows, parts{})
	}
	row := &m.rows[number]
	if row.block == m.block {
		return fmt.Errorf("%w: %q has a row in the block already", ErrFormat, species)
	}
	row.block = m.block
	row.pieces = append(row.pieces, piece{m.first, len(row.cells)})
	for i := range len(symbols) {
		c, ok := ParseCell(symbols[i])
		if !ok {
			return fmt.Errorf("%w: unknown symbol %q, number %d of %q", ErrFormat, symbols[i], i+1, species)
		}
		row.cells = append(row.cells, c)
	}
	return nil
}

// beginBlock begins the columns of a block, whose first row begins at a place.
func (m *maf) beginBlock(at place, size int64, columns int) {
	if at != m.next || m.first == 0 {
		m.a.Starts = append(m.a.Starts, m.first)
	}
	at.position += size
	m.next, m.some = at, true
	m.columns = m.first + columns
}

func (m *maf) endBlock() error {
	if m.open && !m.some {
		return fmt.Errorf("%w: a block without a sequence", ErrFormat)
	}
	m.open = false
	return nil
}

func (m *maf) end() error {
	if err := m.endBlock(); err != nil {
		return err
	}
	if m.columns == 0 {
		return fmt.Errorf("%w: no block", ErrFormat)
	}
	if err := checkCells(len(m.rows), m.columns, m.bytes); err != nil {
		return err
	}
	for _, row := range m.rows {
		cells := make([]Cell, m.columns)
		for i := range cells {
			cells[i] = Missing
		}
		for i, p := range row.pieces {
			end := len(row.cells)
			if i+1 < len(row.pieces) {
				end = row.pieces[i+1].cell
			}
			copy(cells[p.column:], row.cells[p.cell:end])
		}
		m.a.Rows = append(m.a.Rows, cells)
	}
	return nil
}
