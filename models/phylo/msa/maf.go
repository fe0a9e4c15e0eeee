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
// that of the block before left off, on the same strand of the same source. file is the
// name to use in errors.
//
// Lines other than a and s, such as those about quality or empty regions, are passed
// over. Errors are as those of ReadFASTA; a line may have tsv.MaxLine bytes.
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
	row     map[string]int // by species
	open    bool           // in a block
	first   int            // column of the block
	columns int            // after the block, if it has a row
	inBlock map[int]bool   // rows
	next    place          // where the first row of the block before left off
}

// place is a position in a genome.
type place struct {
	source, strand string
	position       int64
}

func (m *maf) line(text string) error {
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
		m.open, m.first, m.inBlock = true, m.columns, map[int]bool{}
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
		return fmt.Errorf("%w: no name in %q", ErrSpecies, fields[0])
	}
	symbols := fields[5]
	if len(m.inBlock) == 0 {
		if err := m.beginBlock(place{fields[0], fields[3], start}, size, len(symbols)); err != nil {
			return err
		}
	}
	if want := m.columns - m.first; len(symbols) != want {
		return fmt.Errorf("%w: %d symbols of %q, %d in the first row of the block", ErrLength, len(symbols), species, want)
	}
	row, known := m.row[species]
	if !known {
		row = len(m.a.Species)
		m.row[species] = row
		m.a.Species, m.a.Rows = append(m.a.Species, species), append(m.a.Rows, nil)
	}
	if m.inBlock[row] {
		return fmt.Errorf("%w: %q has a row in the block already", ErrSpecies, species)
	}
	m.inBlock[row] = true
	if err := m.pad(row, m.first); err != nil {
		return err
	}
	cells := m.a.Rows[row]
	for i := range len(symbols) {
		c, ok := ParseCell(symbols[i])
		if !ok {
			return fmt.Errorf("%w %q, number %d of %q", ErrSymbol, symbols[i], i+1, species)
		}
		cells = append(cells, c)
	}
	m.a.Rows[row] = cells
	return nil
}

// beginBlock begins the columns of a block, whose first row begins at a place.
func (m *maf) beginBlock(at place, size int64, columns int) error {
	if at != m.next || m.first == 0 {
		m.a.Starts = append(m.a.Starts, m.first)
	}
	at.position += size
	m.next = at
	m.columns = m.first + columns
	return nil
}

// pad makes the row missing up to a column.
func (m *maf) pad(row, column int) error {
	if (len(m.a.Species)+1)*m.columns > MaxCells {
		return fmt.Errorf("%w: more than %d cells", ErrLimit, MaxCells)
	}
	cells := m.a.Rows[row]
	for len(cells) < column {
		cells = append(cells, Missing)
	}
	m.a.Rows[row] = cells
	return nil
}

func (m *maf) endBlock() error {
	if m.open && len(m.inBlock) == 0 {
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
	for row := range m.a.Rows {
		if err := m.pad(row, m.columns); err != nil {
			return err
		}
	}
	return nil
}
