package rx

import (
	"slices"
	"unicode/utf8"

	"example.org/pathsum/fst"
)

// Span is a part of a class of symbols: one symbol, or the symbols of an alphabet
// that are single characters from one to another, ends included.
type Span struct{ first, last string }

// One returns the symbol of this name.
func One(name string) Span { return Span{name, name} }

// Range returns the characters from first to last, by their code points.
func Range(first, last rune) Span { return Span{string(first), string(last)} }

// OneOf returns one of the symbols of spans: [abx-z].
func OneOf(spans ...Span) Expr { return class(oneOf, spans) }

// NoneOf returns one of the symbols of the alphabet that are not in spans:
// [^abx-z].
func NoneOf(spans ...Span) Expr { return class(noneOf, spans) }

// Any returns one of the symbols of the alphabet: a dot.
func Any() Expr { return NoneOf() }

func class(o op, spans []Span) Expr {
	return newExpr(node{op: o, spans: slices.Clone(spans)})
}

// single reports whether s is one symbol.
func (s Span) single() bool { return s.first == s.last }

// has reports whether the range s has the symbol name.
func (s Span) has(name string) bool {
	return isRune(name) && runeOf(s.first) <= runeOf(name) && runeOf(name) <= runeOf(s.last)
}

func isRune(name string) bool {
	r, n := utf8.DecodeRuneInString(name)
	return n == len(name) && (r != utf8.RuneError || n > 1)
}

func runeOf(name string) rune {
	r, _ := utf8.DecodeRuneInString(name)
	return r
}

// labelOf returns the label of the symbol name.
func labelOf(alphabet *fst.Symbols, name string) (int32, error) {
	label, ok := alphabet.Find(name)
	switch {
	case !ok:
		return 0, invalid(fst.ErrSymbol, "%q is not in the alphabet", name)
	case label == fst.Epsilon:
		return 0, invalid(fst.ErrSymbol, "%q is ε, which is written ()", name)
	}
	return label, nil
}

// members returns the labels of a class, ascending.
func (n *node) members(alphabet *fst.Symbols) ([]int32, error) {
	listed := map[int32]bool{}
	var ranges []Span
	for _, s := range n.spans {
		if !s.single() {
			ranges = append(ranges, s)
			continue
		}
		label, err := labelOf(alphabet, s.first)
		if err != nil {
			return nil, err
		}
		listed[label] = true
	}
	var labels []int32
	for label, name := range alphabet.All() {
		in := listed[label]
		for _, s := range ranges {
			in = in || s.has(name)
		}
		if label != fst.Epsilon && in == (n.op == oneOf) {
			labels = append(labels, label)
		}
	}
	if len(labels) == 0 {
		return nil, invalid(ErrInvalid, "no symbol of the alphabet is in %s", Expr{n})
	}
	return labels, nil
}
