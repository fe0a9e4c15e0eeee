package fst

import (
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"example.org/pathsum/internal/nested"
)

// OtherName is the name of the label that stands for all symbols without a name in the table,
// if the table contains this name. Foma and HFST use the same name. See Matching.Other for its
// meaning, ApplyText for texts, and package fst/rx for expressions.
const OtherName = "@_IDENTITY_SYMBOL_@"

// other returns the label of OtherName, 0 if it is not in t.
func (t *Symbols) other() int32 {
	if t == nil {
		return Epsilon
	}
	return t.labels[OtherName]
}

// knowing returns m, unless its table has OtherName and s cannot be split into the other names.
// It then returns a machine that has names and arcs for the characters of s without a name.
func knowing[W any](op string, m Machine[W], s string) (Machine[W], error) {
	table, out := symbolsOf(m)
	other := table.other()
	if other == Epsilon || !table.Equal(out) || checkText(s) != nil || table.spells(s) {
		return m, nil
	}
	wide := table.clone()
	var unknown []int32
	for _, r := range s {
		if _, ok := wide.Find(string(r)); ok {
			continue
		}
		if wide.top == math.MaxInt32 {
			return nil, nested.Errorf("fst: %w: no label is left for %q", ErrSymbol, string(r))
		}
		unknown = append(unknown, wide.Add(string(r)))
	}
	return lazilyOf(op, m, nil, m.Semiring(), func(f *FST[W]) (Machine[W], error) {
		x, err := newMatched(f, Matching{Other: other, Alphabet: unknown})
		if err != nil {
			return nil, err
		}
		x.inSymbols, x.outSymbols = wide, wide
		return x, nil
	}), nil
}

// clone returns a copy of t.
func (t *Symbols) clone() *Symbols {
	u := *t
	u.labels, u.sparse, u.dense = maps.Clone(t.labels), maps.Clone(t.sparse), slices.Clone(t.dense)
	return &u
}

// spells reports whether s can be split into names.
func (t *Symbols) spells(s string) bool {
	at := make([]bool, len(s)+1) // whether the prefix of this length can be split
	at[0] = true
	for i := range s {
		for j, n := i, 0; at[i] && n < t.widest && j < len(s); n++ {
			_, size := utf8.DecodeRuneInString(s[j:])
			j += size
			label, ok := t.labels[s[i:j]]
			at[j] = at[j] || ok && t.isText(label)
		}
	}
	return at[len(s)]
}

// isText reports whether the name of label may occur in texts.
func (t *Symbols) isText(label int32) bool { return label != Epsilon && label != t.other() }
