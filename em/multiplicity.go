package em

import (
	"errors"
	"math"
	"strconv"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Multiplicity is the number of times that something counts. The zero value means once, so a field
// can be omitted. Times returns any other multiplicity: Times(0) means not at all.
type Multiplicity struct {
	// bits are the bits of the number XOR the bits of 1, so that the zero value means 1 and equal
	// numbers are equal values.
	bits uint64
}

var once = math.Float64bits(1)

// Times returns the multiplicity n. The function that receives it documents which n are valid.
func Times(n float64) Multiplicity { return Multiplicity{math.Float64bits(n) ^ once} }

// Float64 returns the number: 1 for the zero value.
func (m Multiplicity) Float64() float64 { return math.Float64frombits(m.bits ^ once) }

// String returns the number.
func (m Multiplicity) String() string { return strconv.FormatFloat(m.Float64(), 'g', -1, 64) }

// MarshalText returns the number in decimal. UnmarshalText restores it exactly.
func (m Multiplicity) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a number.
func (m *Multiplicity) UnmarshalText(number []byte) error {
	n, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return nested.Errorf("em: multiplicity %s: %w", text.Quote(string(number)), errors.Unwrap(err))
	}
	*m = Times(n)
	return nil
}
