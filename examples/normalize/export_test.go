package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
)

// archive is the archive of the grammars, exported once.
var archive = sync.OnceValues(func() ([]byte, error) {
	var all []*grammar
	for _, d := range directions {
		g, err := loaded[d]()
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	var b bytes.Buffer
	err := export(&b, all)
	return b.Bytes(), err
})

// exported returns a folder with the archive all.far of the grammars. Tests that want it are
// skipped unless the environment has PATHSUM_LONG=1, as it takes some seconds.
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

// alike asserts that g reads lines as another grammar does.
func alike(t *testing.T, g, other *grammar) {
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
			if got[i].text != want[i].text || !near(got[i].cost, want[i].cost) {
				t.Errorf("%q is read as %v, want %v", line, got, want)
			}
		}
	}
}

// What is exported is applied like the grammars.
func TestExport(t *testing.T) {
	archive := filepath.Join(exported(t), "all.far")
	for _, d := range directions {
		g, err := imported(d, archive, d.String(), true)
		if err != nil {
			t.Fatal(err)
		}
		alike(t, g, grammarOf(t, d))
	}
	if _, err := imported(writtenSpoken, archive, "no", true); err == nil || !strings.Contains(err.Error(), `want one of ["spoken-written" "written-spoken"]`) {
		t.Errorf("no such machine: %v", err)
	}
}

// So are parameters that were trained.
func TestExportTrained(t *testing.T) {
	trained, err := load(spokenWritten)
	if err != nil {
		t.Fatal(err)
	}
	before, err := trained.Apply("two thirty", 1)
	if err != nil {
		t.Fatal(err)
	}
	data := []example{{direction: spokenWritten, input: "two thirty", expected: "230"}}
	if _, err := trained.train(t.Context(), data, em.Options{Iterations: 3}); err != nil {
		t.Fatal(err)
	}
	after, err := trained.Apply("two thirty", 1)
	if err != nil {
		t.Fatal(err)
	}
	if before[0].text != "02:30" || after[0].text != "230" {
		t.Errorf("before training %v, after it %v", before, after)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "trained.far"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := export(file, []*grammar{trained}); err != nil {
		t.Fatal(err)
	}
	g, err := imported(spokenWritten, file.Name(), spokenWritten.String(), true)
	if err != nil {
		t.Fatal(err)
	}
	alike(t, g, trained)
}

// The labels of a machine may be code points.
func TestImportCodePoints(t *testing.T) {
	f, err := fst.Expand(fst.Star(fst.FromPair(tropical, []int32{'€'}, []int32{'e', 'ü'})), nil)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "euro.fst")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := fstio.WriteBinary(file, f, nil); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	g, err := imported(writtenSpoken, name, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := g.Apply("€€", 1); err != nil || got[0].text != "eüeü" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := g.Apply("€x", 1); err == nil {
		t.Error("a reading of what the machine does not read")
	}
	if _, err := imported(writtenSpoken, name, "", true); err == nil || !strings.Contains(err.Error(), "label 8364, want a byte") {
		t.Errorf("a code point for a byte: %v", err)
	}
}
