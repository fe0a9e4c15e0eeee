package msa

import (
	"fmt"

	"example.org/pathsum/internal/named"
)

// Options are rules for reading files whose text is ambiguous. The zero value contains the rules of
// ReadFASTA, ReadMAF, ReadSS and ReadFile.
type Options struct {
	// Dots is the meaning of a dot.
	Dots Dots
	// Repeats is the rule for several rows of one species, in a block of MAF or in FASTA.
	Repeats Repeats
}

// Dots is the meaning of a dot in an alignment.
type Dots int

const (
	// DotsRefused: a dot is an error.
	DotsRefused Dots = iota
	// DotsFirst: a dot is the symbol of the first row, in MAF of the first row of the block.
	DotsFirst
	// DotsMissing: a dot is unknown, like a gap.
	DotsMissing
)

// String returns the name of d.
func (d Dots) String() string {
	return named.One(d, "Dots", "refused", "first row", "missing")
}

// Repeats is a rule for several rows of one species.
type Repeats int

const (
	// RepeatsRefused: several rows are an error.
	RepeatsRefused Repeats = iota
	// BestRow uses the row that agrees most with the other species: the number of equal bases, over
	// columns and rows of other species. In case of ties it uses the first.
	BestRow
	// Consensus uses in each column the most frequent base of the rows, or an ambiguity code in
	// case of ties. If no row has a base, it uses the union of their ambiguity codes.
	Consensus
)

// String returns the name of r.
func (r Repeats) String() string {
	return named.One(r, "Repeats", "refused", "best row", "consensus")
}

// cell returns the cell of a symbol of row number row, where the first row has first; false for an
// invalid symbol.
func (o Options) cell(symbol byte, row int, first Cell) (Cell, bool) {
	if symbol == '.' {
		switch {
		case o.Dots == DotsMissing:
			return Missing, true
		case o.Dots == DotsFirst && row > 0:
			return first, true
		}
	}
	return ParseCell(symbol)
}

// unknown returns the error for a symbol for which cell returns false, at a place such as
// " at byte 3".
func (o Options) unknown(symbol byte, place string) error {
	want := "want bases, ambiguity codes, N, X, -, ~, ? or *"
	if symbol == '.' {
		want = "set Options.Dots to read it as the symbol of the first row, or as unknown"
		if o.Dots == DotsFirst {
			want = "in the first row, which the dots of others stand for"
		}
	}
	return fmt.Errorf("%w: unknown symbol %q%s, %s", ErrFormat, symbol, place, want)
}

// merge returns one row per species, nil for a species without rows, by the rule of o for several
// rows. number is the number of species, and species the species index of each row. It also reports
// which species have several rows.
func (o Options) merge(rows [][]Cell, species []int, number int) (merged [][]Cell, several []bool) {
	merged, several = make([][]Cell, number), make([]bool, number)
	of := make([][]int, number) // rows
	for i, s := range species {
		of[s] = append(of[s], i)
	}
	var all [][NumBases]int // votes of all rows
	for s, own := range of {
		switch {
		case len(own) == 0:
		case len(own) == 1:
			merged[s] = rows[own[0]]
		case o.Repeats == BestRow:
			if all == nil {
				all = votes(rows, nil)
			}
			merged[s], several[s] = best(rows, own, all), true
		default:
			merged[s], several[s] = consensus(rows, own), true
		}
	}
	return merged, several
}

// votes returns, by column, the number of rows among own with each base; nil means all rows.
func votes(rows [][]Cell, own []int) [][NumBases]int {
	n := make([][NumBases]int, len(rows[0]))
	count := func(row []Cell) {
		for j, c := range row {
			if b, ok := c.Observed(); ok {
				n[j][b]++
			}
		}
	}
	if own == nil {
		for _, row := range rows {
			count(row)
		}
	}
	for _, i := range own {
		count(rows[i])
	}
	return n
}

// best returns the row among own that agrees most with the rows of other species; all are the votes
// of all rows.
func best(rows [][]Cell, own []int, all [][NumBases]int) []Cell {
	kin := votes(rows, own)
	row, most := own[0], -1
	for _, i := range own {
		n := 0
		for j, c := range rows[i] {
			if b, ok := c.Observed(); ok {
				n += all[j][b] - kin[j][b]
			}
		}
		if n > most {
			row, most = i, n
		}
	}
	return rows[row]
}

// consensus returns, by column, the most frequent bases of the rows own.
func consensus(rows [][]Cell, own []int) []Cell {
	c := make([]Cell, len(rows[own[0]]))
	for j, n := range votes(rows, own) {
		if most := max(n[0], n[1], n[2], n[3]); most > 0 {
			for b := range n {
				if n[b] == most {
					c[j] |= Base(b)
				}
			}
			continue
		}
		for _, i := range own {
			if x := rows[i][j]; x != Missing {
				c[j] |= x
			}
		}
		if c[j] == 0 {
			c[j] = Missing
		}
	}
	return c
}

// taken describes the rule in remarks.
func (r Repeats) taken() string {
	if r == BestRow {
		return "the best is taken"
	}
	return "their consensus is taken"
}
