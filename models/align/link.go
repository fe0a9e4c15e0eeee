package align

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// maxPosition bounds the memory that a text of links can make a function use. No line
// that is read has more words.
const maxPosition = 1<<20 - 1

// ErrLink means that a text is no link.
var ErrLink = errors.New("bad link")

// ParseLink returns the link of a text such as "3-5", whose two positions a
// separator divides; the error wraps ErrLink. Positions are digits and less than
// 2²⁰.
func ParseLink(link, separator string) (Link, error) {
	e, f, ok := strings.Cut(link, separator)
	if !ok {
		return Link{}, fmt.Errorf("%w %s, want two positions with %q between them", ErrLink, token.Quote(link), separator)
	}
	var l Link
	for _, side := range []struct {
		digits   string
		position *int
	}{{e, &l.Source}, {f, &l.Target}} {
		n, err := strconv.ParseUint(side.digits, 10, 32)
		if err != nil || n > maxPosition {
			return Link{}, fmt.Errorf("%w %s: position %s, want a number from 0 to %d", ErrLink, token.Quote(link), token.Quote(side.digits), maxPosition)
		}
		*side.position = int(n)
	}
	return l, nil
}

// Alignment is a set of links of one Sentence: in the order of Link.Compare, none
// twice. Words without a link are aligned with nothing (NULL). A function that takes
// an Alignment expects that order; NewAlignment makes it.
type Alignment []Link

// NewAlignment returns the set of the links, which it sorts in place.
func NewAlignment(links []Link) Alignment {
	slices.SortFunc(links, Link.Compare)
	return slices.Compact(links)
}

// ParseAlignment returns the alignment that a line in Pharaoh format says: links
// such as 0-0 1-2, the source first and positions from 0, with space between them, in any
// order. The error wraps ErrLink.
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
