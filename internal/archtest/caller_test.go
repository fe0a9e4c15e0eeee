package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// worldly are functions that change or stop the whole process, which belongs to the caller.
var worldly = map[string][]string{
	"runtime":       {"GC", "GOMAXPROCS", "LockOSThread"},
	"runtime/debug": {"FreeOSMemory", "SetGCPercent", "SetMemoryLimit", "SetMaxStack", "SetMaxThreads"},
	"os":            {"Exit"},
}

// TestLibraryLeavesTheProcessAlone: only programs stop the process or change its settings.
// GOMAXPROCS is allowed with 0, which sets nothing.
func TestLibraryLeavesTheProcessAlone(t *testing.T) {
	files := 0
	for importPath, p := range list(t) {
		path, ok := local(t, importPath)
		if !ok || strings.HasPrefix(path, "examples/") || strings.HasPrefix(path, "internal/") {
			continue
		}
		for _, name := range p.GoFiles {
			files++
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range worldlyCalls(f) {
				t.Errorf("%s: a call that the whole process feels", set.Position(at))
			}
		}
	}
	if files < 100 {
		t.Errorf("%d files: the test sees nothing", files)
	}
}

// worldlyCalls returns the positions at which a file calls one of them.
func worldlyCalls(f *ast.File) []token.Pos {
	forbidden := map[string]bool{} // as it is called in the file
	for _, spec := range f.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		local := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			local = spec.Name.Name
		}
		for _, name := range worldly[path] {
			forbidden[local+"."+name] = true
		}
	}
	var found []token.Pos
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		of, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := of.X.(*ast.Ident)
		if !ok || !forbidden[x.Name+"."+of.Sel.Name] {
			return true
		}
		if zero, ok := firstArgument(call).(*ast.BasicLit); of.Sel.Name == "GOMAXPROCS" && ok && zero.Value == "0" {
			return true
		}
		found = append(found, call.Pos())
		return true
	})
	return found
}

func firstArgument(call *ast.CallExpr) ast.Expr {
	if len(call.Args) == 0 {
		return nil
	}
	return call.Args[0]
}
