package semiring

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Word is a weight of LeftString and RightString: a finite string of labels, or
// the infinite one, which is the zero value and 0̄. Words are comparable by ==.
type Word struct {
	labels string // four bytes each
	finite bool
}

// NewWord returns the word of the labels, the empty word (1̄) if there are none.
func NewWord(labels ...int32) Word {
	b := make([]byte, 0, 4*len(labels))
	for _, l := range labels {
		b = binary.BigEndian.AppendUint32(b, uint32(l))
	}
	return Word{string(b), true}
}

// Finite reports whether w is a string of labels, that is, not 0̄.
func (w Word) Finite() bool { return w.finite }

// Len returns the number of labels, 0 for the infinite word.
func (w Word) Len() int { return len(w.labels) / 4 }

// Labels returns the labels, none for the infinite word.
func (w Word) Labels() []int32 {
	labels := make([]int32, w.Len())
	for i := range labels {
		l := w.labels[4*i:]
		labels[i] = int32(uint32(l[0])<<24 | uint32(l[1])<<16 | uint32(l[2])<<8 | uint32(l[3]))
	}
	return labels
}

// Reverse returns the labels of w backwards.
func (w Word) Reverse() Word {
	if !w.finite {
		return w
	}
	labels := w.Labels()
	slices.Reverse(labels)
	return NewWord(labels...)
}

// String returns the labels with underscores between them, "Epsilon" for the empty
// word and "Infinity" for the infinite one.
func (w Word) String() string {
	switch {
	case !w.finite:
		return "Infinity"
	case w.labels == "":
		return "Epsilon"
	}
	var text []byte
	for i, l := range w.Labels() {
		if i > 0 {
			text = append(text, '_')
		}
		text = strconv.AppendInt(text, int64(l), 10)
	}
	return string(text)
}

// parseWord reads what Word.String writes.
func parseWord(s string) (Word, error) {
	switch s {
	case "Infinity":
		return Word{}, nil
	case "Epsilon":
		return NewWord(), nil
	}
	var labels []int32
	for part := range strings.SplitSeq(s, "_") {
		l, err := strconv.ParseInt(part, 10, 32)
		if err != nil {
			return Word{}, nested.Errorf("semiring: %s is not a word: %w", text.Quote(s), err)
		}
		labels = append(labels, int32(l))
	}
	return NewWord(labels...), nil
}

// LeftString is the left string semiring: ⊕ is the longest common prefix, ⊗ is
// concatenation, 0̄ the infinite word and 1̄ the empty one. Determinization of
// transducers computes in it how much of the output is certain (Mohri,
// Finite-state transducers in language and speech processing, 1997).
//
// ⊗ distributes over ⊕ from the left only: a and ab have the prefix a in common,
// but before bc they make abc and abbc, with the prefix ab and not abc. So
// graph.Backward and graph.PathSum have answers in it, and graph.Forward has not.
// Reading paths backwards turns it into RightString: Word.Reverse takes ⊕ to ⊕, and
// ⊗ to ⊗ with its sides exchanged. It is not a Reverser, which would stay within
// the ring.
//
// Division strips a prefix (LDiv) or a suffix (RDiv); a sum divides each of its
// summands from the left. Dist is the number of labels of both words beyond
// their sum.
type LeftString struct{ words }

// RightString is the right string semiring, with the longest common suffix for ⊕:
// LeftString read backwards. ⊗ distributes over ⊕ from the right only, so it has
// graph.Forward. A sum divides each of its summands from the right.
type RightString struct{ words }

// Plus returns the longest common prefix.
func (LeftString) Plus(a, b Word) Word {
	if !a.finite || !b.finite {
		return either(a, b)
	}
	n, most := 0, min(len(a.labels), len(b.labels))
	for n < most && a.labels[n] == b.labels[n] {
		n++
	}
	return Word{a.labels[:n&^3], true}
}

// Plus returns the longest common suffix.
func (RightString) Plus(a, b Word) Word {
	if !a.finite || !b.finite {
		return either(a, b)
	}
	n, most := 0, min(len(a.labels), len(b.labels))
	for n < most && a.labels[len(a.labels)-1-n] == b.labels[len(b.labels)-1-n] {
		n++
	}
	return Word{a.labels[len(a.labels)-n&^3:], true}
}

// either returns the one of a and b that is finite, if any.
func either(a, b Word) Word {
	if a.finite {
		return a
	}
	return b
}

// Distributes returns LeftSide.
func (LeftString) Distributes() Side { return LeftSide }

// Distributes returns RightSide.
func (RightString) Distributes() Side { return RightSide }

// Dist returns the number of labels of a and b beyond their common prefix.
func (r LeftString) Dist(a, b Word) float64 { return beyond(a, b, r.Plus(a, b)) }

// Dist returns the number of labels of a and b before their common suffix.
func (r RightString) Dist(a, b Word) float64 { return beyond(a, b, r.Plus(a, b)) }

func beyond(a, b, common Word) float64 {
	if a.finite != b.finite {
		return math.Inf(1)
	}
	return float64(a.Len() + b.Len() - 2*common.Len())
}

// words is what both string semirings have in common: the monoid.
type words struct{}

// Zero returns the infinite word.
func (words) Zero() Word { return Word{} }

// One returns the empty word.
func (words) One() Word { return Word{finite: true} }

// Times returns the concatenation.
func (words) Times(a, b Word) Word {
	if !a.finite || !b.finite {
		return Word{}
	}
	return Word{a.labels + b.labels, true}
}

// IsZero reports whether a is the infinite word.
func (words) IsZero(a Word) bool { return !a.finite }

// Star returns the empty word: it is a term of the sum.
func (words) Star(Word) (Word, bool) { return NewWord(), true }

// LDiv returns b without its prefix a; false if a is no prefix of b or infinite.
func (words) LDiv(a, b Word) (Word, bool) {
	if !a.finite || !b.finite {
		return Word{}, a.finite
	}
	rest, ok := strings.CutPrefix(b.labels, a.labels)
	return Word{rest, true}, ok
}

// RDiv returns a without its suffix b; false if b is no suffix of a or infinite.
func (words) RDiv(a, b Word) (Word, bool) {
	if !a.finite || !b.finite {
		return Word{}, b.finite
	}
	rest, ok := strings.CutSuffix(a.labels, b.labels)
	return Word{rest, true}, ok
}

// Laws returns Bounded | Cancellative.
func (words) Laws() Laws { return Bounded | Cancellative }

// AppendKey appends the labels; delta does not matter.
func (words) AppendKey(dst []byte, w Word, _ float64) []byte {
	if !w.finite {
		return append(dst, 0)
	}
	return append(append(dst, 1), w.labels...)
}

// Parse reads labels with underscores between them, "Epsilon" or "Infinity".
func (words) Parse(s string) (Word, error) { return parseWord(s) }

// Format writes what Parse reads back.
func (words) Format(w Word) string { return w.String() }

// Gallic returns the ring of pairs of a word and a weight of base, in which
// determinization and pushing of functional transducers take place: outputs are
// delayed by their common prefix and weights divided by their sum (Mohri 1997).
// It is the Product of LeftString and base, and so has the capabilities of both.
// Like LeftString it distributes from the left only.
func Gallic[W any](base Semiring[W]) Semiring[Pair[Word, W]] {
	return Product(LeftString{}, base)
}
