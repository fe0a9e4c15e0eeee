package treebank

import "slices"

// Keep returns s with only those words whose tags are to be kept. A head that is dropped is
// replaced by its own head; where that makes several roots, the later ones depend on the
// first. Spans lose the words that are dropped.
func (s *Sentence) Keep(keep func(tag string) bool) Sentence {
	number := make([]int, len(s.Tags)+1) // of the words before
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

// wordTags are those of words that are heard, in the tag set of the Penn Treebank.
var wordTags = []string{"CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS", "MD", "NN", "NNP", "NNPS", "NNS", "PDT",
	"POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB"}

// IsWord reports whether a tag of the Penn Treebank is that of a word: not punctuation, a
// currency sign, or an empty element. Klein and Manning keep these.
func IsWord(tag string) bool { return slices.Contains(wordTags, tag) }
