package main

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

// A line of several pieces is read as its sentences are.
func TestLongLine(t *testing.T) {
	const sentence, said = "He paid $5 on 3 May 2014. ", "He paid five dollars on the third of may twenty fourteen. "
	line := strings.Repeat(sentence, 3*longest/len(sentence))
	readings, err := grammarOf(t, writtenSpoken).Apply(line, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat(said, 3*longest/len(sentence)); readings[0].text != want {
		t.Errorf("%d bytes, want %d", len(readings[0].text), len(want))
	}
	empty, err := grammarOf(t, writtenSpoken).Apply("", 1)
	if err != nil || empty[0].text != "" {
		t.Errorf("the empty line: %v, %v", empty, err)
	}
}
