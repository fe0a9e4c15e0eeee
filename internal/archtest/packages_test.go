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

// pkg is what the go command says about a package.
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

// local returns the path of p below the module, false for a foreign package.
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

// list returns what go list says with the given arguments, by import path.
func list(t *testing.T, args ...string) map[string]*pkg {
	t.Helper()
	// What a child process reads does not count as an input of the test, what
	// the test itself looks at does: without this walk an old verdict could be
	// taken from the cache of test results.
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
