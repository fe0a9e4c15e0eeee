package script

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Column defines how a column of words is written as symbols. Its zero value uses the
// characters unchanged.
type Column struct {
	Form   Form
	Spaced bool // spaces separate symbols; otherwise each character, including a space, is one
}

// Split returns the symbols of a text, or an empty list for a text without symbols.
func (c Column) Split(text string) []string {
	text = c.Form.Of(text)
	if c.Spaced {
		return strings.FieldsFunc(text, isSpace)
	}
	if text == "" {
		return nil
	}
	return strings.Split(text, "")
}

func isSpace(r rune) bool { return r == ' ' }

// Join returns the text of symbols, the inverse of Split: with single spaces and composed, or
// unchanged under the form AsIs.
func (c Column) Join(symbols []string) string {
	separator := ""
	if c.Spaced {
		separator = " "
	}
	text := strings.Join(symbols, separator)
	if c.Form != AsIs {
		text = norm.NFC.String(text)
	}
	return text
}

// Spaced reports whether spaces separate the symbols of a column, that is, whether most of its
// texts of more than one character have a space within. Otherwise, words with occasional spaces
// are sequences of characters that include the space.
func Spaced(texts []string) bool {
	long, spaced := 0, 0
	for _, t := range texts {
		t = strings.TrimFunc(t, isSpace)
		if utf8.RuneCountInString(t) > 1 {
			long++
		}
		if strings.Contains(t, " ") {
			spaced++
		}
	}
	return 2*spaced > long
}
