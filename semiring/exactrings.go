package semiring

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Boolean is the ring of truth values with or and and: is there a path?
type Boolean struct{}

// Zero returns false.
func (Boolean) Zero() bool { return false }

// One returns true.
func (Boolean) One() bool { return true }

// Plus returns a or b.
func (Boolean) Plus(a, b bool) bool { return a || b }

// Times returns a and b.
func (Boolean) Times(a, b bool) bool { return a && b }

// IsZero reports whether a is false.
func (Boolean) IsZero(a bool) bool { return !a }

// Star returns true.
func (Boolean) Star(bool) (bool, bool) { return true, true }

// LDiv returns b, and false if a is false.
func (Boolean) LDiv(a, b bool) (bool, bool) { return a && b, a }

// RDiv returns LDiv(b, a).
func (Boolean) RDiv(a, b bool) (bool, bool) { return Boolean{}.LDiv(b, a) }

// Compare puts true first.
func (Boolean) Compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Dist returns 0 for equal arguments, otherwise 1.
func (Boolean) Dist(a, b bool) float64 {
	if a == b {
		return 0
	}
	return 1
}

// Laws returns Commutative | Selective | Bounded | Cancellative.
func (Boolean) Laws() Laws { return Commutative | Selective | Bounded | Cancellative }

// AppendKey appends one byte.
func (Boolean) AppendKey(dst []byte, w bool, _ float64) []byte {
	if w {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// Parse reads what strconv.ParseBool reads.
func (Boolean) Parse(s string) (bool, error) {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return false, nested.Errorf("semiring: %s is neither true nor false", text.Quote(s))
	}
	return b, nil
}

// Format returns "true" or "false".
func (Boolean) Format(w bool) string { return strconv.FormatBool(w) }

// Width is a weight of Bottleneck: the capacity of an arc.
type Width float64

// Bottleneck is the ring of widths: ⊕ is the maximum, ⊗ is the minimum, 0̄ is −Inf
// and 1̄ is +Inf. The path sum is the width of the widest path; a path is as wide
// as its narrowest arc.
//
// The empty path is widest, so the ring is bounded. It is not cancellative. Dist is |a−b|.
type Bottleneck struct{}

// Zero returns −Inf.
func (Bottleneck) Zero() Width { return Width(math.Inf(-1)) }

// One returns +Inf.
func (Bottleneck) One() Width { return Width(math.Inf(1)) }

// Plus returns the greater width.
func (Bottleneck) Plus(a, b Width) Width { return max(a, b) }

// Times returns the lesser width.
func (Bottleneck) Times(a, b Width) Width { return min(a, b) }

// IsZero reports whether a is −Inf.
func (Bottleneck) IsZero(a Width) bool { return math.IsInf(float64(a), -1) }

// Star returns +Inf; false for NaN.
func (Bottleneck) Star(a Width) (Width, bool) { return Bottleneck{}.One(), a == a }

// LDiv returns b, the least x with min(a, x) = b, if b ≤ a; false otherwise, and if
// a is −Inf.
func (Bottleneck) LDiv(a, b Width) (Width, bool) {
	return b, b <= a && !(Bottleneck{}).IsZero(a)
}

// RDiv returns LDiv(b, a).
func (Bottleneck) RDiv(a, b Width) (Width, bool) { return Bottleneck{}.LDiv(b, a) }

// Compare puts the greater width first, NaN before all.
func (Bottleneck) Compare(a, b Width) int {
	if a != a || b != b {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(b, a)
}

// Dist returns |a−b|, 0 for equal infinities.
func (Bottleneck) Dist(a, b Width) float64 { return absoluteDistance(float64(a), float64(b)) }

// Laws returns Commutative | Selective | Bounded.
func (Bottleneck) Laws() Laws { return Commutative | Selective | Bounded }

// AppendKey appends w rounded to a multiple of delta.
func (Bottleneck) AppendKey(dst []byte, w Width, delta float64) []byte {
	return appendFloatKey(dst, float64(w), delta)
}

// Parse reads a width.
func (Bottleneck) Parse(s string) (Width, error) {
	x, err := parseFloat(s)
	return Width(x), err
}

// Format writes what Parse reads back.
func (Bottleneck) Format(w Width) string { return formatFloat(float64(w)) }

// Counting is the ring of natural numbers of any size, + and ×: how many paths?
// A nil weight counts as 0. Weights are never modified, and must not be.
//
// Star exists only for 0, and a quotient only if there is no remainder. Dist is |a−b|.
type Counting struct{}

var bigZero, bigOne = big.NewInt(0), big.NewInt(1)

func count(a *big.Int) *big.Int {
	if a == nil {
		return bigZero
	}
	return a
}

// Zero returns 0.
func (Counting) Zero() *big.Int { return bigZero }

// One returns 1.
func (Counting) One() *big.Int { return bigOne }

// Plus returns a + b.
func (Counting) Plus(a, b *big.Int) *big.Int { return new(big.Int).Add(count(a), count(b)) }

// Times returns a · b.
func (Counting) Times(a, b *big.Int) *big.Int { return new(big.Int).Mul(count(a), count(b)) }

// IsZero reports whether a is 0.
func (Counting) IsZero(a *big.Int) bool { return count(a).Sign() == 0 }

// Star returns 1 for 0, and false otherwise.
func (Counting) Star(a *big.Int) (*big.Int, bool) {
	return bigOne, count(a).Sign() == 0
}

// LDiv returns b/a; false if a is 0 or does not divide b.
func (Counting) LDiv(a, b *big.Int) (*big.Int, bool) {
	if count(a).Sign() == 0 {
		return bigZero, false
	}
	quotient, rest := new(big.Int).QuoRem(count(b), a, new(big.Int))
	return quotient, rest.Sign() == 0
}

// RDiv returns LDiv(b, a).
func (Counting) RDiv(a, b *big.Int) (*big.Int, bool) { return Counting{}.LDiv(b, a) }

// Dist returns |a−b|.
func (Counting) Dist(a, b *big.Int) float64 {
	difference := new(big.Int).Sub(count(a), count(b))
	d, _ := new(big.Float).SetInt(difference.Abs(difference)).Float64()
	return d
}

// Laws returns Commutative.
func (Counting) Laws() Laws { return Commutative }

// AppendKey appends the digits of w; delta does not matter.
func (Counting) AppendKey(dst []byte, w *big.Int, _ float64) []byte { return count(w).Append(dst, 62) }

// Parse reads a decimal natural number.
func (Counting) Parse(s string) (*big.Int, error) {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || n.Sign() < 0 {
		return nil, nested.Errorf("semiring: %s is not a natural number", text.Quote(s))
	}
	return n, nil
}

// Format writes w in decimal.
func (Counting) Format(w *big.Int) string { return count(w).String() }

// Word is a weight of LeftString and RightString: a finite string of labels, or
// the infinite one, which is the zero value and 0̄. Words are comparable by ==.
type Word struct {
	labels string // four bytes each
	finite bool
}

// NewWord returns the word of the labels, or the empty word (1̄) without arguments.
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

// Compare orders words by the first labels in which they differ, and puts a prefix before the
// words that it begins; the infinite word comes first.
func (w Word) Compare(v Word) int {
	if w.finite != v.finite {
		if v.finite {
			return -1
		}
		return 1
	}
	return strings.Compare(w.labels, v.labels)
}

// Labels returns the labels; the infinite word has an empty list.
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
	for item := range strings.SplitSeq(s, "_") {
		l, err := strconv.ParseInt(item, 10, 32)
		if err != nil {
			return Word{}, nested.Errorf("semiring: %s is not a word: %w", text.Quote(s), errors.Unwrap(err))
		}
		labels = append(labels, int32(l))
	}
	return NewWord(labels...), nil
}

// LeftString is the left string semiring: ⊕ is the longest common prefix, ⊗ is
// concatenation, 0̄ the infinite word and 1̄ the empty one. Determinization of transducers uses
// it to compute the common output prefix (Mohri, Finite-state transducers in language and speech
// processing, 1997).
//
// ⊗ distributes over ⊕ from the left only: a and ab have the common prefix a, but followed by bc
// they give abc and abbc, whose common prefix is ab and not abc. So graph.Backward and
// graph.PathSum work in it, and graph.Forward does not. Reading paths backwards turns it into
// RightString: Word.Reverse maps ⊕ to ⊕, and ⊗ to ⊗ with exchanged operands. LeftString is not a
// Reverser, because a Reverser maps to the same ring.
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

// either returns the finite one of a and b, if any.
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

// words is the monoid that both string semirings share.
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
