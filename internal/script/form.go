// Package script reads words as sequences of symbols and writes them again.
//
// The idea: what a model learns depends on what it takes for one symbol. One character may be
// written as itself or as several, a base and its marks: é, or e and an accent; a syllable of
// Korean, or its two or three letters. A Form says which. A Column says, besides, whether its
// symbols are characters or stand between spaces. And a word may have a symbol that no model
// has seen: Read finds the closest that it knows, or leaves it out.
package script

import (
	"fmt"
	"iter"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Form is how characters that have parts are written: a normalization form of Unicode.
type Form int

const (
	AsIs       Form = iota // as they stand
	Composed               // NFC: one character wherever there is one
	Decomposed             // NFD: the parts, as far as there are parts
)

var formNames = [...]string{"none", "nfc", "nfd"}

// ParseForm returns the form with a name: none, nfc or nfd.
func ParseForm(name string) (Form, error) {
	for f, n := range formNames {
		if n == name {
			return Form(f), nil
		}
	}
	return 0, fmt.Errorf("%q is no form of characters, want %s", name, strings.Join(formNames[:], ", "))
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

// Forms returns the forms in which some of texts have different numbers of symbols, to choose
// from: NFC and NFD, or NFC alone if it makes no difference. How texts were written is lost in
// both, so that it need not be chosen.
func Forms(c Column, texts iter.Seq[string]) []Form {
	composed, decomposed := Column{Composed, c.Spaced}, Column{Decomposed, c.Spaced}
	for text := range texts {
		if len(composed.Split(text)) != len(decomposed.Split(text)) {
			return []Form{Composed, Decomposed}
		}
	}
	return []Form{Composed}
}
