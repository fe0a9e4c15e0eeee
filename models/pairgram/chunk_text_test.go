package pairgram

import (
	"testing"

	"example.org/pathsum/fst"
)

// TestChunkText: a chunk is a word of the names of its symbols.
func TestChunkText(t *testing.T) {
	names := fst.NewSymbols("a")
	if text, err := (Chunk{Target: []int32{1}}).Text(names, names); err != nil || text != "_}a" {
		t.Errorf("text %q, error %v", text, err)
	}
}
