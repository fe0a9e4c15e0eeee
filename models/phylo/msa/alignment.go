package msa

import (
	"math"
	"math/bits"
	"slices"

	"example.org/pathsum/internal/nested"
)

// Alignment is a multiple alignment of n species and m columns, numbered from 0.
type Alignment struct {
	// Species are the names of the rows, all distinct.
	Species []string
	// Rows are the n rows of m cells.
	Rows [][]Cell
	// Starts are the first columns of the runs, in ascending order from 0. Every other column is
	// the right neighbour, in the genome, of its predecessor. Nil: all columns are one run.
	Starts []int
	// Weights contains the number of occurrences of each column; nil: all 1. A column with a weight
	// other than 1 has no neighbours: it is a run of its own.
	Weights []float64
	// Remarks list content that was dropped or changed when the alignment was read.
	Remarks []string
}

// ErrInvalid is wrapped by the error for an invalid alignment.
var ErrInvalid = nested.ErrInvalid

// Columns returns the number of columns.
func (a *Alignment) Columns() int {
	if len(a.Rows) == 0 {
		return 0
	}
	return len(a.Rows[0])
}

// Row returns the index of a species, −1 if it is not in the alignment.
func (a *Alignment) Row(species string) int { return slices.Index(a.Species, species) }

// Weight returns the number of occurrences of column i.
func (a *Alignment) Weight(i int) float64 {
	if a.Weights == nil {
		return 1
	}
	return a.Weights[i]
}

// Run returns the first column of run r and the first after it.
func (a *Alignment) Run(r int) (lo, hi int) {
	if a.Starts == nil {
		return 0, a.Columns()
	}
	if r+1 < len(a.Starts) {
		return a.Starts[r], a.Starts[r+1]
	}
	return a.Starts[r], a.Columns()
}

// Runs returns the number of runs.
func (a *Alignment) Runs() int {
	if a.Starts == nil {
		return 1
	}
	return len(a.Starts)
}

// Clone returns a deep copy of a.
func (a *Alignment) Clone() *Alignment {
	c := &Alignment{Species: slices.Clone(a.Species), Starts: slices.Clone(a.Starts), Weights: slices.Clone(a.Weights), Remarks: slices.Clone(a.Remarks)}
	for _, row := range a.Rows {
		c.Rows = append(c.Rows, slices.Clone(row))
	}
	return c
}

// Check returns an error that wraps ErrInvalid and names the species or column if the alignment
// violates the requirements on its fields.
func (a *Alignment) Check() error {
	bad := func(format string, args ...any) error {
		return nested.Errorf("msa: %w: "+format, append([]any{ErrInvalid}, args...)...)
	}
	if len(a.Rows) != len(a.Species) || a.Columns() == 0 {
		return bad("%d rows of %d columns for %d species", len(a.Rows), a.Columns(), len(a.Species))
	}
	seen := map[string]bool{}
	for i, name := range a.Species {
		if seen[name] {
			return bad("species %q is there twice", name)
		}
		seen[name] = true
		if n := len(a.Rows[i]); n != a.Columns() {
			return bad("%d columns of species %q, %d of %q", n, name, a.Columns(), a.Species[0])
		}
		for j, c := range a.Rows[i] {
			if c == 0 || c > Missing {
				return bad("column %d of species %q is %#x, no set of bases", j, name, uint8(c))
			}
		}
	}
	for r, s := range a.Starts {
		if r == 0 && s != 0 || r > 0 && s <= a.Starts[r-1] || s >= a.Columns() {
			return bad("run %d starts at column %d of %d, want ascending columns from 0", r, s, a.Columns())
		}
	}
	if a.Weights == nil {
		return nil
	}
	if len(a.Weights) != a.Columns() {
		return bad("%d weights for %d columns", len(a.Weights), a.Columns())
	}
	for r := range a.Runs() {
		lo, hi := a.Run(r)
		for j := lo; j < hi; j++ {
			if w := a.Weights[j]; !(w >= 0) || math.IsInf(w, 1) {
				return bad("column %d has weight %g, want a finite number ≥ 0", j, w)
			} else if w != 1 && hi > lo+1 {
				return bad("column %d has weight %g and neighbours", j, w)
			}
		}
	}
	return nil
}

// Frequencies returns the relative frequencies of the bases among all observed cells, or equal ones
// if no cell is observed. Columns are weighted.
func (a *Alignment) Frequencies() (f [NumBases]float64) {
	sum := 0.0
	for _, row := range a.Rows {
		for j, c := range row {
			if b, ok := c.Observed(); ok {
				f[b] += a.Weight(j)
				sum += a.Weight(j)
			}
		}
	}
	for b := range f {
		if f[b] /= sum; sum == 0 {
			f[b] = 1 / float64(NumBases)
		}
	}
	return f
}

// Cell is a set of bases, one bit each in the order of Bases.
type Cell uint8

// Bases are the letters of the bases 0, 1, 2, 3.
const Bases = "ACGT"

// NumBases is the number of bases.
const NumBases = 4

// Missing is the cell that allows any base: a gap, or unknown.
const Missing Cell = 1<<NumBases - 1

// Base returns the cell where base b, in [0, NumBases), was observed.
func Base(b int) Cell { return 1 << b }

// Observed returns the base of a cell with a single possible base, false for other cells.
func (c Cell) Observed() (base int, ok bool) {
	return bits.TrailingZeros8(uint8(c)), bits.OnesCount8(uint8(c)) == 1
}

// Has reports whether the cell may be base b.
func (c Cell) Has(b int) bool { return c>>b&1 != 0 }

// codes are the symbols of sets of bases (IUPAC, Cornish-Bowden 1985), by set; all four, the last
// one, also has other symbols.
const codes = ".ACMGRSVTWYHKDBN"

// Symbol returns the letter of the cell: N if it is missing, '.' for the empty set.
func (c Cell) Symbol() byte { return codes[c&Missing] }

// cellOf contains the cell of each symbol, 0 for invalid symbols.
var cellOf = func() (t [256]Cell) {
	for c := Cell(1); c <= Missing; c++ {
		t[c.Symbol()], t[c.Symbol()|0x20] = c, c
	}
	t['U'], t['u'] = t['T'], t['T']
	for _, symbol := range "-?*~Xx" {
		t[symbol] = Missing
	}
	return t
}()

// ParseCell returns the cell that a symbol stands for: a base or an ambiguity code, in upper or
// lower case, U for T, and N, X, -, ~, ? or * for a missing cell. It returns false for any other
// symbol.
func ParseCell(symbol byte) (Cell, bool) {
	c := cellOf[symbol]
	return c, c != 0
}
