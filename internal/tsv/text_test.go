package tsv

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"example.org/pathsum/internal/stdintest"
)

// read returns the content of a text.
func read(t *testing.T, x *Text) string {
	t.Helper()
	r, err := x.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A text can be read twice, also where a file cannot.
func TestText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("a\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	stdintest.Set(t, "c\nd\n")
	for name, want := range map[string]string{file: "a\nb\n", Stdin: "c\nd\n"} {
		x, err := OpenText(name)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if got := read(t, x); got != want {
				t.Errorf("%s: %q, want %q", x.Name(), got, want)
			}
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	if _, err := OpenText(file + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := OpenText(filepath.Dir(file)); err == nil {
		t.Error("a folder: no error")
	}
}

// Standard input is a file like others, and has a name of its own.
func TestStdin(t *testing.T) {
	stdintest.Set(t, "a\tb\nc\n")
	_, err := Collect(PairsOf(Stdin))
	if err == nil || err.Error() != "standard input:2: no tab, want 2 to 3 columns" {
		t.Errorf("error %v", err)
	}
}
