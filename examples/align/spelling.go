package main

import "example.org/pathsum/models/align"

// spelling is what is expected of words by how they are written, in languages that
// inflect by suffixes and share an alphabet.
var spelling = align.Prior{Pair: cognates, Stem: stem, Strength: 2}

// stemLetters is how many letters of a word its stem has at most, and cognates
// have in common at least.
const (
	stemLetters    = 5
	cognateLetters = 4
)

// stem returns the beginning of a word.
func stem(word string) string {
	n := 0
	for i := range word {
		if n == stemLetters {
			return word[:i]
		}
		n++
	}
	return word
}

// cognates returns how many links of two words are counted unseen: one if they
// begin alike or, short, are the same.
func cognates(e, f string) float64 {
	common := 0
	x, y := []rune(e), []rune(f)
	for common < min(len(x), len(y)) && x[common] == y[common] {
		common++
	}
	if common >= cognateLetters || common == len(x) && common == len(y) {
		return 1
	}
	return 0
}
