package msa

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
)

// ReadMAF reads the blocks of an alignment in the multiple alignment format of the UCSC genome
// browser, one after the other. The species is the part of the source before the first dot, as in
// hg18.chr6. Species without a row in a block are missing there; columns are in the order of the
// file. A block begins a new run unless its first row continues the first row of the previous block
// on the same strand of the same source. file is the name in errors. The size of a row must be its
// number of symbols other than gaps.
//
// Lines other than a and s, such as lines for quality or empty regions, are ignored. Errors are as
// for ReadFASTA; a line may have 2²⁰ bytes.
func ReadMAF(r io.Reader, file string) (*Alignment, error) { return Options{}.ReadMAF(r, file) }

// ReadMAF is ReadMAF with the rules of o. Runs are determined by the first row of each block,
// whichever of several rows is used.
func (o Options) ReadMAF(r io.Reader, file string) (*Alignment, error) {
	m := maf{Options: o, a: new(Alignment), row: map[string]int{}}
	if err := readLines(r, file, m.line, m.end); err != nil {
		return nil, err
	}
	return m.a, nil
}

// maf is a reader of MAF.
type maf struct {
	Options
	a       *Alignment
	rows    []parts
	row     map[string]int // by species
	open    bool           // in a block
	block   int            // its number, from 1
	cells   [][]Cell       // of the rows of the block
	species []int          // of each of them
	symbols string         // of its first row
	first   int            // column of the block
	columns int            // after the block, if it has a row
	bytes   int            // of the text so far
	next    place          // the end of the first row of the previous block
	format  string         // the name of another format that the file may have
}

// parts contains the cells of a row in the blocks, without the missing cells between them.
type parts struct {
	cells   []Cell
	pieces  []piece
	block   int // the last one with a part
	several int // number of blocks with several rows
}

// piece begins at a column and ends at the beginning of the next piece in cells.
type piece struct{ column, cell int }

// place is a position in a genome.
type place struct {
	source, strand string
	position       int64
}

func (m *maf) line(line string) error {
	if m.bytes == 0 {
		m.format = formatOf(line)
	}
	m.bytes += len(line) + 1
	if strings.TrimSpace(line) == "" {
		return m.endBlock()
	}
	kind := line
	if end := strings.IndexAny(line, " \t"); end >= 0 {
		kind = line[:end]
	}
	switch kind {
	case "a":
		if err := m.endBlock(); err != nil {
			return err
		}
		m.open, m.first = true, m.columns
		m.block++
	case "s":
		if !m.open {
			return fmt.Errorf("%w: a sequence outside of a block", ErrFormat)
		}
		return m.sequence(strings.Fields(line[len(kind):]))
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
		return fmt.Errorf("%w: start %s, size %s, want whole numbers", ErrFormat, text.Quote(fields[1]), text.Quote(fields[2]))
	}
	species, _, _ := strings.Cut(fields[0], ".")
	if species == "" {
		return fmt.Errorf("%w: no name in %s", ErrFormat, text.Quote(fields[0]))
	}
	symbols := fields[5]
	if len(m.cells) == 0 {
		m.beginBlock(place{fields[0], fields[3], start}, size, symbols)
	}
	if want := m.columns - m.first; len(symbols) != want {
		return fmt.Errorf("%w: %d symbols of %s, %d in the first row of the block", ErrFormat, len(symbols), text.Quote(species), want)
	}
	number, known := m.row[species]
	if !known {
		number = len(m.rows)
		species = strings.Clone(species) // does not retain the line
		m.row[species] = number
		m.a.Species, m.rows = append(m.a.Species, species), append(m.rows, parts{})
	}
	row := &m.rows[number]
	if row.block == m.block && m.Repeats == RepeatsRefused {
		return fmt.Errorf("%w: %s has a row in the block already; set Options.Repeats to take one of them or their consensus", ErrFormat, text.Quote(species))
	}
	row.block = m.block
	return m.add(number, species, size, symbols)
}

// add adds a row to the block.
func (m *maf) add(number int, species string, size int64, symbols string) error {
	cells := make([]Cell, len(symbols))
	bases, unknown := int64(0), int64(0) // symbols; dots that may be bases or gaps
	for i := range len(symbols) {
		symbol, first := symbols[i], Missing
		if len(m.cells) > 0 {
			first = m.cells[0][i]
		}
		c, ok := m.cell(symbol, len(m.cells), first)
		if !ok {
			return m.unknown(symbol, fmt.Sprintf(", number %d of %s", i+1, text.Quote(species)))
		}
		cells[i] = c
		if symbol == '.' && m.Dots == DotsFirst {
			symbol = m.symbols[i]
		}
		switch symbol {
		case '-', '~':
		case '.':
			unknown++
		default:
			bases++
		}
	}
	if size < bases || size > bases+unknown {
		return fmt.Errorf("%w: size %d of %s, whose row has %d symbols without gaps", ErrFormat, size, text.Quote(species), bases)
	}
	m.cells, m.species = append(m.cells, cells), append(m.species, number)
	return nil
}

// beginBlock begins the columns of a block, whose first row begins at a place.
func (m *maf) beginBlock(at place, size int64, symbols string) {
	if at != m.next || m.first == 0 {
		m.a.Starts = append(m.a.Starts, m.first)
	}
	at.position += size
	m.next = at
	m.symbols, m.columns = symbols, m.first+len(symbols)
}

// endBlock ends a block, if there is one, and adds its rows.
func (m *maf) endBlock() error {
	if !m.open {
		return nil
	}
	if len(m.cells) == 0 {
		return fmt.Errorf("%w: a block without a sequence", ErrFormat)
	}
	// Indices among the species of the block, as the file may have many species.
	var names []int
	local := map[int]int{}
	for i, number := range m.species {
		k, known := local[number]
		if !known {
			k = len(names)
			local[number], names = k, append(names, number)
		}
		m.species[i] = k
	}
	merged, several := m.merge(m.cells, m.species, len(names))
	for k, number := range names {
		row := &m.rows[number]
		row.pieces = append(row.pieces, piece{m.first, len(row.cells)})
		row.cells = append(row.cells, merged[k]...)
		if several[k] {
			row.several++
		}
	}
	m.open, m.cells, m.species, m.symbols = false, m.cells[:0], m.species[:0], ""
	return nil
}

func (m *maf) end() error {
	if err := m.endBlock(); err != nil {
		return err
	}
	switch {
	case m.columns == 0 && m.format != "" && m.format != "MAF":
		return fmt.Errorf("%w: the file is %s, want MAF", ErrFormat, m.format)
	case m.columns == 0:
		return fmt.Errorf("%w: no block", ErrFormat)
	}
	if err := checkCells(len(m.rows), m.columns, m.bytes); err != nil {
		return err
	}
	for i, row := range m.rows {
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
		if row.several > 0 {
			m.a.Remarks = append(m.a.Remarks, fmt.Sprintf("%s has several rows in %d of %d blocks, of which %s",
				text.Quote(m.a.Species[i]), row.several, m.block, m.Repeats.taken()))
		}
	}
	return nil
}
