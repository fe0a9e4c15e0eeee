package archtest

import (
	"os"
	"slices"
	"testing"
)

// The entries of the top folder. Everything belongs in one of these.
var top = []string{
	".ci", ".git", ".github", ".gitignore", "LICENSE", "README.md", "go.mod", "go.sum",
	"semiring", "fst", "em", "moments", "convex", "models", "examples", "internal",
}

func TestTopLevel(t *testing.T) {
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(top, e.Name()) {
			t.Errorf("%s has no place at the top of the tree", e.Name())
		}
	}
}
