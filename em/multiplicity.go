package em

import (
	"fmt"
	"math"
	"strconv"
)

// Multiplicity is how often something counts. Its zero value is once, so that it can be
// left out, and Times says any other number: Times(0) is not at all.
type Multiplicity struct {
	// bits are those of the number that differ from those of 1, so that equal
	// numbers are equal values.
	bits uint64
}

var once = math.Float64bits(1)

// Times returns the multiplicity n. What it is given to says which numbers are legal.
func Times(n float64) Multiplicity { return Multiplicity{math.Float64bits(n) ^ once} }

// Float64 returns the number: 1 for the zero value.
func (m Multiplicity) Float64() float64 { return math.Float64frombits(m.bits ^ once) }

// String returns the number.
func (m Multiplicity) String() string { return strconv.FormatFloat(m.Float64(), 'g', -1, 64) }

// MarshalText returns the number in decimal, from which UnmarshalText has it back to the
// last bit.
func (m Multiplicity) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a number.
func (m *Multiplicity) UnmarshalText(text []byte) error {
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("em: multiplicity %q: %w", text, err)
	}
	*m = Times(n)
	return nil
}

// CheckWeights returns what is wrong with the weights of n examples, nil for nothing: each
// is a finite number ≥ 0, and one is not 0. What has weight 0 counts nothing, so that
// examples all of which have it are as good as none. The error wraps ErrInvalid and names
// the example.
func CheckWeights(n int, example func(i int) Skipped) error {
	seen := false
	for i := range n {
		x := example(i)
		if err := x.checkWeight(); err != nil {
			return err
		}
		seen = seen || x.Weight > 0
	}
	switch {
	case n <= 0:
		return fmt.Errorf("em: %w: no examples", ErrInvalid)
	case !seen:
		return fmt.Errorf("em: %w: no examples of a weight > 0", ErrInvalid)
	}
	return nil
}

func (s Skipped) checkWeight() error {
	if !(s.Weight >= 0) || math.IsInf(s.Weight, 1) {
		return fmt.Errorf("em: %w: %v has weight %g, want a finite number ≥ 0", ErrInvalid, s, s.Weight)
	}
	return nil
}
