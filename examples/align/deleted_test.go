package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestDeleted: lines learnt from, written or scored, are aligned without their own counts,
// unless -deleted 0 says so. A line of -apply is a new text of one line.
func TestDeleted(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, dir, map[string]string{"new": "the small house ||| das kleine haus\n"})
	aligned := func(args ...string) (links string, aer float64) {
		t.Helper()
		status, r, _ := run(t, t.Context(), io.Discard, slices.Concat(args, []string{"-o", at("o"), "-posteriors", "-threshold", ".1"})...)
		b, err := os.ReadFile(at("o"))
		if status != 0 || err != nil {
			t.Fatalf("%v: status %d, %v", args, status, err)
		}
		return string(b), *r.AER
	}
	whole, wholeAER := aligned("-deleted", "0")
	links, aer := aligned("-workers", "1")
	if links == whole || aer == wholeAER {
		t.Error("the default leaves out nothing")
	}
	if again, _ := aligned("-deleted", ".9", "-workers", "3"); again != links {
		t.Error(".9 with 3 workers is not the default")
	}
	for _, share := range []string{"0", ".9"} {
		applied, _ := aligned("-apply", at("new"), "-deleted", share, "-save", at("model"))
		status, _, _ := run(t, t.Context(), io.Discard, "-load", at("model"), "-bitext", at("new"), "-o", at("o"), "-posteriors", "-threshold", ".1")
		if b, err := os.ReadFile(at("o")); status != 0 || err != nil || string(b) != applied {
			t.Errorf("-deleted %s: a text of a line has links %q, by -apply %q; status %d, %v", share, b, applied, status, err)
		}
	}
}
