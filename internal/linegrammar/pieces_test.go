package linegrammar

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPieces(t *testing.T) {
	for _, line := range []string{
		"", strings.Repeat("a", longest), strings.Repeat("one, two ", longest), strings.Repeat("é中", longest),
		strings.Repeat(" ", 3*longest), "x " + strings.Repeat("\x80", 2*longest), strings.Repeat("It is. So be it ", longest/4),
	} {
		var again strings.Builder
		for _, p := range pieces(line) {
			if len(p.text) > longest || utf8.ValidString(line) && !utf8.ValidString(p.text) {
				t.Errorf("a piece of %d bytes, valid: %t", len(p.text), utf8.ValidString(p.text))
			}
			again.WriteString(p.text + p.after)
		}
		if again.String() != line {
			t.Errorf("the pieces of %.20q are not the line", line)
		}
	}
	if first := pieces(strings.Repeat("It is. So be it ", longest/4))[0]; !strings.HasSuffix(first.text, ".") {
		t.Errorf("a piece ends with %q, want the end of a sentence", first.text[len(first.text)-9:])
	}
}
