package main

import (
	"iter"
	"strings"

	"example.org/pathsum/internal/tagged"
)

// longest is the number of last letters that make the finest class.
const longest = 4

// classes yields the names of the classes that a word belongs to, the finest first:
// the words of the same shape with the same last letters, fewer and fewer. No word is
// called as a class is.
func classes(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		letters := []rune(strings.ToLower(word))
		for n := min(longest, len(letters)); n >= 0; n-- {
			if !yield("\t" + tagged.Shape(word) + "\t" + string(letters[len(letters)-n:])) {
				return
			}
		}
	}
}
