package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
)

// archive is the archive of the grammars, exported once.
var archive = sync.OnceValues(func() ([]byte, error) {
	var all []*linegrammar.Grammar
	for _, d := range grammars.Directions {
		g, err := loaded[d]()
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	var b bytes.Buffer
	err := linegrammar.Export(&b, all)
	return b.Bytes(), err
})

// exported returns a folder with the archive all.far of the grammars. Tests that need it are
// skipped unless PATHSUM_LONG=1, because it takes some seconds.
func exported(t testing.TB) string {
	t.Helper()
	if _, test := t.(*testing.T); test && os.Getenv("PATHSUM_LONG") == "" {
		t.Skip("exports both grammars; PATHSUM_LONG=1 does")
	}
	all, err := archive()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.far"), all, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// alike asserts that g reads lines like another grammar.
func alike(t *testing.T, g, other *linegrammar.Grammar) {
	t.Helper()
	for _, line := range []string{"", "one 12 中 \xff", "21st", "x€μ\u200b", "two thirty"} {
		want, err := other.Apply(line, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.Apply(line, 2)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for i := range want {
			if got[i].Text != want[i].Text || !near(got[i].Cost, want[i].Cost) {
				t.Errorf("%q is read as %v, want %v", line, got, want)
			}
		}
	}
}

// Exported machines are applied like the grammars.
func TestExport(t *testing.T) {
	archive := filepath.Join(exported(t), "all.far")
	for _, d := range grammars.Directions {
		g, err := linegrammar.Import(archive, d.String(), true)
		if err != nil {
			t.Fatal(err)
		}
		alike(t, g, grammarOf(t, d))
	}
	if _, err := linegrammar.Import(archive, "no", true); err == nil || !strings.Contains(err.Error(), `want one of ["spoken-written" "written-spoken"]`) {
		t.Errorf("no such machine: %v", err)
	}
}

// The same holds for trained parameters.
func TestExportTrained(t *testing.T) {
	trained, err := grammars.Load(grammars.SpokenWritten, nil)
	if err != nil {
		t.Fatal(err)
	}
	before, err := trained.Apply("two thirty", 1)
	if err != nil {
		t.Fatal(err)
	}
	data := []linegrammar.Example{{Input: "two thirty", Expected: "230"}}
	if _, err := trained.Train(t.Context(), data, em.Options{Iterations: 3}); err != nil {
		t.Fatal(err)
	}
	after, err := trained.Apply("two thirty", 1)
	if err != nil {
		t.Fatal(err)
	}
	if before[0].Text != "02:30" || after[0].Text != "230" {
		t.Errorf("before training %v, after it %v", before, after)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "trained.far"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := linegrammar.Export(file, []*linegrammar.Grammar{trained}); err != nil {
		t.Fatal(err)
	}
	g, err := linegrammar.Import(file.Name(), grammars.SpokenWritten.String(), true)
	if err != nil {
		t.Fatal(err)
	}
	alike(t, g, trained)
}
