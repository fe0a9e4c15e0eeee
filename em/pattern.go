package em

import (
	"fmt"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
)

// Wildcards of a Pattern.
const (
	AnyLabel  int32 = -1 // one label of the alphabet
	AnyString int32 = -2 // any number of them
)

// Pattern returns the side on which the labels were observed, some of them only as
// wildcards for labels of the alphabet: a damaged inscription, a word of which one
// knows the beginning. A pattern may have one AnyString; with two, some strings would
// match in several ways and count as often.
//
// The error wraps ErrInvalid: a label that is neither > 0 nor a wildcard, an alphabet
// with such a label or one twice, a second AnyString.
func Pattern(p *Params, alphabet []int32, labels ...int32) (Side, error) {
	nonnil.Check("em: Pattern", "parameters", p)
	seen := map[int32]bool{}
	for _, l := range alphabet {
		if l <= fst.Epsilon || seen[l] {
			return Side{}, fmt.Errorf("em: %w: label %d in the alphabet of a pattern, want different labels > 0", ErrInvalid, l)
		}
		seen[l] = true
	}
	b := fst.NewBuilder[expr.W](p.space)
	here := b.AddState()
	b.AddStart(here, expr.One)
	read := func(l, to int32) { b.AddArc(here, fst.Arc[expr.W]{In: l, Out: l, Weight: expr.One, To: to}) }
	strings := 0
	for i, l := range labels {
		if l == AnyString {
			if strings++; strings > 1 {
				return Side{}, fmt.Errorf("em: %w: position %d of a pattern is the second AnyString", ErrInvalid, i)
			}
			for _, a := range alphabet {
				read(a, here)
			}
			continue
		}
		if l != AnyLabel && l <= fst.Epsilon {
			return Side{}, fmt.Errorf("em: %w: label %d at position %d of a pattern", ErrInvalid, l, i)
		}
		next := b.AddState()
		if l == AnyLabel {
			for _, a := range alphabet {
				read(a, next)
			}
		} else {
			read(l, next)
		}
		here = next
	}
	b.SetFinal(here, expr.One)
	f, err := b.Freeze()
	if err != nil {
		return Side{}, fmt.Errorf("em: pattern: %w", err)
	}
	return Set(f), nil
}
