// Package script reads words as sequences of symbols and writes them again.
//
// The idea: the definition of a symbol affects what a model learns. A character may be written
// as one code point or as several, a base and its marks: é, or e and an accent; a syllable of
// Korean, or its two or three letters. A Form selects one of these. A Column also defines
// whether its symbols are characters or separated by spaces. If a word has a symbol that is
// unknown to a model, Read finds the closest known one, or leaves it out.
package script

import (
	"fmt"
	"iter"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Form is a form of writing characters that have parts: a normalization form of Unicode.
type Form int

const (
	AsIs       Form = iota // unchanged
	Composed               // NFC: a single code point if there is one
	Decomposed             // NFD: the parts, as far as they exist
)

var formNames = [...]string{"none", "nfc", "nfd"}

// ParseForm returns the form with a name: none, nfc or nfd.
func ParseForm(name string) (Form, error) {
	for f, n := range formNames {
		if n == name {
			return Form(f), nil
		}
	}
	return 0, fmt.Errorf("%q is not a form of characters, want %s", name, strings.Join(formNames[:], ", "))
}

// String returns the name of f.
func (f Form) String() string {
	if f < 0 || int(f) >= len(formNames) {
		return fmt.Sprintf("Form(%d)", int(f))
	}
	return formNames[f]
}

// Of returns text in the form. O(n).
func (f Form) Of(text string) string {
	switch f {
	case Composed:
		return norm.NFC.String(text)
	case Decomposed:
		return norm.NFD.String(text)
	}
	return text
}

// Forms returns the candidate forms in which some of texts have different numbers of symbols:
// NFC and NFD, or NFC alone if there is no difference. Both discard the original form, so it is
// not a candidate.
func Forms(c Column, texts iter.Seq[string]) []Form {
	composed, decomposed := Column{Composed, c.Spaced}, Column{Decomposed, c.Spaced}
	for text := range texts {
		if len(composed.Split(text)) != len(decomposed.Split(text)) {
			return []Form{Composed, Decomposed}
		}
	}
	return []Form{Composed}
}
