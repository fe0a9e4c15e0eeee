package fst_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"
)

// The shapes of operations. Any function or method that is given a machine has one of the first
// two.
const (
	lazyShape      = "lazy"      // machines in, a machine out: no error, no limit
	computingShape = "computing" // machines in, options last, a result and an error out
	otherShape     = "no machine"
)

// withoutMachines are the exported functions and methods that are given no machine, but for the
// methods of machines themselves and of symbols, and Err, which only asks.
var withoutMachines = []string{
	"Arena.Reset", "Arena.SetSemiring", "Arena.String", "Builder.AddArc", "Builder.AddStart", "Builder.AddState", "Builder.AddStates",
	"Builder.AllowZero", "Builder.Freeze", "Builder.SetFinal", "Builder.SetSymbols", "ByteLabels", "Edits.Machine", "Edits.Within", "Err", "SymbolsOf",
	"Failed", "FromArcs", "FromPair", "FromString", "NewArena", "NewBuilder", "NewCodec", "NewSymbols", "OneState", "Parts.String",
	"RuneLabels", "RuneSymbols", "Sampler.Sample", "StringMap", "Tape.String", "Toward.String", "UTF8",
}

// constructors are those of them that return a machine and may fail.
var constructors = []string{"Edits.Machine", "Edits.Within", "Failed", "FromArcs", "OneState", "StringMap", "UTF8"}

// exported returns the shapes of the exported functions and methods of this package, by name:
// "Compose", "Arena.Compose". Methods of machines and of symbols are left out.
func exported(t *testing.T) map[string]string {
	t.Helper()
	shapes := map[string]string{}
	for name, f := range exportedFuncs(t) {
		shapes[name] = shapeOf(t, name, f)
	}
	return shapes
}

// exportedFuncs returns the types of the functions that exported speaks of.
func exportedFuncs(t *testing.T) map[string]*ast.FuncType {
	t.Helper()
	all := map[string]*ast.FuncType{}
	for _, file := range sources(t) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				of := receiver(f.Recv.List[0].Type)
				if !ast.IsExported(of) || slices.Contains([]string{"FST", "Composition", "Symbols"}, of) {
					continue
				}
				name = of + "." + name
			}
			all[name] = f.Type
		}
	}
	return all
}

// sources returns the files of this package, without tests.
func sources(t *testing.T) (files []*ast.File) {
	t.Helper()
	for _, file := range must(os.ReadDir("."))(t) {
		if strings.HasSuffix(file.Name(), ".go") && !strings.HasSuffix(file.Name(), "_test.go") {
			files = append(files, must(parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0))(t))
		}
	}
	return files
}

// texts returns the types of parameters or results, a type per name.
func texts(list *ast.FieldList) (all []string) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for range max(1, len(field.Names)) {
			all = append(all, types.ExprString(field.Type))
		}
	}
	return all
}

// isMachine reports whether a type is that of a machine, or of several.
func isMachine(text string) bool {
	return strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "..."), "map[int32]"), "Machine[")
}

// shapeOf returns the shape of a function, and fails the test if it has none.
func shapeOf(t *testing.T, name string, f *ast.FuncType) string {
	t.Helper()
	in, out := texts(f.Params), texts(f.Results)
	for _, field := range f.Params.List {
		for _, x := range field.Names {
			if x.Name == "limit" {
				t.Errorf("%s has a limit beside its options", name)
			}
		}
	}
	for _, text := range in {
		if strings.Contains(text, "*FST[") || strings.Contains(text, "*Composition[") {
			t.Errorf("%s takes a %s, want a Machine", name, text)
		}
	}
	returnsMachine := len(out) == 1 && (isMachine(out[0]) || strings.HasPrefix(out[0], "*Composition["))
	if slices.Contains(constructors, name) && !returnsMachine {
		t.Errorf("%s returns %v, want a Machine", name, out)
	}
	if slices.Contains(withoutMachines, name) {
		if name != "Err" && name != "SymbolsOf" && slices.ContainsFunc(in, isMachine) {
			t.Errorf("%s is given a machine", name)
		}
		return otherShape
	}
	last := in[max(0, len(in)-1):]
	hasOptions := slices.Equal(last, []string{"*Options"}) || slices.Equal(last, []string{"*graph.SearchOptions[W]"})
	hasError := len(out) == 2 && out[1] == "error" || len(out) == 1 && strings.HasPrefix(out[0], "iter.Seq2[") && strings.HasSuffix(out[0], ", error]")
	switch {
	case !slices.ContainsFunc(in, isMachine):
		t.Errorf("%s is given no machine: name it among those, or give it one", name)
	case returnsMachine:
		return lazyShape
	case hasOptions && hasError:
		return computingShape
	default:
		t.Errorf("%s takes %v and returns %v: it neither returns a Machine alone, nor takes options last and returns a result and an error", name, in, out)
	}
	return ""
}

// TestShapes says which operations are lazy, and that there are no others than these and those
// that compute.
func TestShapes(t *testing.T) {
	shapes := exported(t)
	var lazy []string
	computing := 0
	for name, shape := range shapes {
		switch shape {
		case lazyShape:
			lazy = append(lazy, name)
		case computingShape:
			computing++
		}
	}
	slices.Sort(lazy)
	want := []string{
		"Arena.Compose", "Complement", "Compose", "Concat", "Determinize", "Difference", "Intersect", "Invert", "LookAhead", "Map", "Match",
		"Optional", "Plus", "ProjectIn", "ProjectOut", "Relabel", "RemoveEpsilon", "Replace", "Star", "Synchronize", "Union",
	}
	if !slices.Equal(lazy, want) {
		t.Errorf("lazy are %v, want %v", lazy, want)
	}
	if computing < 40 {
		t.Errorf("%d operations compute: the test does not see all", computing)
	}
	for _, name := range withoutMachines {
		if _, ok := shapes[name]; !ok {
			t.Errorf("%s is not there", name)
		}
	}
}
