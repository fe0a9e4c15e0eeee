package main

import (
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// firstScreens are the folders whose package comments begin with the idea, a program that is
// part of a test, and a list of questions with functions, on one screen.
var firstScreens = []string{"fst", "semiring", "em", "moments", "convex", "models"}

// TestFirstScreens: the beginning of go doc is short, and its program compiles and runs,
// because all its lines are lines of one test file, in order.
func TestFirstScreens(t *testing.T) {
	for _, folder := range firstScreens {
		err := filepath.WalkDir(filepath.Join(root, folder), func(dir string, d os.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || d.Name() == "internal" || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(dir, "doc.go")); err == nil {
				firstScreen(t, dir)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFirstScreensOfPrograms: the documentation of a program begins with a sentence about its
// purpose and the command that runs it, and its first part fits on a screen.
func TestFirstScreensOfPrograms(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "examples", "*", "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 15 {
		t.Fatalf("%d programs", len(files))
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		screen, _, _ := strings.Cut(f.Doc.Text(), "\n# ")
		if n := screenLines(f.Doc.Text()); n > 40 {
			t.Errorf("%s: go doc prints %d lines before the first heading, want at most 40", file, n)
		}
		command := "\tgo run ./examples/" + filepath.Base(filepath.Dir(file))
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "go.mod")); err == nil {
			command = "\tgo -C examples/" + filepath.Base(filepath.Dir(file)) + " run ."
		}
		if i := strings.Index(screen, command); i < 0 || strings.Count(screen[:i], "\n") > 15 {
			t.Errorf("%s: no line %q among the first 15", file, command)
		}
	}
}

// screenLines returns the number of lines that go doc prints for a comment before its first heading.
func screenLines(text string) int {
	d := new(doc.Package).Parser().Parse(text)
	for i, b := range d.Content {
		if _, ok := b.(*comment.Heading); ok {
			d.Content = d.Content[:i]
			break
		}
	}
	return strings.Count(string((&comment.Printer{TextWidth: 80}).Text(d)), "\n")
}

// firstScreen checks the comment of the package in a folder.
func firstScreen(t *testing.T, dir string) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "doc.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	screen, _, _ := strings.Cut(f.Doc.Text(), "\n# ")
	if n := screenLines(f.Doc.Text()); n > 40 {
		t.Errorf("%s: go doc prints %d lines before the first heading, want at most 40", dir, n)
	}
	if strings.Count(screen, "\n  - ") < 2 {
		t.Errorf("%s: no list of questions with functions before the first heading", dir)
	}
	var program []string
	for line := range strings.Lines(screen) {
		code, ok := strings.CutPrefix(line, "\t")
		if ok {
			program = append(program, code)
		} else if strings.TrimSpace(line) != "" && len(program) > 0 {
			break
		}
	}
	if len(program) == 0 || len(program) > 14 {
		t.Errorf("%s: a program of %d lines, want 1 to 14", dir, len(program))
	}
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	missing := ""
	for _, name := range names {
		line := notThere(program, read(t, name))
		if line == "" {
			return
		}
		if strings.Contains(filepath.Base(name), "example") {
			missing = line
		}
	}
	t.Errorf("%s: no file of tests has the lines of the program in its comment, such as %q", dir, missing)
}

// notThere returns the first line of a program that is missing at its position in a text, or
// "". It ignores comments, blanks at the ends and lines of …, and whether a variable is
// declared, a result used, or an error in the same line.
func notThere(program []string, text string) string {
	code := func(line string) string {
		line = strings.TrimSpace(regexp.MustCompile(`(^|\s)//.*`).ReplaceAllString(line, ""))
		if line == "…" || line == "..." {
			return ""
		}
		return strings.NewReplacer(" := ", " = ", "context.Background()", "ctx", "result, err", "_, err").Replace(line)
	}
	lines := strings.Split(text, "\n")
	for _, want := range program {
		if want = code(want); want == "" {
			continue
		}
		for len(lines) > 0 && !strings.Contains(code(lines[0]), want) {
			lines = lines[1:]
		}
		if len(lines) == 0 {
			return want
		}
		lines = lines[1:]
	}
	return ""
}
