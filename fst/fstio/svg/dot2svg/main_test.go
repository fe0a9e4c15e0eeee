package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const top = "../../../.."

// Every picture of the tree matches its source, and some page shows it; every picture in a folder
// of sources has a source.
func TestTree(t *testing.T) {
	if err := run(t.Context(), true, []string{top}); err != nil {
		t.Error(err, "\ndraw anew: go -C fst/fstio/svg generate")
	}
	files, err := sources([]string{top})
	if err != nil || len(files) < 60 {
		t.Fatalf("%d sources, %v", len(files), err)
	}
	total := int64(0)
	pictures := map[string]bool{}
	for _, file := range files {
		pictures[target(file)] = true
		if info, err := os.Stat(target(file)); err == nil {
			total += info.Size()
		}
	}
	if total > 1<<20 {
		t.Errorf("pictures are of %d bytes", total)
	}
	for _, file := range files {
		beside, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*.svg"))
		if err != nil {
			t.Fatal(err)
		}
		for _, picture := range beside {
			if !pictures[picture] {
				t.Errorf("%s has no source", picture)
				pictures[picture] = true
			}
		}
	}
}

// A picture is drawn in the folder of its source, and -check reports missing and outdated pictures.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want string) {
		t.Helper()
		err := run(t.Context(), true, []string{dir})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := os.Mkdir(at("below"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("below/a.dot", "digraph { a -> b }")
	write("page.md", "![a](below/a.svg)")
	check("no such file")
	if err := run(t.Context(), false, []string{dir}); err != nil {
		t.Fatal(err)
	}
	check("")
	write("below/a.dot", "digraph { a -> c }")
	check("is out of date with a.dot")
	if err := run(t.Context(), false, []string{at("below/a.dot")}); err != nil {
		t.Fatal(err)
	}
	check("")
	write("page.md", "")
	check("no page shows")
	write("below/a.dot", "digraph { a -> ")
	check("a.dot: svg: no graph")
	if err := run(t.Context(), false, []string{at("none")}); err == nil {
		t.Error("a folder that is not there is drawn")
	}
}
