package script

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Column is how a column of words is written as symbols. Its zero value has the characters as
// they stand.
type Column struct {
	Form   Form
	Spaced bool // symbols stand between spaces; else each character is one, a space too
}

// Split returns the symbols of a text; it is none for a text without symbols.
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

// Join returns the text of symbols: what Split has cut, with single spaces and composed, or as
// it stood under the form AsIs.
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

// Spaced reports whether the symbols of a column stand between spaces: whether most of its
// texts of more than one character have a space within. Words that are phrases here and there
// are then sequences of characters, of which the space is one.
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
