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

// code is an error of a separate type.
type code int

func (c code) Error() string   { return "rx: " + c.Unnamed() }
func (c code) Unnamed() string { return fmt.Sprintf("code %d", int(c)) }

func TestErrorf(t *testing.T) {
	graph := nested.Errorf("graph: %w: state 3", errSentinel)
	foreign := fmt.Errorf("graph: %w: state 3", errSentinel)
	for _, c := range []struct {
		got  error
		want string
	}{
		{graph, "graph: bad thing: state 3"},
		{nested.Errorf("fst: pruning: %w", graph), "fst: pruning: bad thing: state 3"},
		{nested.Errorf("fst: %w: %w", errSentinel, graph), "fst: bad thing: state 3"},
		{nested.Errorf("em: %v: %d: %w", "em: text", 3, nested.Errorf("em: %w", graph)), "em: em: text: 3: bad thing: state 3"},
		{nested.Errorf("em: 100%%: %w", graph), "em: 100%: bad thing: state 3"},
		{nested.Errorf("em: %w", nested.Errorf("example 3: %w", graph)), "em: example 3: bad thing: state 3"},
		{nested.Errorf("em: %w", code(7)), "em: code 7"},
		{nested.Errorf("em: %w: %w", errSentinel, errSentinel), "em: bad thing: bad thing"},
		{nested.Errorf("em: %w: file 2: %w", errSentinel, nested.Errorf("fst: %w: %w", errSentinel, graph)), "em: bad thing: file 2: state 3"},
		{nested.Errorf("em: nothing"), "em: nothing"},
		// Messages of errors from other modules are unchanged.
		{nested.Errorf("em: %w", foreign), "em: graph: bad thing: state 3"},
		{nested.Errorf("em: %w", context.Canceled), "em: context canceled"},
		{nested.Errorf("em: %w", errors.New("graph")), "em: graph"},
		{nested.Errorf("em: %v", error(nil)), "em: <nil>"},
	} {
		if c.got.Error() != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	err := nested.Errorf("fst: %w", nested.Errorf("em: %w", graph))
	if !errors.Is(err, errSentinel) || !errors.Is(err, graph) {
		t.Errorf("%v does not wrap what is in it", err)
	}
	path := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	if err := nested.Errorf("em: %w", nested.Errorf("fst: %w", path)); !errors.As(err, new(*fs.PathError)) {
		t.Errorf("%v has lost its path", err)
	}
	if got := nested.Text(err); got != "bad thing: state 3" {
		t.Errorf("%q without its package", got)
	}
}

// library calls visit with each file of the library's packages, except tests.
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

// TestLibrary: Errorf makes every error that names its package, and every error that wraps an
// error other than a sentinel; and packages do not name other packages.
func TestLibrary(t *testing.T) {
	library(t, func(path string, set *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			called, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			from, ok := called.X.(*ast.Ident)
			if !ok {
				return true
			}
			literal, ok := call.Args[0].(*ast.BasicLit)
			maker := from.Name + "." + called.Sel.Name
			if !ok || maker != "fmt.Errorf" && maker != "errors.New" && maker != "nested.Errorf" {
				return true
			}
			format, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			m := prefixed.FindStringSubmatch(format)
			internal := strings.Contains(path, "internal/")
			switch {
			case maker != "nested.Errorf" && m != nil && (internal || m[1] == f.Name.Name):
				t.Errorf("%s: an error names its package, want nested.Errorf", set.Position(call.Pos()))
			case maker == "nested.Errorf" && m != nil && !internal && m[1] != f.Name.Name:
				t.Errorf("%s: package %s names %q", set.Position(call.Pos()), f.Name.Name, m[1])
			}
			if maker != "fmt.Errorf" {
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
