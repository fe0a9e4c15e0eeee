package fst_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// The shapes of operations. A function or method with a machine as argument must have one of
// the first two.
const (
	lazyShape      = "lazy"      // machines in, a machine out: no error, no limit
	computingShape = "computing" // machines in, options last, a result and an error out
	otherShape     = "no machine"
)

// withoutMachines are the exported functions and methods without a machine as argument, except
// the methods of machines themselves and of symbols. Err and SymbolsOf, which only query a
// machine, are included.
var withoutMachines = []string{
	"Arena.Reset", "Arena.SetSemiring", "Arena.String", "Builder.AddArc", "Builder.AddStart", "Builder.AddState", "Builder.AddStates",
	"Builder.AllowZero", "Builder.Freeze", "Builder.SetFinal", "Builder.SetSymbols", "ByteLabels", "Edits.Machine", "Edits.Within", "Err", "SymbolsOf",
	"Failed", "FromArcs", "FromPair", "FromString", "NewArena", "NewBuilder", "NewCodec", "NewSymbols", "OneState", "ArcParts.String",
	"RuneLabels", "RuneSymbols", "Sampler.Sample", "StringMap", "Tape.String", "PushDirection.String", "UTF8",
}

// constructors are those functions of withoutMachines that return a machine and may fail.
var constructors = []string{"Edits.Machine", "Edits.Within", "Failed", "FromArcs", "OneState", "StringMap", "UTF8"}

// exported returns the shapes of the exported functions and methods of this package, by name:
// "Compose", "Arena.Compose". Methods of machines and of symbols are omitted.
func exported(t *testing.T) map[string]string {
	t.Helper()
	shapes := map[string]string{}
	for name, f := range exportedFuncs(t) {
		shapes[name] = shapeOf(t, name, f)
	}
	return shapes
}

// exportedFuncs returns the types of the functions covered by exported.
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

// isMachine reports whether a type is a machine or a list of machines.
func isMachine(text string) bool {
	return strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "..."), "map[int32]"), "Machine[")
}

// shapeOf returns the shape of a function, and fails the test if the function has none.
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

// TestShapes checks the list of lazy operations, and that all other operations are eager.
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

// wantPanic fails the test unless do panics with a message.
func wantPanic(t *testing.T, message string, do func()) {
	t.Helper()
	defer func() {
		if got := fmt.Sprint(recover()); got != message {
			t.Errorf("panic %q, want %q", got, message)
		}
	}()
	do()
}

// A nil argument, typed or not, is rejected immediately by a panic that names the function and
// the argument.
func TestNilArguments(t *testing.T) {
	var ring semiring.Semiring[float64]
	var typed *fst.FST[float64]
	good, rng := fst.FromString(reals, []int32{1}), rand.NewPCG(1, 2)
	arena := fst.NewArena(reals)
	codec := must(fst.NewCodec(reals, fst.Labels))(t)
	same := func(w float64) float64 { return w }
	all := func(float64) bool { return true }
	refused := map[string]bool{} // functions that were called with nil
	refuses := func(function string, do func()) {
		t.Helper()
		name, argument, _ := strings.Cut(function, ": ")
		refused[name] = true
		if !strings.HasPrefix(name, "Edits.") { // other methods lack their type in messages
			name = name[strings.Index(name, ".")+1:]
		}
		wantPanic(t, "fst: "+name+": nil "+argument, do)
	}
	for _, none := range []realM{nil, typed} {
		for message, do := range map[string]func(){
			"Apply: machine":                func() { fst.Apply(none, nil, nil) },
			"ApplyText: machine":            func() { fst.ApplyText(none, "", nil) },
			"ArcSortIn: machine":            func() { fst.ArcSortIn(none, nil) },
			"ArcSortOut: machine":           func() { fst.ArcSortOut(none, nil) },
			"Arena.Apply: machine":          func() { arena.Apply(none, nil, nil) },
			"Arena.Compose: machine 0":      func() { arena.Compose(none, good) },
			"Arena.Compose: machine 1":      func() { arena.Compose(good, none) },
			"Arena.Expand: machine":         func() { arena.Expand(none, nil) },
			"Arena.Weight: machine":         func() { arena.Weight(none, nil, nil, nil) },
			"BestPaths: machine":            func() { fst.BestPaths(none, 1, nil) },
			"BestText: machine":             func() { fst.BestText(none, "", nil) },
			"Codec.Decode: machine":         func() { codec.Decode(none, nil) },
			"Codec.Encode: machine":         func() { codec.Encode(none, nil) },
			"Complement: machine":           func() { fst.Complement(none, nil, nil) },
			"Compose: machine 0":            func() { fst.Compose(none, good) },
			"Compose: machine 1":            func() { fst.Compose(good, none) },
			"Concat: machine":               func() { fst.Concat(none) },
			"Concat: machine 1":             func() { fst.Concat(good, none) },
			"Connect: machine":              func() { fst.Connect(none, nil) },
			"Determinize: machine":          func() { fst.Determinize(none, nil) },
			"DeterminizeAll: machine":       func() { fst.DeterminizeAll(none, nil) },
			"DeterminizeBest: machine":      func() { fst.DeterminizeBest(none, nil) },
			"Difference: machine 0":         func() { fst.Difference(none, good, nil) },
			"Difference: machine 1":         func() { fst.Difference(good, none, nil) },
			"Disambiguate: machine":         func() { fst.Disambiguate(none, nil) },
			"DisambiguateBest: machine":     func() { fst.DisambiguateBest(none, nil) },
			"Equal: machine 0":              func() { fst.Equal(none, good, nil) },
			"Equal: machine 1":              func() { fst.Equal(good, none, nil) },
			"Equivalent: machine 0":         func() { fst.Equivalent(none, good, nil) },
			"Equivalent: machine 1":         func() { fst.Equivalent(good, none, nil) },
			"Err: machine":                  func() { fst.Err(none) },
			"Expand: machine":               func() { fst.Expand(none, nil) },
			"ExpandWithin: machine":         func() { fst.ExpandWithin(context.Background(), none, 1, nil) },
			"Intersect: machine 0":          func() { fst.Intersect(none, good) },
			"Intersect: machine 1":          func() { fst.Intersect(good, none) },
			"Invert: machine":               func() { fst.Invert(none) },
			"Isomorphic: machine 0":         func() { fst.Isomorphic(none, good, nil) },
			"Isomorphic: machine 1":         func() { fst.Isomorphic(good, none, nil) },
			"LookAhead: machine":            func() { fst.LookAhead(none, 0) },
			"Map: machine":                  func() { fst.Map(none, reals, same) },
			"Match: machine":                func() { fst.Match(none, fst.Matching{}) },
			"MergeBisimilar: machine":       func() { fst.MergeBisimilar(none, nil) },
			"Minimize: machine":             func() { fst.Minimize(none, nil) },
			"NewSampler: machine":           func() { fst.NewSampler(none, nil) },
			"NormalizeEpsilon: machine":     func() { fst.NormalizeEpsilon(none, fst.Input, nil) },
			"Optimize: machine":             func() { fst.Optimize(none, nil) },
			"Optional: machine":             func() { fst.Optional(none) },
			"PathSum: machine":              func() { fst.PathSum(none, nil) },
			"Plus: machine":                 func() { fst.Plus(none) },
			"ProjectIn: machine":            func() { fst.ProjectIn(none) },
			"ProjectOut: machine":           func() { fst.ProjectOut(none) },
			"PruneArcs: machine":            func() { fst.PruneArcs(none, all, nil) },
			"PruneBeam: machine":            func() { fst.PruneBeam(none, 1, nil) },
			"PrunePosterior: machine":       func() { fst.PrunePosterior(none, 1, nil) },
			"PushLabels: machine":           func() { fst.PushLabels(none, 0, nil) },
			"PushWeights: machine":          func() { fst.PushWeights(none, 0, nil) },
			"Quotient: machine":             func() { fst.Quotient(none, nil, nil) },
			"RandomlyEquivalent: machine 0": func() { fst.RandomlyEquivalent(none, good, rng, 1, nil) },
			"RandomlyEquivalent: machine 1": func() { fst.RandomlyEquivalent(good, none, rng, 1, nil) },
			"Relabel: machine":              func() { fst.Relabel(none, nil, nil) },
			"RemoveEpsilon: machine":        func() { fst.RemoveEpsilon(none) },
			"Renumber: machine":             func() { fst.Renumber(none, nil, nil) },
			"Replace: root":                 func() { fst.Replace(none, nil, nil) },
			"Replace: machine for label 7":  func() { fst.Replace(good, map[int32]realM{3: good, 7: none}, nil) },
			"Reverse: machine":              func() { fst.Reverse(none, nil) },
			"SampleText: machine":           func() { fst.SampleText(none, "", rng, nil) },
			"ShortestPaths: machine":        func() { fst.ShortestPaths(none, 1, nil) },
			"ShortestStrings: machine":      func() { fst.ShortestStrings(none, 1, nil) },
			"Star: machine":                 func() { fst.Star(none) },
			"Synchronize: machine":          func() { fst.Synchronize(none, nil) },
			"TopSort: machine":              func() { fst.TopSort(none, nil) },
			"Unambiguous: machine":          func() { fst.Unambiguous(none, nil) },
			"Uniform: machine":              func() { fst.Uniform(none, nil) },
			"Union: machine":                func() { fst.Union(none) },
			"Union: machine 0":              func() { fst.Union(none, good) },
			"Union: machine 1":              func() { fst.Union(good, none) },
			"Weight: machine":               func() { fst.Weight(none, nil, nil, nil) },
		} {
			refuses(message, do)
		}
	}
	for message, do := range map[string]func(){
		"Arena.SetSemiring: ring":                  func() { arena.SetSemiring(ring) },
		"Edits.Machine: ring":                      func() { fst.Edits[float64]{}.Machine(ring, nil, nil) },
		"Edits.Within: ring":                       func() { fst.Edits[float64]{}.Within(ring, nil, nil, 1) },
		"ExpandWithin: context":                    func() { fst.ExpandWithin(nilContext, good, 1, nil) },
		"Failed: ring":                             func() { fst.Failed(ring, fst.ErrInvalid) },
		"Failed: error":                            func() { fst.Failed(reals, nil) },
		"FromArcs: ring":                           func() { fst.FromArcs(ring, nil) },
		"FromPair: ring":                           func() { fst.FromPair(ring, nil, nil) },
		"FromString: ring":                         func() { fst.FromString(ring, nil) },
		"Map: ring":                                func() { fst.Map(good, ring, same) },
		"Map: function":                            func() { fst.Map[float64, float64](good, reals, nil) },
		"NewArena: ring":                           func() { fst.NewArena(ring) },
		"NewBuilder: ring":                         func() { fst.NewBuilder(ring) },
		"NewCodec: ring":                           func() { fst.NewCodec(ring, fst.Labels) },
		"OneState: ring":                           func() { fst.OneState(ring, 1) },
		"PruneArcs: function":                      func() { fst.PruneArcs(good, nil, nil) },
		"RandomlyEquivalent: source of randomness": func() { fst.RandomlyEquivalent(good, good, nil, 1, nil) },
		"SampleText: source of randomness":         func() { fst.SampleText(good, "", nil, nil) },
		"StringMap: ring":                          func() { fst.StringMap(ring, nil) },
		"SymbolsOf: machine":                       func() { fst.SymbolsOf[float64](nil) },
		"UTF8: ring":                               func() { fst.UTF8(ring, nil) },
		"WithSemiring: ring":                       func() { good.WithSemiring(nil) },
	} {
		refuses(message, do)
	}
	wantPanic(t, "fst: NewBuilder: nil ring", func() { fst.NewBuilder((*expr.Space)(nil)) })
	for name, f := range exportedFuncs(t) {
		takes := slices.ContainsFunc(texts(f.Params), func(text string) bool {
			return isMachine(text) || strings.HasPrefix(text, "semiring.Semiring[")
		})
		if takes && !refused[name] {
			t.Errorf("%s has not been given nil", name)
		}
	}
}

// nilContext is a nil context.
var nilContext context.Context
