package nested_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/internal/nested"
)

var errSentinel = errors.New("bad thing")

func TestErrorf(t *testing.T) {
	graph := fmt.Errorf("graph: %w: state 3", errSentinel)
	for _, c := range []struct{ got, want string }{
		{nested.Errorf("fst: pruning: %w", graph).Error(), "fst: pruning: bad thing: state 3"},
		{nested.Errorf("fst: %w: %w", errSentinel, graph).Error(), "fst: bad thing: state 3"},
		{nested.Errorf("em: %v: %d: %w", "em: text", 3, fmt.Errorf("em: fst: %w", graph)).Error(), "em: em: text: 3: bad thing: state 3"},
		{nested.Errorf("em: %w", errors.New("example 3: fst: limit")).Error(), "em: example 3: fst: limit"},
		{nested.Errorf("em: %w", context.Canceled).Error(), "em: context canceled"},
		{nested.Errorf("em: %w", errors.New("graph")).Error(), "em: graph"},
		{nested.Errorf("em: %w: file 2: %w", errSentinel, fmt.Errorf("fst: %w: graph: %w", errSentinel, graph)).Error(), "em: bad thing: file 2: state 3"},
		{nested.Errorf("em: %w: %w", errSentinel, errSentinel).Error(), "em: bad thing: bad thing"},
		{nested.Errorf("em: nothing").Error(), "em: nothing"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	err := nested.Errorf("fst: %w", nested.Errorf("em: %w", graph))
	if !errors.Is(err, errSentinel) || !errors.Is(err, graph) {
		t.Errorf("%v does not wrap what is in it", err)
	}
	path := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	if err := nested.Errorf("em: %w", fmt.Errorf("fst: %w", path)); !errors.As(err, new(*fs.PathError)) {
		t.Errorf("%v has lost its path", err)
	}
}

// library calls visit with each file of the library's packages, but for tests.
func library(t *testing.T, visit func(path string, set *token.FileSet, f *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			_, failed := os.Stat(filepath.Join(path, "go.mod"))
			if rel == "examples" || rel == "internal" || rel != "." && (failed == nil || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		files++
		visit(rel, set, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 300 {
		t.Errorf("%d files: the test sees nothing", files)
	}
}

var (
	prefixed = regexp.MustCompile(`^([a-z]+): `)
	verbs    = regexp.MustCompile(`%[-+# 0]*[\d.]*([a-zA-Z])`)
	sentinel = regexp.MustCompile(`^[eE]rr[A-Z]`)
)

// TestLibrary: wherever the library wraps an error that is no sentinel, the names of packages
// are left out of it, and Errorf knows all those with which messages begin.
func TestLibrary(t *testing.T) {
	library(t, func(path string, set *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			called, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || called.Sel.Name != "Errorf" || len(call.Args) == 0 {
				return true
			}
			literal, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true
			}
			format, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if m := prefixed.FindStringSubmatch(format); m != nil && !strings.HasPrefix(path, "semiring/semiringtest") {
				if got := nested.Errorf("%w", errors.New(m[1]+": x")).Error(); got != "x" {
					t.Errorf("%s: messages begin with %s, which Errorf does not know", set.Position(call.Pos()), m[1])
				}
			}
			if from, ok := called.X.(*ast.Ident); !ok || from.Name != "fmt" {
				return true
			}
			for i, v := range verbs.FindAllStringSubmatch(strings.ReplaceAll(format, "%%", ""), -1) {
				if v[1] == "w" && i+1 < len(call.Args) && !isSentinel(call.Args[i+1]) {
					t.Errorf("%s: an error in an error, want nested.Errorf", set.Position(call.Pos()))
				}
			}
			return true
		})
	})
}

// isSentinel reports whether x is the name of a variable like ErrInvalid.
func isSentinel(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return sentinel.MatchString(x.Name)
	case *ast.SelectorExpr:
		return sentinel.MatchString(x.Sel.Name)
	}
	return false
}
