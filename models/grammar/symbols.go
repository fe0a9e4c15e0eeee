package grammar

import (
	"fmt"
	"slices"
)

// symbols numbers tags.
type symbols struct {
	names []string
	index map[string]int32
}

// newSymbols returns the numbering of names, which must differ.
func newSymbols(names []string) *symbols {
	s := &symbols{names: names, index: map[string]int32{}}
	for i, name := range names {
		s.index[name] = int32(i)
	}
	return s
}

// number numbers the tags of sentences in alphabetical order.
func number(sentences [][]string) (*symbols, [][]int32, error) {
	seen := map[string]bool{}
	for _, s := range sentences {
		for _, tag := range s {
			seen[tag] = true
		}
	}
	var names []string
	for tag := range seen {
		names = append(names, tag)
	}
	slices.Sort(names)
	tags, data := newSymbols(names), make([][]int32, len(sentences))
	for i, s := range sentences {
		var err error
		if data[i], err = tags.numbers(s); err != nil {
			return nil, nil, fmt.Errorf("grammar: sentence %d: %w", i+1, err)
		}
	}
	return tags, data, nil
}

// numbers returns the numbers of the tags of a sentence. The error wraps ErrInvalid.
func (s *symbols) numbers(sentence []string) ([]int32, error) {
	if n := len(sentence); n < 1 || n > MaxWords {
		return nil, fmt.Errorf("%w: %d words, want 1 to %d", ErrInvalid, n, MaxWords)
	}
	list := make([]int32, len(sentence))
	for i, tag := range sentence {
		k, ok := s.index[tag]
		if !ok {
			return nil, fmt.Errorf("%w: word %d has the tag %q, which is unknown", ErrInvalid, i+1, tag)
		}
		list[i] = k
	}
	return list, nil
}
