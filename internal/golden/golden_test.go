package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// counter counts failures.
type counter struct {
	testing.TB
	failures int
}

func (c *counter) Helper()               {}
func (c *counter) Errorf(string, ...any) { c.failures++ }

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	check := func(what string, writes bool, files map[string]string, failures int) {
		t.Helper()
		*update = writes
		defer func() { *update = false }()
		c := &counter{TB: t}
		if Folder(c, dir, ".x", files); c.failures != failures {
			t.Errorf("%s: %d failures, want %d", what, c.failures, failures)
		}
	}
	two := map[string]string{"a": "1", "b.c": "2"}
	check("nothing is there", false, two, 2)
	check("written", true, two, 0)
	check("there", false, two, 0)
	check("another text", false, map[string]string{"a": "1", "b.c": "3"}, 1)
	check("a file too many", false, map[string]string{"a": "1"}, 1)
	check("removed", true, map[string]string{"a": "1"}, 0)
	if found, err := os.ReadDir(dir); err != nil || fmt.Sprint(found) != "[- a.x]" {
		t.Errorf("%v, %v", found, err)
	}
}
