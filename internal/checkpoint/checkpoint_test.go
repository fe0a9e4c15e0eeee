package checkpoint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/checkpoint"
)

const format checkpoint.Format = "pathsum test 1"

func TestLoad(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	var got []float64
	if found, err := format.Load(name, "me", &got); found || err != nil {
		t.Errorf("%v, %v without a file", found, err)
	}
	want := []float64{1, 2.5}
	if err := format.Save(name, "me", []float64{9}); err != nil {
		t.Fatal(err)
	}
	if err := format.Save(name, "me", want); err != nil { // replaces it
		t.Fatal(err)
	}
	if found, err := format.Load(name, "me", &got); !found || err != nil || len(got) != 2 || got[1] != 2.5 {
		t.Errorf("%v, %v, %v", found, err, got)
	}
	if left, _ := filepath.Glob(name + "?*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for says, content := range map[string]string{
		"does not begin": "other" + string(text),
		"damaged":        string(text) + "x",
		"belongs to":     strings.Replace(string(text), "me", "you", 1),
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if found, err := format.Load(name, "me", &got); found || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, %v, want an error that says %q", found, err, says)
		}
	}
	if _, err := format.Load(t.TempDir(), "me", &got); err == nil {
		t.Error("no error for a directory")
	}
}

func TestSaveFails(t *testing.T) {
	if err := format.Save(filepath.Join(t.TempDir(), "no", "state"), "me", 1); err == nil {
		t.Error("no error for a missing directory")
	}
	if err := format.Save(filepath.Join(t.TempDir(), "state"), "me", func() {}); err == nil {
		t.Error("no error for what cannot be encoded")
	}
}
