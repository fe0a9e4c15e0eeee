package program

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/stdintest"
)

// An output that is also an input, under any name, is an error before anything is written.
func TestOutputIsInput(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const content = "precious\n"
	for _, name := range []string{"data", "state.history", "figure.svg"} {
		if err := os.WriteFile(at(name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(at("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": at("data"), "again": at("link"), "way": at("folder"), "figure2.svg": at("figure.svg")} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip("no links:", err)
		}
	}
	if err := os.Link(at("data"), at("hard")); err != nil {
		t.Skip("no links:", err)
	}
	for _, args := range [][]string{
		{"-data", at("data"), "-o", at("data")},
		{"-data", at("data"), "-o", dir + "/folder/../data"},
		{"-data", at("data"), "-o", at("link")},
		{"-data", at("again"), "-save", at("data")},
		{"-data", at("again"), "-save", at("hard")},
		{"-apply", at("hard"), "-o", at("again")},
		{"-test", at("data"), "-checkpoint", at("link")},
		{"-data", at("state.history"), "-checkpoint", at("state")},
		{"-data", at("figure.svg"), "-plot", at("figure2.svg")},
		{"-data", at("figure.svg"), "-curve", at("figure.svg")},
		{"-order", "4", "-data", at("data"), "-o", at("data")}, // before other flags are looked at
	} {
		got := execute(t.Context(), nothing, args...)
		text, err := os.ReadFile(at("data"))
		if got.status != 2 || !strings.Contains(got.stderr, "and the input would be overwritten (-h explains the flags)\n") || string(text) != content || err != nil {
			t.Errorf("%v: %+v, the file is %q, %v", args, got, text, err)
		}
	}
	// So are two outputs that are the same file, by links to it or to its folder.
	for _, args := range [][]string{
		{"-o", at("data"), "-save", at("hard")},
		{"-o", at("folder") + "/new", "-save", at("way") + "/new"},
		{"-checkpoint", at("state"), "-o", at("state.history")},
	} {
		if got := execute(t.Context(), nothing, args...); got.status != 2 || !strings.Contains(got.stderr, ": both are ") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	stdintest.Set(t, "")
	for _, args := range [][]string{
		{"-apply", "-", "-o", "-"},
		{"-data", os.DevNull, "-o", os.DevNull},
		{"-data", at("data"), "-test", at("link")}, // read twice
		{"-data", at("data"), "-o", at("folder") + "/data"},
	} {
		if got := execute(t.Context(), nothing, args...); got.status != 0 {
			t.Errorf("%v: %+v", args, got)
		}
	}
	out, err := os.OpenFile(at("data"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p := New("fake", "")
	p.Data("a line")
	var stderr bytes.Buffer
	p.Do(nothing)
	if status := p.Execute(t.Context(), []string{"-data", at("link")}, out, &stderr); status != 1 || !strings.Contains(stderr.String(), "it is standard output, too") {
		t.Errorf("standard output: status %d, %s", status, &stderr)
	}
}

// An unreadable input is reported before the program begins, and outputs are not opened.
func TestInputsAreThere(t *testing.T) {
	folder := t.TempDir()
	for _, flag := range []string{"-data", "-test"} {
		for name, want := range map[string]int{filepath.Join(folder, "none"): 1, os.DevNull: 0, "-": 0, "": 0, folder: 0} {
			began := false
			got := execute(t.Context(), func(context.Context, *Run) error { began = true; return nil }, flag, name, "-o", filepath.Join(folder, "out"))
			if got.status != want || began != (want == 0) {
				t.Errorf("%s %q: began %v, %+v", flag, name, began, got)
			}
			if want != 0 && (!strings.HasPrefix(got.stderr, "fake: "+flag+": ") || !strings.Contains(got.stderr, "no such file")) {
				t.Errorf("%s %q: %+v", flag, name, got)
			}
		}
	}
	if files, _ := os.ReadDir(folder); len(files) > 0 {
		t.Errorf("%v is made", files)
	}
}
