package named_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/models/grammar/treebank"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
	"example.org/pathsum/semiring"
)

func TestNames(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{named.One(1, "Kind", "a", "b"), "b"},
		{named.One(2, "Kind", "a", "b"), "Kind(2)"},
		{named.One(-1, "Kind", "a", "b"), "Kind(-1)"},
		{named.Set(uint8(0), "Parts", "a", "b"), "0"},
		{named.Set(uint8(3), "Parts", "a", "b"), "a|b"},
		{named.Set(uint8(6), "Parts", "a", "b"), "b|Parts(0x4)"},
		{named.Label('d'), "'d' (100)"},
		{named.Label('é'), "'é' (233)"},
		{named.Label(7), "7"},
		{named.Label(' '), "32"},
		{named.Label(1 << 24), "16777216"},
		{named.Label(-3), "-3"},
		{em.Skip.String(), "skip"},
		{fst.Output.String(), "output"},
		{(fst.Labels | fst.Weights).String(), "labels|weights"},
		{treebank.XPOS.String(), "XPOS"},
		{phylo.SupportLength.String(), "support:length"},
		{msa.DotsFirst.String(), "first row"},
		{msa.BestRow.String(), "best row"},
		{semiring.Selective.String(), "idempotent|selective"},
		{cascade.Labels(1, 2).String(), "[1 2]"},
		{cascade.Side{}.String(), "anything"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// unnamed are exported integers with constants that are not enumerations.
var unnamed = map[string]string{
	"expr.W":   "handles, which a Space prints",
	"msa.Cell": "bases, and one that is missing",
}

// TestEnumerations: all enumerations that the library exports have names.
func TestEnumerations(t *testing.T) {
	root, found := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		_, failed := os.Stat(filepath.Join(path, "go.mod"))
		if name := d.Name(); path != root && (failed == nil || name == "examples" || name == "internal" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil {
			return err
		}
		e := enumerations{integers: map[string]bool{}, constants: map[string]bool{}, strings: map[string]bool{}}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				return err
			}
			e.read(f)
		}
		for name := range e.constants {
			if !e.integers[name] {
				continue
			}
			found++
			if full := filepath.Base(path) + "." + name; !e.strings[name] && unnamed[full] == "" {
				t.Errorf("%s has constants, and no method String", full)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 25 {
		t.Errorf("%d enumerations: the test sees nothing", found)
	}
}

// enumerations has the names of the exported types of a package that are integers, that have
// constants, and that have a method String.
type enumerations struct{ integers, constants, strings map[string]bool }

func (e enumerations) read(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && d.Name.Name == "String" {
				if x, ok := d.Recv.List[0].Type.(*ast.Ident); ok {
					e.strings[x.Name] = true
				}
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					x, ok := s.Type.(*ast.Ident)
					e.integers[s.Name.Name] = ok && s.Name.IsExported() && strings.Contains(x.Name, "int")
				case *ast.ValueSpec:
					if x, ok := s.Type.(*ast.Ident); ok && d.Tok == token.CONST {
						e.constants[x.Name] = true
					}
				}
			}
		}
	}
}
