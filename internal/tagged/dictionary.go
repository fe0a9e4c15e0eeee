package tagged

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/pathsum/models/crf"
)

// Dictionary has the tags of frequent words in training, the most frequent first, separated by
// bars. Words with the same tags form a class.
type Dictionary map[string]string

// The minimum number of occurrences of a word in the dictionary, the minimum fraction of these
// that a tag must have, and the maximum number of tags.
const (
	leastInDictionary = 5
	leastShare        = .05
	mostTags          = 3
)

// NewDictionary returns the dictionary of sentences.
func NewDictionary(sentences []Sentence) Dictionary {
	seen := map[string]map[string]int{} // by word and tag
	for _, s := range sentences {
		for t, w := range s.Words {
			if seen[w] == nil {
				seen[w] = map[string]int{}
			}
			seen[w][s.Tags[t]]++
		}
	}
	d := Dictionary{}
	for w, times := range seen {
		all := 0
		var tags []string
		for tag, n := range times {
			all += n
			tags = append(tags, tag)
		}
		if all < leastInDictionary {
			continue
		}
		slices.SortFunc(tags, func(a, b string) int { return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b)) })
		tags = slices.DeleteFunc(tags, func(tag string) bool { return float64(times[tag]) < leastShare*float64(all) })
		d[w] = strings.Join(tags[:min(len(tags), mostTags)], "|")
	}
	return d
}

// class returns the class of a word: its tags, or its shape and last letters if it is rare.
func (d Dictionary) class(word string) string {
	if tags, ok := d[word]; ok {
		return tags
	}
	return "\t" + Shape(word) + "\t" + suffix(strings.ToLower(word), 2)
}

// suffix returns the last n letters of a word.
func suffix(word string, n int) string {
	i := len(word)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(word[:i])
		i -= size
	}
	return word[i:]
}

// Features returns the features of the words of a sentence: the features of [Features], their
// five last letters, and the pairs of classes of neighbours.
func (d Dictionary) Features(words []string) crf.Features {
	classes := make([]string, 0, len(words)+2)
	classes = append(classes, "<s>")
	for _, w := range words {
		classes = append(classes, d.class(w))
	}
	classes = append(classes, "</s>")
	known := Features(words)
	return func(t int, a *crf.Attributes) {
		known(t, a)
		a.Add("ending=", suffix(strings.ToLower(words[t]), 5))
		a.Add("classes before=", classes[t], " ", classes[t+1])
		a.Add("classes after=", classes[t+1], " ", classes[t+2])
	}
}
