package grammars_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
)

// TestLines: a line with an unknown direction yields an error, and the following lines are
// read.
func TestLines(t *testing.T) {
	rows := tsv.Rows(strings.NewReader("written-spoken\tdate\t5 may\tthe fifth of may\nspoken\tword\ta\ta\nspoken-written\tword\ta\ta\n"), "f", 4, 4)
	var lines []grammars.Line
	for l, err := range grammars.Lines(rows, "f") {
		var wrong *text.Error
		switch {
		case err == nil:
			lines = append(lines, l)
		case !errors.As(err, &wrong) || wrong.Line != 2 || !strings.Contains(err.Error(), `direction "spoken", want`):
			t.Errorf("%v", err)
		}
	}
	if len(lines) != 2 || lines[0].Where != "f:1" || lines[1].Direction != grammars.SpokenWritten {
		t.Errorf("%+v", lines)
	}
	if got := grammars.Of(grammars.WrittenSpoken, lines); len(got) != 1 || got[0].Expected != "the fifth of may" {
		t.Errorf("%+v", got)
	}
}

// TestEmbedded: each kind of each direction has tests, and the ambiguous lines exist.
func TestEmbedded(t *testing.T) {
	tests, err := grammars.Tests()
	if err != nil {
		t.Fatal(err)
	}
	more, err := grammars.Ambiguous()
	if err != nil || len(more) < 100 {
		t.Errorf("%d ambiguous lines, %v", len(more), err)
	}
	for _, d := range grammars.Directions {
		if n := len(grammars.Of(d, tests)); n < 100 {
			t.Errorf("%s: %d tests", d, n)
		}
	}
}
