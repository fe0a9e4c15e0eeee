package script

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Columns are a column of words and one of their targets.
type Columns struct {
	Word, Target Column
	Swapped      bool // the target is the first column of a file
}

// Spacings name the columns that are cut at spaces, by their order in a file; the first name leaves
// that open.
var Spacings = []string{"auto", "none", "first", "second", "both"}

// Cut returns the columns, of which those are cut at spaces that one of Spacings names.
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

// Readings returns the ways to read words and targets to choose from, the most likely first: with
// columns that are cut as spaced, one of Spacings, says, and with a form of characters, all that
// tell the texts apart if there is no form of that name. If spaced leaves it open, columns are
// cut where most texts have a space. But the spaces of the first column of a file may also stand
// between the words of phrases: if what stands between them mostly has several characters, the
// column is read whole, too.
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

// phrases reports whether most of what stands between spaces has several characters, as words have;
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

// ColumnOf returns the column of which names are symbols: cut at spaces if one of them has several
// characters, but for <unk>; composed, but as words stand if one is a mark, a part of a character.
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
