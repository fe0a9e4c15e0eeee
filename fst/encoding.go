package fst

import (
	"fmt"
	"unicode/utf8"

	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// A text becomes a string of labels in one of three ways: its characters (runes) or
// bytes are labels themselves, or names in a table of Symbols. A NUL is no label in the
// first two, for 0 is ε.

// RuneLabels returns the code points of the characters of text. Invalid UTF-8 is the
// character U+FFFD, as in a range over text.
func RuneLabels(text string) []int32 { return []rune(text) }

// ByteLabels returns the bytes of text.
func ByteLabels(text string) []int32 {
	labels := make([]int32, len(text))
	for i := range len(text) {
		labels[i] = int32(text[i])
	}
	return labels
}

// UTF8 returns the transducer from bytes to characters: it maps the bytes of every
// string of the given characters to their code points. To go back and forth between
// bytes and characters, compose with it or with its Invert. The error wraps
// ErrInvalid for a NUL or what is no character. It is deterministic in its bytes.
func UTF8[W any](ring semiring.Semiring[W], characters []rune) (*FST[W], error) {
	nonnil.Check("fst: UTF8", "ring", ring)
	b := NewBuilder(ring)
	root := b.AddState()
	b.AddStart(root, ring.One())
	b.SetFinal(root, ring.One())
	type edge struct {
		from int32
		by   byte
	}
	next := map[edge]int32{}
	for _, r := range characters {
		if r <= 0 || !utf8.ValidRune(r) {
			return nil, fmt.Errorf("fst: %w: %U is not a character with a label", ErrInvalid, r)
		}
		bytes := utf8.AppendRune(nil, r)
		s, last := root, len(bytes)-1
		for _, by := range bytes[:last] {
			e := edge{s, by}
			to, ok := next[e]
			if !ok {
				to = b.AddState()
				next[e] = to
				b.AddArc(s, Arc[W]{In: int32(by), To: to, Weight: ring.One()})
			}
			s = to
		}
		e := edge{s, bytes[last]}
		if _, ok := next[e]; !ok { // not a second time
			next[e] = root
			b.AddArc(s, Arc[W]{In: int32(bytes[last]), Out: r, To: root, Weight: ring.One()})
		}
	}
	return b.Freeze()
}
