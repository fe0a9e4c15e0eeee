package treebank

import (
	"fmt"
	"slices"
)

// Span is the words I … J−1.
type Span struct{ I, J int }

// String returns "i-j".
func (s Span) String() string { return fmt.Sprintf("%d-%d", s.I, s.J) }

// Crosses reports whether s and t overlap and neither contains the other.
func (s Span) Crosses(t Span) bool {
	return s.I < t.I && t.I < s.J && s.J < t.J || t.I < s.I && s.I < t.J && t.J < s.J
}

// Compare orders spans like the nodes of a tree: from left to right, larger ones first.
func (s Span) Compare(t Span) int {
	if s.I != t.I {
		return s.I - t.I
	}
	return t.J - s.J
}

// Sentence is a sentence with the known part of its structure.
type Sentence struct {
	ID          string
	Words, Tags []string
	// Heads contains the index of each word's head, −1 for the root; nil if unknown.
	Heads []int
	// Spans are the distinct constituents of two or more words; nil if unknown.
	Spans []Span
}

// Len returns the number of words.
func (s *Sentence) Len() int { return len(s.Tags) }

// CheckHeads returns nil if heads is a tree over all words: one root, −1, and no cycle.
// The error wraps ErrInvalid and names a word, from 1. O(n).
func CheckHeads(heads []int) error {
	root := -1
	for i, h := range heads {
		switch {
		case h < -1 || h >= len(heads):
			return fmt.Errorf("%w: word %d of %d has the head %d", ErrInvalid, i+1, len(heads), h+1)
		case h == i:
			return fmt.Errorf("%w: word %d is its own head", ErrInvalid, i+1)
		case h == -1 && root >= 0:
			return fmt.Errorf("%w: words %d and %d are both roots", ErrInvalid, root+1, i+1)
		case h == -1:
			root = i
		}
	}
	if root < 0 && len(heads) > 0 {
		return fmt.Errorf("%w: the root is missing", ErrInvalid)
	}
	seen := make([]int, len(heads)) // the word whose climb reached it, from 1
	for i := range heads {
		v := i
		for ; v >= 0 && seen[v] == 0; v = heads[v] {
			seen[v] = i + 1
		}
		if v >= 0 && seen[v] == i+1 {
			return fmt.Errorf("%w: word %d is below itself", ErrInvalid, v+1)
		}
	}
	return nil
}

// Yields returns, for every word, the span of its descendants, itself included. The error wraps
// ErrInvalid, or ErrProjective if the descendants of a word are not a span; it names the word, from
// 1. O(n²) at worst.
func Yields(heads []int) ([]Span, error) {
	if err := CheckHeads(heads); err != nil {
		return nil, err
	}
	yields, size := make([]Span, len(heads)), make([]int, len(heads))
	for i := range heads {
		yields[i] = Span{i, i + 1}
	}
	for i := range heads {
		for v := i; v >= 0; v = heads[v] {
			yields[v] = Span{min(yields[v].I, i), max(yields[v].J, i+1)}
			size[v]++
		}
	}
	for i, s := range yields {
		if size[i] != s.J-s.I {
			return nil, fmt.Errorf("%w: the words below word %d are not all of %d to %d", ErrProjective, i+1, s.I+1, s.J)
		}
	}
	return yields, nil
}

// HeadSpans returns the distinct yields of two or more words, sorted. The error is as for Yields.
func HeadSpans(heads []int) ([]Span, error) {
	yields, err := Yields(heads)
	if err != nil {
		return nil, err
	}
	return unique(yields), nil
}

// BinarySpans returns the spans of the binary tree in which each head takes its dependents one by
// one: right dependents, nearest first, and then left dependents. The error is as for Yields. O(n²)
// at worst.
func BinarySpans(heads []int) ([]Span, error) {
	yields, err := Yields(heads)
	if err != nil {
		return nil, err
	}
	var spans []Span
	grown := make([]Span, len(heads))
	for h := range heads {
		grown[h] = Span{h, h + 1}
	}
	grow := func(a int) {
		if h := heads[a]; h >= 0 {
			grown[h] = Span{min(grown[h].I, yields[a].I), max(grown[h].J, yields[a].J)}
			spans = append(spans, grown[h])
		}
	}
	for a := range heads { // to the right of their heads
		if heads[a] < a {
			grow(a)
		}
	}
	for a := range slices.Backward(heads) {
		if heads[a] > a {
			grow(a)
		}
	}
	return unique(spans), nil
}

// CheckSpans returns nil if spans are non-crossing spans of two or more among n words. Otherwise
// the error wraps ErrInvalid.
func CheckSpans(n int, spans []Span) error {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, Span.Compare)
	var open []Span
	for _, s := range sorted {
		if s.I < 0 || s.J > n || s.J-s.I < 2 {
			return fmt.Errorf("%w: %v in a sentence of %d words", ErrInvalid, s, n)
		}
		for len(open) > 0 && open[len(open)-1].J <= s.I {
			open = open[:len(open)-1]
		}
		if len(open) > 0 && open[len(open)-1].J < s.J {
			return fmt.Errorf("%w: %v and %v cross", ErrInvalid, open[len(open)-1], s)
		}
		open = append(open, s)
	}
	return nil
}

// unique returns the distinct spans of two or more words, sorted.
func unique(spans []Span) []Span {
	some := []Span{}
	for _, s := range spans {
		if s.J-s.I > 1 {
			some = append(some, s)
		}
	}
	slices.SortFunc(some, Span.Compare)
	return slices.Compact(some)
}

// Keep returns s reduced to the words whose tags are kept. A dropped head is replaced by its own
// head; if this makes several roots, the later ones depend on the first. Dropped words are removed
// from spans.
func (s *Sentence) Keep(keep func(tag string) bool) Sentence {
	number := make([]int, len(s.Tags)+1) // of the kept words before each position
	for i, tag := range s.Tags {
		number[i+1] = number[i]
		if keep(tag) {
			number[i+1]++
		}
	}
	k := Sentence{ID: s.ID}
	root := -1
	for i, tag := range s.Tags {
		if number[i+1] == number[i] {
			continue
		}
		k.Tags = append(k.Tags, tag)
		if s.Words != nil {
			k.Words = append(k.Words, s.Words[i])
		}
		if s.Heads == nil {
			continue
		}
		h := s.Heads[i]
		for h >= 0 && number[h+1] == number[h] {
			h = s.Heads[h]
		}
		switch {
		case h >= 0:
			h = number[h]
		case root < 0:
			root = number[i]
		default:
			h = root
		}
		k.Heads = append(k.Heads, h)
	}
	if s.Spans != nil {
		spans := slices.Clone(s.Spans)
		for i, x := range spans {
			spans[i] = Span{number[x.I], number[x.J]}
		}
		k.Spans = unique(spans)
	}
	return k
}

// wordTags are the tags of spoken words in the tag set of the Penn Treebank.
var wordTags = []string{"CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNP", "NNPS", "NNS", "PDT",
	"POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB"}

// IsWord reports whether a tag of the Penn Treebank is a tag of a word: not punctuation, a currency
// sign, or an empty element. Klein and Manning keep these words.
func IsWord(tag string) bool { return slices.Contains(wordTags, tag) }
