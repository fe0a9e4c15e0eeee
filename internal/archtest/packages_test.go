package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// module is the path of the module, read from the go command so that it can be
// renamed.
var module = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m").Output()
	return strings.TrimSpace(string(out)), err
})

// pkg has the go command's data on a package.
type pkg struct {
	ImportPath   string
	Dir          string
	Export       string
	Standard     bool
	DepOnly      bool
	GoFiles      []string
	Imports      []string
	Deps         []string
	TestImports  []string
	XTestImports []string
}

// local returns the path of p below the module, and false for a foreign package.
func local(t *testing.T, path string) (string, bool) {
	t.Helper()
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	if path == m {
		return ".", true
	}
	return strings.CutPrefix(path, m+"/")
}

// list returns the output of go list with the given arguments, by import path.
func list(t *testing.T, args ...string) map[string]*pkg {
	t.Helper()
	// Files that a child process reads are not inputs of the test for the cache of test
	// results, but files that the test itself visits are. Without this walk the cache could
	// return an outdated result.
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append([]string{"list", "-json"}, append(args, m+"/...")...)...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	packages := map[string]*pkg{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(pkg)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}
