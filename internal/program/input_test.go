package program

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be read is known before the program begins, and no output is opened.
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
