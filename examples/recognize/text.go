package main

import (
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/english"
)

// The symbols of a line are the letters, 1 to 26, and the space between words. A network has a
// column for each of them and one for the blank, the last.
const (
	letters = 26
	space   = letters + 1
	columns = space + 1
)

// symbolNames has the name of each symbol, which is its label.
var symbolNames = fst.NewSymbols(append(strings.Split("abcdefghijklmnopqrstuvwxyz ", ""), "<blank>")...)

// longest is the number of symbols of the longest line.
const longest = 30

// symbols returns the letters of a word, without its other characters.
func symbols(word string) []int32 {
	var s []int32
	for _, c := range strings.ToLower(word) {
		if 'a' <= c && c <= 'z' {
			s = append(s, 1+c-'a')
		}
	}
	return s
}

// spelling returns the text of symbols.
func spelling(symbols []int32) string {
	b := make([]byte, len(symbols))
	for i, s := range symbols {
		b[i] = ' '
		if s != space {
			b[i] = 'a' + byte(s) - 1
		}
	}
	return string(b)
}

// englishLines returns the embedded text in lines.
func englishLines() [][]int32 {
	var lines [][]int32
	var line []int32
	for _, word := range strings.Fields(english.Text) {
		s := symbols(word)
		if len(s) == 0 {
			continue
		}
		if len(line) > 0 && len(line)+1+len(s) > longest {
			lines, line = append(lines, line), nil
		}
		if len(line) > 0 {
			line = append(line, space)
		}
		line = append(line, s...)
	}
	return append(lines, line)
}
