package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/semiring"
)

var run = programtest.New(newProgram)

func TestApply(t *testing.T) {
	f, err := fst.Expand(fst.Star(fst.FromPair(semiring.Tropical{}, []int32{'€'}, []int32{'e', 'ü'})), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := fstio.WriteBinary(&b, f, nil); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "euro.fst")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := programtest.File(t, "lines", "€€\n€x\n")
	for _, c := range []struct {
		args   string
		status int
		want   string // of the output
		told   string
	}{
		{"-labels utf8 -grammar " + name + " -apply " + lines, 0, "eüeü\n\n", ":2: "},
		{"-grammar " + name + " -apply " + lines, 1, "", "label 8364, want a byte"},
		{"-apply " + lines, 2, "", "want -grammar and -apply"},
	} {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(strings.Fields(c.args), "-quiet")...)
		if status != c.status || out != c.want || !strings.Contains(stderr.String(), c.told) {
			t.Errorf("%s: status %d, %q, %s", c.args, status, out, &stderr)
		}
	}
}
