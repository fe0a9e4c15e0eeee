package linegrammar

import (
	"strings"
	"unicode/utf8"
)

// longest is the length in bytes of the longest text that is read without division.
const longest = 2000

// piece is a part of a line, and the text between it and the next one.
type piece struct{ text, after string }

// pieces divides a line into pieces of at most longest bytes, to bound memory. A piece ends at
// a blank, preferably after a punctuation mark in its second half, where tokens mostly end. A
// text without blanks is divided between characters.
func pieces(line string) []piece {
	var all []piece
	for len(line) > longest {
		part := line[:longest]
		i, after := strings.LastIndexByte(part, ' '), " "
		for _, mark := range []string{". ", "? ", "! ", "; ", ", "} {
			if at := strings.LastIndex(part, mark); at >= longest/2 {
				i = at + 1
				break
			}
		}
		if i < 0 {
			i, after = longest, ""
			for i > longest-utf8.UTFMax && !utf8.RuneStart(line[i]) {
				i--
			}
		}
		all = append(all, piece{line[:i], after})
		line = line[i+len(after):]
	}
	return append(all, piece{line, ""})
}

// Apply returns the n best readings of a line. A line that is longer than longest has a single
// reading, the concatenation of the readings of its pieces.
func (g *Grammar) Apply(line string, n int) ([]Reading, error) {
	all := pieces(line)
	if len(all) == 1 {
		return g.whole(line, n)
	}
	var text strings.Builder
	cost := 0.0
	for _, p := range all {
		best, err := g.whole(p.text, 1)
		if err != nil {
			return nil, err
		}
		text.WriteString(best[0].Text)
		text.WriteString(p.after)
		cost += best[0].Cost
	}
	return []Reading{{text.String(), cost}}, nil
}
