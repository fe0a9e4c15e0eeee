// Package named returns the names of the values of enumerations, and of labels, for printing.
package named

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Label returns the name in messages of a label that is in no table: its number, preceded by
// the character if it is the code point of a visible one, as 'd' (100).
func Label(label int32) string {
	if !IsCharacter(label) {
		return strconv.Itoa(int(label))
	}
	return fmt.Sprintf("%q (%d)", label, label)
}

// IsCharacter reports whether a label is the code point of a visible character.
func IsCharacter(label int32) bool { return label > ' ' && unicode.IsGraphic(label) }

// integer is the underlying type of enumerations.
type integer interface {
	~int | ~int32 | ~uint8 | ~uint16
}

// One returns the name of x, where names are the names of 0, 1, …. For other values it returns
// called, the name of the type, and the number, as in Kind(7).
func One[T integer](x T, called string, names ...string) string {
	if x < 0 || int(x) >= len(names) {
		return fmt.Sprintf("%s(%d)", called, x)
	}
	return names[x]
}

// Set returns the names of the bits of x separated by |, where names are the names of the bits
// from the lowest; "0" if x is 0. Bits without names are combined into one element that
// contains called, the name of the type.
func Set[T integer](x T, called string, names ...string) string {
	if x == 0 {
		return "0"
	}
	var of []string
	for i, name := range names {
		if bit := T(1) << i; x&bit != 0 {
			of = append(of, name)
			x &^= bit
		}
	}
	if x != 0 {
		of = append(of, fmt.Sprintf("%s(%#x)", called, int64(x)))
	}
	return strings.Join(of, "|")
}
