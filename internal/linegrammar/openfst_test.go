package linegrammar

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
)

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
	g, err := Import(name, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := g.Apply("€€", 1); err != nil || got[0].Text != "eüeü" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := g.Apply("€x", 1); err == nil {
		t.Error("a reading of what the machine does not read")
	}
	if _, err := Import(name, "", true); err == nil || !strings.Contains(err.Error(), "label 8364, want a byte") {
		t.Errorf("a code point for a byte: %v", err)
	}
}
