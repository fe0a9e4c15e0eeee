package rx

import (
	"unicode"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
)

// maxRanges bounds the total number of characters in the ranges of an Alphabet.
const maxRanges = 1 << 20

// Alphabet returns the table of the symbols in definitions, including every symbol of their ranges.
// The label of a character is its code point: fst.RuneLabels converts a text to labels,
// string(labels) converts labels to a text, and a machine made by fst.UTF8, defined under a name,
// converts between bytes and characters. Other symbols have labels above all code points, in the
// order of their first occurrence.
//
// The error is an *Error. It wraps ErrInvalid for an expression that is not valid, and
// semiring.ErrLimit if ranges have more than 2²⁰ characters in total.
func Alphabet(ds []Definition) (*fst.Symbols, error) {
	a := naming{table: fst.NewSymbols(), next: unicode.MaxRune + 1, seen: map[*node]bool{}, ranges: map[Span]bool{}}
	for _, d := range ds {
		err := d.Expr.check()
		if err == nil {
			err = a.visit(d.Expr.node())
		}
		if err != nil {
			return nil, within(d.Name, err)
		}
	}
	return a.table, nil
}

// naming assigns labels to symbols.
type naming struct {
	table  *fst.Symbols
	next   int32 // label of the next symbol that is not a character
	seen   map[*node]bool
	ranges map[Span]bool
	size   int // of ranges
}

// visit adds the symbols of n, which is valid, and of its operands.
func (a *naming) visit(n *node) error {
	if n.op == symbol {
		a.add(n.name)
		return nil
	}
	if a.seen[n] {
		return nil
	}
	a.seen[n] = true
	for _, s := range n.spans {
		if s.single() {
			a.add(s.first)
			continue
		}
		if a.ranges[s] {
			continue
		}
		a.ranges[s] = true
		first, last := runeOf(s.first), runeOf(s.last)
		if a.size += int(last-first) + 1; a.size > maxRanges {
			return n.fault(invalid(semiring.ErrLimit, "ranges of more than %d characters", maxRanges))
		}
		for r := first; r <= last; r++ {
			if r < 0xd800 || r > 0xdfff { // surrogates are not characters
				a.add(string(r))
			}
		}
	}
	for _, e := range n.args {
		if err := a.visit(e.node()); err != nil {
			return err
		}
	}
	return nil
}

// add adds a symbol, unless the table contains it.
func (a *naming) add(name string) {
	if _, ok := a.table.Find(name); ok {
		return
	}
	label := a.next
	if isRune(name) && runeOf(name) != fst.Epsilon {
		label = runeOf(name)
	} else {
		a.next++
	}
	if err := a.table.Set(name, label); err != nil {
		panic(err) // neither is in the table
	}
}
