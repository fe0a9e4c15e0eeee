package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
)

// Each line of input has one line of output, in order, for any contents.
func TestBadLines(t *testing.T) {
	long := strings.Repeat("word 21 ", 12_500) // 10⁵ characters
	inputs := []struct{ line, want string }{
		{"\ufefftwenty", "20"}, // a byte order mark is not part of the text
		{"", ""},
		{"\r", ""},
		{"thirty\r", "30"},
		{"中 \u200b € x", "中 \u200b € x"},
		{"\xff\xfe", ""}, // invalid UTF-8: an empty line, and a report
		{"a\tb", "a\tb"},
		{strings.TrimSpace(long), strings.TrimSpace(long)},
		{strings.Repeat("é", 1000), strings.Repeat("é", 1000)},
		{"\x00", ""}, // not text either
		{"  twenty  two", "  20  two"},
		{"twenty", "20"},
	}
	var text, stderr bytes.Buffer
	for _, x := range inputs {
		text.WriteString(x.line + "\n")
	}
	// The last line has no end.
	name := programtest.File(t, "lines.txt", strings.TrimSuffix(text.String(), "\n"))
	output := filepath.Join(t.TempDir(), "out.txt")
	if status, _ := run(t.Context(), &stderr, "-apply", name, "-inverse", "-o", output, "-quiet"); status != 0 {
		t.Fatal(stderr.String())
	}
	out, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(got) != len(inputs) {
		t.Fatalf("%d lines of output, want %d", len(got), len(inputs))
	}
	for i, x := range inputs {
		if got[i] != x.want {
			t.Errorf("line %d is read as %.60q, want %.60q", i+1, got[i], x.want)
		}
	}
	for _, line := range []string{":6:", ":10:"} {
		if !strings.Contains(stderr.String(), line) {
			t.Errorf("no report of line %s %s", line, &stderr)
		}
	}
}
