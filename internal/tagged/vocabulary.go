package tagged

import (
	"iter"
	"strings"
)

// Vocabulary numbers symbols: frequent words, by their names, and classes of the others; 0 is
// the symbol of all other words.
type Vocabulary map[string]int32

// The minimum number of occurrences of a word, and of a class of rarer words, that is a symbol.
const (
	leastWord  = 2
	leastClass = 8
)

// NewVocabulary numbers the frequent words of sentences, and the frequent classes of the rare ones.
func NewVocabulary(sentences []Sentence) Vocabulary {
	words := map[string]int{}
	for _, s := range sentences {
		for _, w := range s.Words {
			words[w]++
		}
	}
	v, rare := Vocabulary{"": 0}, map[string]int{} // words are not empty
	add := func(name string) {
		if _, ok := v[name]; !ok {
			v[name] = int32(len(v))
		}
	}
	for _, s := range sentences {
		for _, w := range s.Words {
			if words[w] >= leastWord {
				add(w)
				continue
			}
			for class := range classes(w) {
				if rare[class]++; rare[class] == leastClass {
					add(class)
				}
			}
		}
	}
	return v
}

// Symbol returns the word's own symbol, or else the symbol of its finest class that has one, or
// else 0.
func (v Vocabulary) Symbol(word string) int32 {
	if i, ok := v[word]; ok {
		return i
	}
	for class := range classes(word) {
		if i, ok := v[class]; ok {
			return i
		}
	}
	return 0
}

// longest is the number of last letters that make the finest class of a word.
const longest = 4

// classes yields the names of the classes of a word, the finest first: the words of the same
// shape with the same last letters, fewer and fewer. Names of classes and words are distinct.
func classes(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		letters := []rune(strings.ToLower(word))
		for n := min(longest, len(letters)); n >= 0; n-- {
			if !yield("\t" + Shape(word) + "\t" + string(letters[len(letters)-n:])) {
				return
			}
		}
	}
}
