package semiring

import (
	"fmt"
	"strconv"

	"example.org/pathsum/internal/text"
)

// Boolean is the ring of truth values with or and and: is there a path?
type Boolean struct{}

// Zero returns false.
func (Boolean) Zero() bool { return false }

// One returns true.
func (Boolean) One() bool { return true }

// Plus returns a or b.
func (Boolean) Plus(a, b bool) bool { return a || b }

// Times returns a and b.
func (Boolean) Times(a, b bool) bool { return a && b }

// IsZero reports whether a is false.
func (Boolean) IsZero(a bool) bool { return !a }

// Star returns true.
func (Boolean) Star(bool) (bool, bool) { return true, true }

// LDiv returns b; false if a is.
func (Boolean) LDiv(a, b bool) (bool, bool) { return a && b, a }

// RDiv returns LDiv(b, a).
func (Boolean) RDiv(a, b bool) (bool, bool) { return Boolean{}.LDiv(b, a) }

// Compare puts true first.
func (Boolean) Compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Dist returns 0 for equal arguments, otherwise 1.
func (Boolean) Dist(a, b bool) float64 {
	if a == b {
		return 0
	}
	return 1
}

// Laws returns Commutative | Selective | Bounded | Cancellative.
func (Boolean) Laws() Laws { return Commutative | Selective | Bounded | Cancellative }

// AppendKey appends one byte.
func (Boolean) AppendKey(dst []byte, w bool, _ float64) []byte {
	if w {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// Parse reads what strconv.ParseBool reads.
func (Boolean) Parse(s string) (bool, error) {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return false, fmt.Errorf("semiring: %s is neither true nor false", text.Quote(s))
	}
	return b, nil
}

// Format returns "true" or "false".
func (Boolean) Format(w bool) string { return strconv.FormatBool(w) }
