package transliteration

import (
	"maps"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/script"
)

// Column is one side of the pairs, and converts its texts to sequences of symbols.
type Column struct {
	Form  script.Form
	Morae bool // katakana are converted to consonants and vowels: see Spell
	// Symbols has the symbols, by their labels.
	Symbols *fst.Symbols

	characters, known map[string]bool // the characters and the Symbols of texts passed to Learn
}

// NewColumn returns a column without symbols.
func NewColumn(form script.Form, morae bool) *Column {
	return &Column{
		Form: form, Morae: morae, Symbols: fst.NewSymbols(),
		characters: map[string]bool{}, known: map[string]bool{},
	}
}

// symbols returns the characters of a text, and its symbols.
func (c *Column) symbols(text string) (characters, symbols []string) {
	characters = script.Column{Form: c.Form}.Split(text)
	if c.Morae {
		return characters, Spell(characters)
	}
	return characters, characters
}

// Add returns the labels of a text, and adds labels for new symbols.
func (c *Column) Add(text string) []int32 {
	_, symbols := c.symbols(text)
	labels := make([]int32, len(symbols))
	for i, s := range symbols {
		labels[i] = c.Symbols.Add(s)
	}
	return labels
}

// Learn is like Add, for a training text, whose symbols become known.
func (c *Column) Learn(text string) []int32 {
	characters, symbols := c.symbols(text)
	for _, s := range characters {
		c.characters[s] = true
	}
	for _, s := range symbols {
		c.known[s] = true
	}
	return c.Add(text)
}

// Labels returns the labels of a text, and the replacements of unknown symbols.
func (c *Column) Labels(text string) ([]int32, script.Unknown) {
	characters, _ := c.symbols(text)
	symbols, unknown := script.Read(characters, func(s string) bool { return c.characters[s] })
	if c.Morae {
		// A small kana may be known only after some other kana.
		var more script.Unknown
		symbols, more = script.Read(Spell(symbols), func(s string) bool { return c.known[s] })
		unknown = append(unknown, more...)
	}
	var labels []int32
	for _, s := range symbols {
		if l, ok := c.Symbols.Find(s); ok { // fails only for a damaged file
			labels = append(labels, l)
		}
	}
	return labels, unknown
}

// Text returns the text of labels of the column. It returns false if the labels spell no text,
// or a text with another spelling.
func (c *Column) Text(labels []int32) (string, bool) {
	names, err := c.Symbols.Decode(labels)
	if err != nil {
		return "", false
	}
	if !c.Morae {
		return script.Column{Form: c.Form}.Join(names), true
	}
	text, ok := Read(names)
	return text, ok && strings.Join(Spell(strings.Split(text, "")), "\n") == strings.Join(names, "\n")
}

// SavedColumn is a column in the format of a file.
type SavedColumn struct {
	Form              script.Form
	Morae             bool
	Symbols           []string // of the labels 1, 2, …
	Characters, Known []string
}

// Saved returns the column for a file.
func (c *Column) Saved() SavedColumn {
	s := SavedColumn{Form: c.Form, Morae: c.Morae, Symbols: c.Symbols.Names()}
	s.Characters, s.Known = slices.Sorted(maps.Keys(c.characters)), slices.Sorted(maps.Keys(c.known))
	return s
}

// Column returns the saved column.
func (s SavedColumn) Column() *Column {
	c := NewColumn(s.Form, s.Morae)
	c.Symbols = fst.NewSymbols(s.Symbols...)
	for _, name := range s.Characters {
		c.characters[name] = true
	}
	for _, name := range s.Known {
		if _, ok := c.Symbols.Find(name); ok {
			c.known[name] = true
		}
	}
	return c
}
