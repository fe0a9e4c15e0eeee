package align

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	token "example.org/pathsum/internal/text"
)

// Sentence is a sentence of the source language and its translation into the target
// language, each a list of words.
type Sentence struct{ Source, Target []string }

// Link joins a word of the source with a word of the target. Positions count from 0.
type Link struct{ Source, Target int }

// Compare orders links by the source, then by the target.
func (l Link) Compare(m Link) int {
	if l.Source != m.Source {
		return cmp.Compare(l.Source, m.Source)
	}
	return cmp.Compare(l.Target, m.Target)
}

// maxPosition bounds the memory used for a text of links. Lines with more words are rejected on
// reading.
const maxPosition = 1<<20 - 1

// ErrLink reports a text that is not a link.
var ErrLink = errors.New("bad link")

// ParseLink returns the link of a text such as "3-5", whose two positions a
// separator divides; the error wraps ErrLink. Positions are digits and less than
// 2²⁰.
func ParseLink(link, separator string) (Link, error) {
	e, f, ok := strings.Cut(link, separator)
	if !ok {
		return Link{}, nested.Errorf("align: %w %s, want two positions with %q between them", ErrLink, token.Quote(link), separator)
	}
	var l Link
	for _, side := range []struct {
		digits   string
		position *int
	}{{e, &l.Source}, {f, &l.Target}} {
		n, err := strconv.ParseUint(side.digits, 10, 32)
		if err != nil || n > maxPosition {
			return Link{}, nested.Errorf("align: %w %s: position %s, want a number from 0 to %d", ErrLink, token.Quote(link), token.Quote(side.digits), maxPosition)
		}
		*side.position = int(n)
	}
	return l, nil
}

// Alignment is a set of distinct links of one Sentence in the order of Link.Compare. Words without
// a link are aligned with NULL. Functions that take an Alignment require this order; NewAlignment
// establishes it.
type Alignment []Link

// NewAlignment returns the set of the links, which it sorts in place.
func NewAlignment(links []Link) Alignment {
	slices.SortFunc(links, Link.Compare)
	return slices.Compact(links)
}

// ParseAlignment returns the alignment of a line in Pharaoh format: links such as 0-0 1-2, the
// source first and positions from 0, separated by space, in any order. The error wraps ErrLink.
func ParseAlignment(line string) (Alignment, error) {
	var links []Link
	for token := range strings.FieldsSeq(line) {
		l, err := ParseLink(token, "-")
		if err != nil {
			return nil, err
		}
		links = append(links, l)
	}
	return NewAlignment(links), nil
}

// Has reports whether l is one of the links.
func (a Alignment) Has(l Link) bool {
	_, ok := slices.BinarySearchFunc(a, l, Link.Compare)
	return ok
}

// AppendText appends the links in Pharaoh format, such as 0-0 1-2. The error is
// nil. It implements encoding.TextAppender.
func (a Alignment) AppendText(dst []byte) ([]byte, error) {
	for i, l := range a {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, int64(l.Source), 10)
		dst = append(dst, '-')
		dst = strconv.AppendInt(dst, int64(l.Target), 10)
	}
	return dst, nil
}

// String returns the links in Pharaoh format.
func (a Alignment) String() string {
	text, _ := a.AppendText(nil)
	return string(text)
}

// Symmetrizations combine two alignments, usually of the two directions, into one (Och and Ney
// 2003, §5; Koehn 2010, §4.5.3). Each takes E→F first; all except the final ones are symmetric.

// Intersection returns the links that are in both alignments.
func Intersection(a, b Alignment) Alignment {
	var out Alignment
	merge(a, b, func(l Link, inA, inB bool) {
		if inA && inB {
			out = append(out, l)
		}
	})
	return out
}

// Union returns the links that are in either alignment.
func Union(a, b Alignment) Alignment {
	out := make(Alignment, 0, max(len(a), len(b)))
	merge(a, b, func(l Link, _, _ bool) { out = append(out, l) })
	return out
}

// Grow returns the intersection, grown by links of the union. A link with an unlinked word is added
// if it is a neighbour, to the left, right, above or below, of a link of the result. This is
// repeated until no link can be added.
func Grow(a, b Alignment) Alignment { return newGrowth(a, b).grow(sides).links() }

// GrowDiag is Grow with the four diagonal neighbours as well.
func GrowDiag(a, b Alignment) Alignment { return newGrowth(a, b).grow(around).links() }

// GrowDiagFinal is GrowDiag, followed by all links of a, then of b, with a word
// that has no link yet.
func GrowDiagFinal(a, b Alignment) Alignment {
	return newGrowth(a, b).grow(around).final(a, either).final(b, either).links()
}

// GrowDiagFinalAnd is GrowDiag, followed by all links of a, then of b, of two words
// that have no link yet.
func GrowDiagFinalAnd(a, b Alignment) Alignment {
	return newGrowth(a, b).grow(around).final(a, both).final(b, both).links()
}

// merge calls visit for each link of the union, in order.
func merge(a, b Alignment, visit func(l Link, inA, inB bool)) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Compare(b[0]) < 0:
			visit(a[0], true, false)
			a = a[1:]
		case len(a) == 0 || b[0].Compare(a[0]) < 0:
			visit(b[0], false, true)
			b = b[1:]
		default:
			visit(a[0], true, true)
			a, b = a[1:], b[1:]
		}
	}
}

// Neighbours of a link, in the order of trial.
var (
	around = []Link{{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}
	sides  = around[:4]
)

// Whether a link may be added, given whether its words have links.
func either(hasE, hasF bool) bool { return !hasE || !hasF }
func both(hasE, hasF bool) bool   { return !hasE && !hasF }

// growth is an alignment that grows from the intersection towards the union.
type growth struct {
	union      Alignment
	in         []bool // in[i] reports whether union[i] is included
	out        int    // number of links of the union that are not included
	hasE, hasF []bool // whether a word has links: position p is entry p+1, and
	// there is one more at either end, so that neighbours need no test
}

func newGrowth(a, b Alignment) *growth {
	last := Link{-1, -1}
	for _, links := range []Alignment{a, b} {
		for _, l := range links {
			last.Source, last.Target = max(last.Source, l.Source), max(last.Target, l.Target)
		}
	}
	g := &growth{
		union: make(Alignment, 0, len(a)+len(b)), in: make([]bool, 0, len(a)+len(b)),
		hasE: make([]bool, last.Source+3), hasF: make([]bool, last.Target+3),
	}
	merge(a, b, func(l Link, inA, inB bool) {
		g.union = append(g.union, l)
		g.in = append(g.in, false)
		g.out++
		if inA && inB {
			g.add(len(g.union) - 1)
		}
	})
	return g
}

func (g *growth) add(i int) {
	l := g.union[i]
	g.in[i], g.hasE[l.Source+1], g.hasF[l.Target+1] = true, true, true
	g.out--
}

// grow scans the links in order, repeatedly. A link added after the current one is scanned in the
// same pass.
func (g *growth) grow(neighbours []Link) *growth {
	for added := true; added && g.out > 0; {
		added = false
		for i, l := range g.union {
			if !g.in[i] {
				continue
			}
			for _, d := range neighbours {
				if g.offer(Link{l.Source + d.Source, l.Target + d.Target}, either) {
					added = true
				}
			}
		}
	}
	return g
}

// final offers the links of a in order.
func (g *growth) final(a Alignment, may func(hasE, hasF bool) bool) *growth {
	for _, l := range a {
		g.offer(l, may)
	}
	return g
}

// offer adds a link of the union that is not included if may allows it. It reports whether the link
// was added.
func (g *growth) offer(l Link, may func(hasE, hasF bool) bool) bool {
	if !may(g.hasE[l.Source+1], g.hasF[l.Target+1]) {
		return false
	}
	i, ok := slices.BinarySearchFunc(g.union, l, Link.Compare)
	if !ok || g.in[i] {
		return false
	}
	g.add(i)
	return true
}

func (g *growth) links() Alignment {
	out := make(Alignment, 0, len(g.union)-g.out)
	for i, l := range g.union {
		if g.in[i] {
			out = append(out, l)
		}
	}
	return out
}
