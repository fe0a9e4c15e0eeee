package msa

import "math/bits"

// Cell is a set of bases, one bit each in the order of Bases.
type Cell uint8

// Bases are the letters of the bases 0, 1, 2, 3.
const Bases = "ACGT"

// NumBases is their number.
const NumBases = 4

// Missing is the cell that may be any base: a gap, or unknown.
const Missing Cell = 1<<NumBases - 1

// Base returns the cell where base b, in [0, NumBases), was observed.
func Base(b int) Cell { return 1 << b }

// Observed returns the base of a cell that can only be one, false for others.
func (c Cell) Observed() (base int, ok bool) {
	return bits.TrailingZeros8(uint8(c)), bits.OnesCount8(uint8(c)) == 1
}

// Has reports whether the cell may be base b.
func (c Cell) Has(b int) bool { return c>>b&1 != 0 }

// codes are the symbols of sets of bases (IUPAC, Cornish-Bowden 1985), by set; the last
// one, all four, has others too.
const codes = ".ACMGRSVTWYHKDBN"

// Symbol returns the letter of the cell: N if it is missing. The empty set has none and
// gives '.'.
func (c Cell) Symbol() byte { return codes[c&Missing] }

// cellOf holds the cell of each symbol, 0 for what is none.
var cellOf = func() (t [256]Cell) {
	for c := Cell(1); c <= Missing; c++ {
		t[c.Symbol()], t[c.Symbol()|0x20] = c, c
	}
	t['U'], t['u'] = t['T'], t['T']
	for _, symbol := range "-?*" {
		t[symbol] = Missing
	}
	return t
}()

// ParseCell returns the cell that a symbol stands for: a base or an ambiguity code, in
// upper or lower case, U for T, and N, -, ? or * where it is missing; false for any
// other symbol.
func ParseCell(symbol byte) (Cell, bool) {
	c := cellOf[symbol]
	return c, c != 0
}
