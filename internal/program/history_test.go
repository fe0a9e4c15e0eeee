package program

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A history resumes with its run, and is separate from other runs.
func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state")
	for _, checkpoint := range []string{"", file} {
		h, err := NewHistory(checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < 5; i++ {
			if err := h.Note(i, -float64(i), float64(10*i), 7); err != nil {
				t.Fatal(err)
			}
		}
		if checkpoint != "" {
			if h, err = NewHistory(checkpoint); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.Note(3, -3, 30); err != nil { // again: later notes are of another run
			t.Fatal(err)
		}
		for i, want := range [][]float64{nil, {10, 7}, {20, 7}, {30}, nil, nil} {
			if got := h.Of(i, -float64(i)); !slices.Equal(got, want) {
				t.Errorf("%q: iteration %d: %v, want %v", checkpoint, i, got, want)
			}
		}
		if got := h.Of(2, -2.5); got != nil {
			t.Errorf("another objective: %v", got)
		}
	}
	if err := os.WriteFile(file+".history", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewHistory(file); err == nil {
		t.Error("a damaged file: no error")
	}
}
