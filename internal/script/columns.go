package script

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Columns are a column of words and a column of their targets.
type Columns struct {
	Word, Target Column
	Swapped      bool // the target is the first column of a file
}

// Spacings name the columns that are cut at spaces, by their order in a file; the first name
// means automatic.
var Spacings = []string{"auto", "none", "first", "second", "both"}

// Cut returns the columns with those cut at spaces that spaced, one of Spacings, names.
func (c Columns) Cut(spaced string) Columns {
	c.Word.Spaced, c.Target.Spaced = spaced == "first" || spaced == "both", spaced == "second" || spaced == "both"
	if c.Swapped {
		c.Word.Spaced, c.Target.Spaced = c.Target.Spaced, c.Word.Spaced
	}
	return c
}

// Spaced returns the name of the columns that are cut at spaces.
func (c Columns) Spaced() string {
	return Spacings[1:][slices.IndexFunc(Spacings[1:], func(name string) bool { return c.Cut(name) == c })]
}

// Readings returns the candidate ways to read words and targets, the most likely first. They
// differ in the columns that are cut, as spaced, one of Spacings, requires, and in the form of
// characters: if form is not the name of one, all forms that differ for the texts. If spaced is
// automatic, columns are cut if most texts have a space. However, the spaces of the first
// column of a file may also separate the words of phrases: if the pieces between spaces mostly
// have several characters, the column is also read whole.
func Readings(words, targets []string, swapped bool, spaced, form string) (all []Columns) {
	c := Columns{Swapped: swapped}
	c.Word.Spaced, c.Target.Spaced = Spaced(words), Spaced(targets)
	first := words
	if swapped {
		first = targets
	}
	cuts := []Columns{c}
	if spaced != Spacings[0] {
		cuts[0] = c.Cut(spaced)
	} else if whole := map[string]string{"both": "second", "first": "none"}[c.Spaced()]; whole != "" && phrases(first) {
		cuts = append(cuts, c.Cut(whole))
	}
	for _, c := range cuts {
		forms := Forms(c.Word, slices.Values(words))
		if len(forms) == 1 {
			forms = Forms(c.Target, slices.Values(targets))
		}
		if f, err := ParseForm(form); err == nil {
			forms = []Form{f}
		}
		for _, f := range forms {
			c.Word.Form, c.Target.Form = f, f
			all = append(all, c)
		}
	}
	return all
}

// phrases reports whether most pieces between spaces have several characters, as words do;
// symbols may have several, too.
func phrases(texts []string) bool {
	pieces, several := 0, 0
	for _, t := range texts {
		for _, piece := range strings.FieldsFunc(t, isSpace) {
			pieces++
			if utf8.RuneCountInString(Composed.Of(piece)) > 1 {
				several++
			}
		}
	}
	return 2*several > pieces
}

// ColumnOf returns the column whose symbols are names. It is cut at spaces if a name other than
// <unk> has several characters. It is composed, or unchanged if a name is a mark, a part of a
// character.
func ColumnOf(names []string) Column {
	c := Column{Form: Composed}
	for _, name := range names {
		c.Spaced = c.Spaced || utf8.RuneCountInString(name) > 1 && name != "<unk>"
		if first, _ := utf8.DecodeRuneInString(name); unicode.Is(unicode.Mn, first) {
			c.Form = AsIs
		}
	}
	return c
}
