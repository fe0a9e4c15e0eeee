// Package golden compares the output of tests with files of the tree. With the flag -update a
// test writes the files instead.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write the files that tests compare with what they make")

// File checks that a file contains the text.
func File(t testing.TB, name, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, []byte(text)) {
		t.Errorf("%s is out of date, or %v; write it anew with go generate", name, err)
	}
}

// Folder checks that the files of a folder with the given extension are exactly the files of
// the map, from names without the extension to texts.
func Folder(t testing.TB, folder, extension string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		File(t, filepath.Join(folder, name+extension), text)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*"+extension))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	for _, file := range found {
		if _, ok := files[filepath.Base(file[:len(file)-len(extension)])]; ok {
			continue
		}
		if !*update {
			t.Errorf("%s is made by no test", file)
		} else if err := os.Remove(file); err != nil {
			t.Error(err)
		}
	}
}
