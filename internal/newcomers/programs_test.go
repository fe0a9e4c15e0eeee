package newcomers_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/golden"
)

// programs are the programs with their numbers of lines, and the numbers of lines that handle
// errors. Earlier is the number of lines of the program for the same task before operations
// became expressions of machines.
var programs = []struct {
	name                   string
	earlier, lines, errors int
}{
	{"ownring", 101, 96, 9},
	{"hidden", 73, 72, 9},
	{"numbers", 75, 72, 18},
	{"regexps", 39, 38, 9},
	{"semimarkov", 177, 161, 21},
	{"openfst", 67, 64, 16},
	{"moments", 92, 88, 27},
	{"network", 80, 79, 18},
}

func TestPrograms(t *testing.T) {
	// Files that the test itself visits are inputs for the cache of test results, but files
	// that the go command reads are not. Without this walk the cache could return an outdated
	// result.
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir+string(filepath.Separator), "./...")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			var complaints bytes.Buffer
			program := exec.Command(filepath.Join(dir, p.name))
			program.Stderr = &complaints
			output, err := program.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &complaints)
			}
			golden.File(t, filepath.Join(p.name, "output.txt"), string(output))
		})
	}
}

// TestLines fails if a program has become longer, or is not in the table.
func TestLines(t *testing.T) {
	found, err := filepath.Glob("*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(programs) {
		t.Errorf("%d programs, %d in the table", len(found), len(programs))
	}
	for _, p := range programs {
		text, err := os.ReadFile(filepath.Join(p.name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > p.lines {
			t.Errorf("%s has %d lines, more than %d", p.name, n, p.lines)
		}
		if n := errorLines(string(text)); n > p.errors {
			t.Errorf("%s has %d lines that handle errors, more than %d", p.name, n, p.errors)
		}
	}
}

// errorLines counts the lines from a condition on err to the end of its block, and calls of a
// function check.
func errorLines(program string) int {
	n, inside := 0, false
	for line := range strings.Lines(program) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "if ") && strings.HasSuffix(line, "err != nil {") {
			inside = true
		}
		if inside || strings.HasPrefix(line, "check(") || strings.HasPrefix(line, "func check(") {
			n++
		}
		if strings.HasPrefix(line, "}") {
			inside = false
		}
	}
	return n
}
