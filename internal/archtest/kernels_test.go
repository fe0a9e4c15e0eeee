package archtest

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kernelMethods are the methods of semiring.Kernel and similar interfaces: one call per state
// of a machine, so a caller has a recursion over states.
var kernelMethods = []string{"Dot", "Dot2", "Marginals", "Marginals2", "Scatter2", "Sweep", "SweepTerms"}

func TestKernelsAreCalledBelowSemiringOnly(t *testing.T) {
	packages := list(t, "-deps", "-export")
	set := token.NewFileSet()
	lookup := func(path string) (io.ReadCloser, error) {
		if d, ok := packages[path]; ok && d.Export != "" {
			return os.Open(d.Export)
		}
		return nil, fmt.Errorf("no export data for %s", path)
	}
	imports := importer.ForCompiler(set, "gc", lookup) // one for all: it reads each import once
	within, above := 0, 0
	for importPath, p := range packages {
		path, ok := local(t, importPath)
		if !ok {
			continue
		}
		calls := kernelUses(t, set, imports, p)
		if path == "semiring" || strings.HasPrefix(path, "semiring/") {
			within += len(calls)
			continue
		}
		above++
		for _, c := range calls {
			t.Error(c)
		}
	}
	if within == 0 || above == 0 {
		t.Errorf("%d uses below semiring, %d packages above: the test sees nothing", within, above)
	}
}

// kernelUses returns the positions at which p mentions a kernel method of the module's rings.
func kernelUses(t *testing.T, set *token.FileSet, imports types.Importer, p *pkg) []string {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: imports}
	if _, err := config.Check(p.ImportPath, set, files, info); err != nil {
		t.Fatal(err)
	}
	var uses []string
	for e, s := range info.Selections {
		of := s.Obj()
		if s.Kind() == types.FieldVal || !slices.Contains(kernelMethods, of.Name()) || of.Pkg() == nil {
			continue
		}
		if path, ok := local(t, of.Pkg().Path()); ok && (path == "semiring" || strings.HasPrefix(path, "semiring/")) {
			uses = append(uses, fmt.Sprintf("%s: a call of the kernel method %s", set.Position(e.Pos()), of.Name()))
		}
	}
	return uses
}
