package linegrammar

import (
	"strings"
	"unicode/utf8"
)

// longest is the length in bytes of the longest text that is read as a whole.
const longest = 2000

// piece is a part of a line, and what stands between it and the next one.
type piece struct{ text, after string }

// pieces divides a line into pieces that are not longer than longest, so that memory does not
// grow with the line. A piece ends at a blank, behind a mark of punctuation if there is one in the
// second half, as a token seldom goes on there. What has no blank is divided between characters.
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

// Apply returns the n best readings of a line. One that is longer than longest has a single
// reading, which is put together from those of its pieces.
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
