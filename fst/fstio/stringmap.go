package fstio

import (
	"io"
	"unicode/utf8"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Tokens is the kind of unit that a label of a string stands for.
type Tokens int

const (
	// Characters have their code points as labels, or the labels of their names in a table.
	Characters Tokens = iota
	// Bytes have their values as labels.
	Bytes
	// Words, separated by blanks, are names of labels, or numbers.
	Words
)

// String returns the name of t.
func (t Tokens) String() string {
	return named.One(t, "Tokens", "characters", "bytes", "words")
}

// Strings describe the strings of a text; nil stands for the zero value, Characters.
type Strings struct {
	Tokens Tokens
	// Weights is the meaning of a weight: Costs, −ln p, by default.
	Weights Weights
	// In and Out are the names of labels. Nil means code points for Characters, and numbers for
	// Words. They must be nil for Bytes.
	In, Out *fst.Symbols
}

// ReadStringMap reads a lexicon, a list of rewritings or the like, as a machine. Every line
// contains a string, a pair of strings, or a pair and its weight in ring, separated by tabs. A
// single string is paired with itself. It is the form of Pynini's string_file; the machine is the
// result of fst.StringMap. Weights are as for ReadText.
//
// The error is a *ParseError for lines of another form, and for a character or name that is not in
// the tables of o. It is also a *ParseError for a NUL, a line of more than 1 MiB, invalid UTF-8
// except for Bytes, and an invalid weight as for ReadText. The error wraps fst.ErrInvalid for Bytes
// with names, and semiring.ErrLimit for more than 2³¹−1 states. Time is O(length · log lines);
// memory is proportional to the text.
func ReadStringMap[W any](r io.Reader, ring semiring.Semiring[W], o *Strings) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadStringMap", "reader", r, "ring", ring)
	return readStringMap(r, "", ring, o)
}

// ReadStringMapFile is ReadStringMap for a named file, which is decompressed if its name ends in
// .gz.
func ReadStringMapFile[W any](name string, ring semiring.Semiring[W], o *Strings) (*fst.FST[W], error) {
	nonnil.Check("fstio: ReadStringMapFile", "ring", ring)
	return readFile(name, func(r io.Reader) (*fst.FST[W], error) { return readStringMap(r, name, ring, o) })
}

func readStringMap[W any](r io.Reader, file string, ring semiring.Semiring[W], o *Strings) (*fst.FST[W], error) {
	if o == nil {
		o = new(Strings)
	}
	labels, ok := map[Tokens]func(*lines, string, *fst.Symbols) []int32{
		Characters: (*lines).characters, Bytes: (*lines).bytes, Words: (*lines).words,
	}[o.Tokens]
	if !ok || o.Tokens == Bytes && (o.In != nil || o.Out != nil) {
		return nil, nested.Errorf("fstio: string map: %w: tokens of kind %d, want Characters, Words, or Bytes without names", fst.ErrInvalid, o.Tokens)
	}
	l, err := newWeightedLines(newLines(r, file, atTabs), ring, o.Weights)
	if err != nil {
		return nil, err
	}
	l.reader.Bytes = o.Tokens == Bytes
	var paths []fst.Path[W]
	for l.next() {
		if len(l.columns) > 3 {
			l.fail("%d columns, want a string, two, or two and a weight", len(l.columns))
			break
		}
		in, out := l.columns[0], l.columns[min(1, len(l.columns)-1)]
		paths = append(paths, fst.Path[W]{In: labels(l.lines, in, o.In), Out: labels(l.lines, out, o.Out), Weight: l.weight(2)})
	}
	if l.err != nil {
		return nil, l.err
	}
	f, err := fst.Expand(fst.StringMap(ring, paths), nil)
	if err != nil {
		return nil, err
	}
	return f.WithSymbols(o.In, o.Out), nil
}

func (l *lines) characters(s string, table *fst.Symbols) []int32 {
	if table == nil {
		return fst.RuneLabels(s)
	}
	labels := make([]int32, 0, utf8.RuneCountInString(s))
	for _, r := range s {
		labels = append(labels, l.label(string(r), table))
	}
	return labels
}

func (l *lines) bytes(text string, _ *fst.Symbols) []int32 {
	return fst.ByteLabels(text)
}

func (l *lines) words(text string, table *fst.Symbols) []int32 {
	words := atBlanks(nil, text)
	labels := make([]int32, len(words))
	for i, word := range words {
		labels[i] = l.label(word, table)
	}
	return labels
}
