package fst

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
)

// ErrSymbol is returned for a name or a label that a symbol table lacks, or has with another
// label or name.
var ErrSymbol = errors.New("symbols do not match")

// EpsilonName is the name of label 0 in a table made by NewSymbols.
const EpsilonName = "<eps>"

// Symbols is a one-to-one table of names and labels. Its zero value is an empty table. Reading
// is safe for concurrent use, adding is not: fill a table, then share it.
type Symbols struct {
	labels map[string]int32
	dense  []string         // names of 0 … len(dense)−1
	sparse map[int32]string // names of the others
	top    int32            // greatest label
	widest int              // the length of the longest name in characters, except ε and OtherName
	title  string
}

// NewSymbols returns a table where 0 is named EpsilonName and names are labeled 1, 2, 3, … in
// order; a repeated name keeps its first label.
func NewSymbols(names ...string) *Symbols {
	t := new(Symbols)
	t.Add(EpsilonName)
	for _, name := range names {
		t.Add(name)
	}
	return t
}

// Add returns the label of name; a new name gets the label after the greatest one
// in the table, 0 in an empty table. It panics if that would exceed 2³¹−1.
func (t *Symbols) Add(name string) int32 {
	if label, ok := t.labels[name]; ok {
		return label
	}
	label := int32(0)
	if t.Len() > 0 {
		if t.top == math.MaxInt32 {
			panic("fst: no label is left for " + name)
		}
		label = t.top + 1
	}
	t.set(name, label)
	return label
}

// Set assigns a label to name. The error wraps ErrSymbol if the label is negative, if name has
// another label, or if label has another name.
func (t *Symbols) Set(name string, label int32) error {
	if label < 0 {
		return nested.Errorf("fst: %w: label %d of %s, want ≥ 0", ErrSymbol, label, text.Quote(name))
	}
	if old, ok := t.labels[name]; ok {
		if old == label {
			return nil
		}
		return nested.Errorf("fst: %w: %s has label %d, not %d", ErrSymbol, text.Quote(name), old, label)
	}
	if old, ok := t.Name(label); ok {
		return nested.Errorf("fst: %w: label %d is %s, not %s", ErrSymbol, label, text.Quote(old), text.Quote(name))
	}
	t.set(name, label)
	return nil
}

func (t *Symbols) set(name string, label int32) {
	if t.labels == nil {
		t.labels = map[string]int32{}
		t.sparse = map[int32]string{}
	}
	t.labels[name] = label
	t.top = max(t.top, label)
	if label != Epsilon && name != OtherName {
		t.widest = max(t.widest, utf8.RuneCountInString(name))
	}
	switch {
	case int(label) == len(t.dense):
		t.dense = append(t.dense, name)
	case int(label) > len(t.dense):
		t.sparse[label] = name
	}
}

// Title returns the name of the table itself, "" if it has no name.
func (t *Symbols) Title() string { return t.title }

// SetTitle sets the name of the table itself, as stored in binary files. Titles do not affect
// equality of tables.
func (t *Symbols) SetTitle(title string) { t.title = title }

// Find returns the label of name, false if it has none.
func (t *Symbols) Find(name string) (int32, bool) {
	label, ok := t.labels[name]
	return label, ok
}

// Name returns the name of label, false if it has none.
func (t *Symbols) Name(label int32) (string, bool) {
	if label >= 0 && int(label) < len(t.dense) {
		return t.dense[label], true
	}
	name, ok := t.sparse[label]
	return name, ok
}

// Len returns the number of names.
func (t *Symbols) Len() int { return len(t.labels) }

// Names returns the names of all labels except 0, in ascending order of labels. If the labels
// are 1, 2, 3, …, NewSymbols of the names returns an equal table. O(n).
func (t *Symbols) Names() []string {
	var names []string
	for label, name := range t.All() {
		if label != Epsilon {
			names = append(names, name)
		}
	}
	return names
}

// All returns an iterator over the labels and their names, in ascending order of labels.
func (t *Symbols) All() iter.Seq2[int32, string] {
	return func(yield func(int32, string) bool) {
		for label, name := range t.dense {
			if !yield(int32(label), name) {
				return
			}
		}
		for _, label := range slices.Sorted(maps.Keys(t.sparse)) {
			if !yield(label, t.sparse[label]) {
				return
			}
		}
	}
}

// Equal reports whether t and u assign the same names to the same labels. Two nil tables are
// equal. O(1) if t and u are the same table, otherwise O(names).
func (t *Symbols) Equal(u *Symbols) bool {
	switch {
	case t == u:
		return true
	case t == nil || u == nil:
		return false
	}
	return maps.Equal(t.labels, u.labels)
}

// Encode returns the labels of names. The error wraps ErrSymbol if a name has no label.
func (t *Symbols) Encode(names ...string) ([]int32, error) {
	labels := make([]int32, len(names))
	for i, name := range names {
		label, ok := t.labels[name]
		if !ok {
			return nil, nested.Errorf("fst: %w: %s at position %d has no label", ErrSymbol, text.Quote(name), i)
		}
		labels[i] = label
	}
	return labels, nil
}

// RuneSymbols returns a table in which each character is its own name: its label is its code
// point, as in RuneLabels, and 0 is named EpsilonName. set lists the characters; a-z stands for
// all characters from a to z, and a - at either end for itself. RuneSymbols panics if a range
// is empty or set has a NUL or is not UTF-8.
func RuneSymbols(set string) *Symbols {
	if strings.ContainsRune(set, 0) || !utf8.ValidString(set) {
		panic(fmt.Sprintf("fst: RuneSymbols(%q): want characters, and no NUL", set))
	}
	t := new(Symbols)
	t.set(EpsilonName, Epsilon)
	runes := []rune(set)
	for i := 0; i < len(runes); i++ {
		first, last := runes[i], runes[i]
		if i+2 < len(runes) && runes[i+1] == '-' {
			last = runes[i+2]
			i += 2
		}
		if last < first {
			panic(fmt.Sprintf("fst: RuneSymbols(%q): the range from %q to %q is empty", set, first, last))
		}
		for r := first; r <= last; r++ {
			if _, ok := t.Name(r); !ok && utf8.ValidRune(r) {
				t.set(string(r), r)
			}
		}
	}
	return t
}

// check returns an error that wraps ErrSymbol if one of labels, except ε, has no name.
func (t *Symbols) check(labels []int32) error {
	if t == nil {
		return nil
	}
	for i, label := range labels {
		if _, ok := t.Name(label); !ok && label != Epsilon {
			return nested.Errorf("fst: %w: label %d at position %d is not among the machine's", ErrSymbol, label, i)
		}
	}
	return nil
}

// Decode returns the names of labels. The error wraps ErrSymbol if a label has no name.
func (t *Symbols) Decode(labels []int32) ([]string, error) {
	names := make([]string, len(labels))
	for i, label := range labels {
		name, ok := t.Name(label)
		if !ok {
			return nil, nested.Errorf("fst: %w: label %d at position %d has no name", ErrSymbol, label, i)
		}
		names[i] = name
	}
	return names, nil
}

// Describe returns a label for messages: its name in quotes, or its number if it has no name.
// If t is nil, or names characters by their code points, the number follows the character with
// this code point, such as 'd' (100).
func (t *Symbols) Describe(label int32) string {
	if t == nil {
		return named.Label(label)
	}
	if name, ok := t.Name(label); ok {
		return strconv.Quote(name)
	}
	if t.characters() {
		return named.Label(label)
	}
	return strconv.Itoa(int(label))
}

// characters reports whether t names at least one character, and each by its code point.
func (t *Symbols) characters() bool {
	some := false
	for name, label := range t.labels {
		if r, size := utf8.DecodeRuneInString(name); size == len(name) && label != Epsilon {
			if r != label {
				return false
			}
			some = true
		}
	}
	return some
}

// nameOf returns the name of a label, ε for 0, or the number of a label without a name. A name
// that could be misread is in quotes.
func nameOf(t *Symbols, label int32) string {
	if label == Epsilon {
		return "ε"
	}
	if t == nil {
		return strconv.Itoa(int(label))
	}
	text := t.Describe(label)
	name, err := strconv.Unquote(text)
	if err != nil || name == "" || len(name)+2 < len(text) || strings.ContainsAny(name, " :/→ε") {
		return text
	}
	return name
}

// labeled is implemented by machines with symbol tables.
type labeled interface {
	InSymbols() *Symbols
	OutSymbols() *Symbols
}

// names holds the symbol tables of a lazy machine, nil for a tape without names.
type names struct {
	op                    string // the operation that made the machine
	inSymbols, outSymbols *Symbols
}

func (n *names) operation() string { return n.op }

func (n *names) InSymbols() *Symbols { return n.inSymbols }

func (n *names) OutSymbols() *Symbols { return n.outSymbols }

// SymbolsOf returns the names of the labels of m on its two tapes, nil for a tape without names.
func SymbolsOf[W any](m Machine[W]) (in, out *Symbols) {
	nonnil.Check("fst: SymbolsOf", "machine", m)
	return symbolsOf(m)
}

func symbolsOf[W any](m Machine[W]) (in, out *Symbols) {
	if l, ok := m.(labeled); ok {
		return l.InSymbols(), l.OutSymbols()
	}
	return nil, nil
}

// oneTable is the advice for tables that do not fit.
const oneTable = "make both machines with the same table, text or rx.Compiler"

// difference describes the least label with two different names in t and u. If there is none,
// it describes the least label with a name in only one of them.
func (t *Symbols) difference(u *Symbols) string {
	two, one := int32(math.MaxInt32), int32(math.MaxInt32)
	for _, pair := range [2][2]*Symbols{{t, u}, {u, t}} {
		for label, name := range pair[0].All() {
			switch other, ok := pair[1].Name(label); {
			case !ok:
				one = min(one, label)
			case other != name:
				two = min(two, label)
			}
		}
	}
	least := two
	if two == math.MaxInt32 {
		least = one
	}
	called := func(x *Symbols) string {
		if name, ok := x.Name(least); ok {
			return strconv.Quote(name)
		}
		return "nothing"
	}
	return fmt.Sprintf("label %d is %s in one and %s in the other", least, called(t), called(u))
}

// fits reports whether two symbol tables are compatible: one is nil, both are equal, or one
// contains every name of the other, which must have names besides ε. So every label that the
// smaller table names has the same name in the larger one.
func (t *Symbols) fits(u *Symbols) bool {
	if t == nil || u == nil || t.Equal(u) {
		return true
	}
	if t.Len() > u.Len() {
		t, u = u, t
	}
	for name, label := range t.labels {
		if other, ok := u.labels[name]; !ok || other != label {
			return false
		}
	}
	return t.namesLabels()
}

// namesLabels reports whether t names a label besides ε.
func (t *Symbols) namesLabels() bool {
	_, ok := t.Name(Epsilon)
	return t.Len() > 1 || t.Len() == 1 && !ok
}

// commonSymbols returns the table of a and b that is not nil, and false if both are not nil and
// differ.
func commonSymbols(a, b *Symbols) (*Symbols, bool) {
	switch {
	case a == nil:
		return b, true
	case b == nil:
		return a, true
	}
	return a, a.Equal(b)
}
