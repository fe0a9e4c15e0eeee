// Package named gives the values of enumerations, and labels, their names, for those who print
// them.
package named

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Label returns what a message calls a label that no table names: its number, and the character
// before it if it is the code point of one that can be seen, as 'd' (100).
func Label(label int32) string {
	if !IsCharacter(label) {
		return strconv.Itoa(int(label))
	}
	return fmt.Sprintf("%q (%d)", label, label)
}

// IsCharacter reports whether a label is the code point of a character that can be seen.
func IsCharacter(label int32) bool { return label > ' ' && unicode.IsGraphic(label) }

// integer is what enumerations are made of.
type integer interface {
	~int | ~int32 | ~uint8 | ~uint16
}

// One returns the name of x, where names are those of 0, 1, …; of other values it is what the
// type is called and the number, as Kind(7).
func One[T integer](x T, called string, names ...string) string {
	if x < 0 || int(x) >= len(names) {
		return fmt.Sprintf("%s(%d)", called, x)
	}
	return names[x]
}

// Set returns the names of the bits of x with | between them, where names are those of the bits
// from the lowest; "0" without any. Bits beyond are one more, with what the type is called.
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
