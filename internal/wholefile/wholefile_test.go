package wholefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// write replaces the named file.
func write(t *testing.T, name, text string) {
	t.Helper()
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
}

// holds asserts the contents of a folder: names and contents of files.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("%s is left", e.Name())
		}
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != text || err != nil {
			t.Errorf("%s holds %q, want %q; %v", name, got, text, err)
		}
	}
}

func TestWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	write(t, name, "first")
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "second")
	if text, err := os.ReadFile(name); string(text) != "first" || err != nil {
		t.Errorf("while it is written: %q, %v", text, err)
	}
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"a": "first"})
	write(t, name, "third")
	holds(t, dir, map[string]string{"a": "third"})
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions changed: %v, %v", info.Mode(), err)
	}
}

// A link remains a link, for any target.
func TestLinks(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	to := filepath.Join(other, "state")
	for link, target := range map[string]string{"absolute": to, "relative": "absolute"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	for _, text := range []string{"made", "replaced"} {
		write(t, filepath.Join(dir, "relative"), text)
		holds(t, other, map[string]string{"state": text})
		if link, err := os.Readlink(filepath.Join(dir, "absolute")); link != to || err != nil {
			t.Errorf("the link is %q, %v", link, err)
		}
	}
	round := filepath.Join(dir, "round")
	if err := os.Symlink(round, round); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(round); err == nil {
		t.Error("a link to itself: no error")
	}
}

// The remains of a killed writer are taken over or removed; the file of a running writer is not
// changed.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	left := name + Suffix
	leave := func() {
		if err := os.WriteFile(left, []byte("much more than what comes"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	write(t, name, "text")
	holds(t, dir, map[string]string{"a": "text"})
	leave()
	if err := errors.Join(Clean(name), Clean(name)); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"a": "text"})
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if !Lock(f.f) { // a file does not block itself
		t.Error("locked twice")
	}
	if other, err := os.Open(left); err != nil || Lock(other) {
		t.Skip("no locks:", err)
	}
	if _, err := Create(name); !errors.Is(err, ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	if err := Clean(name); err != nil {
		t.Error(err)
	}
	io.WriteString(f, "whole")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"a": "whole"})
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(dir); err == nil {
		t.Error("a folder: no error")
	}
	if _, err := Create(filepath.Join(dir, "none", "a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if err := Clean(filepath.Join(dir, "none", "a")); err != nil {
		t.Errorf("nothing to remove: %v", err)
	}
	entries, _ := os.ReadDir(dir)
	if slices.ContainsFunc(entries, func(os.DirEntry) bool { return true }) {
		t.Errorf("%v is left", entries)
	}
}

// Files that are not regular are written directly, not replaced.
func TestDirect(t *testing.T) {
	write(t, os.DevNull, "text")
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is replaced: %v", os.DevNull, err)
	}
}
