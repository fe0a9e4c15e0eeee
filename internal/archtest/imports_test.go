package archtest

import (
	"slices"
	"strings"
	"testing"
)

// layers lists for each part of the tree, "x/..." meaning all packages below x, the parts that
// it may use, directly or through others. The first entry that matches a package applies.
// internal is not a layer: a package that imports one of its packages is responsible for the
// imports of that package.
var layers = []struct {
	part string
	uses []string
}{
	{"semiring", nil},
	{"semiring/internal/solve", []string{"semiring", "semiring/internal/erased", "semiring/internal/rows", "semiring/internal/weights"}},
	{"semiring/internal/layers", []string{"semiring", "semiring/internal/rows", "semiring/internal/weights"}},
	{"semiring/internal/weights", []string{"semiring", "semiring/internal/rows"}},
	{"semiring/internal/derivation", []string{"semiring", "semiring/internal/rows", "semiring/internal/weights"}},
	{"semiring/internal/...", []string{"semiring"}},
	{"semiring/graph", []string{"semiring", "semiring/internal/..."}},
	{"semiring/forest", []string{"semiring", "semiring/internal/..."}},
	{"semiring/batch", []string{"semiring", "semiring/internal/...", "semiring/graph", "semiring/forest"}},
	{"semiring/trellis", []string{"semiring", "semiring/internal/...", "semiring/graph"}},
	{"semiring/grid", []string{"semiring", "semiring/internal/...", "semiring/graph"}},
	{"semiring/frames", []string{"semiring", "semiring/internal/...", "semiring/graph"}},
	{"semiring/semiringtest", []string{"semiring", "semiring/internal/erased"}},
	{"semiring/...", []string{"semiring"}},
	{"fst", []string{"semiring", "semiring/..."}},
	{"fst/rx", []string{"fst", "fst/rewrite", "semiring", "semiring/..."}},
	{"fst/...", []string{"fst", "semiring", "semiring/..."}},
	{"em/internal/cells", []string{"em/internal/soft", "fst", "semiring", "semiring/..."}},
	{"em/internal/tapes", []string{"em/internal/soft", "fst", "semiring", "semiring/..."}},
	{"em/internal/...", []string{"fst", "semiring", "semiring/..."}},
	{"em", []string{"em/internal/...", "semiring", "semiring/..."}}, // without machines
	{"em/cascade", []string{"em", "em/internal/...", "fst", "semiring", "semiring/..."}},
	{"em/...", []string{"em", "em/cascade", "em/internal/...", "fst", "semiring", "semiring/..."}},
	{"moments/privacy", nil},
	{"moments", []string{"em", "em/...", "fst", "fst/...", "semiring", "semiring/..."}},
	{"moments/...", []string{"moments", "em", "em/...", "fst", "fst/...", "semiring", "semiring/..."}},
	{"convex", []string{"em", "em/...", "fst", "fst/...", "semiring", "semiring/..."}},
	{"models/...", []string{"models/...", "moments", "moments/...", "convex", "em", "em/...", "fst", "fst/...", "semiring", "semiring/..."}},
	{"examples/...", []string{"examples/...", "models/...", "moments", "moments/...", "convex", "em", "em/...", "fst", "fst/...", "semiring", "semiring/..."}},
}

// Foreign packages by the beginning of their path. A library may depend only on the first of
// these lists, directly or through internal packages.
var (
	libraries        = []string{"gonum.org/v1/gonum/", "golang.org/x/"}
	testLibraries    = slices.Concat(libraries, []string{"github.com/google/go-cmp/", "pgregory.net/rapid"})
	exampleLibraries = slices.Concat(libraries, []string{"gonum.org/v1/plot"})
)

func matches(part, path string) bool {
	if below, ok := strings.CutSuffix(part, "..."); ok {
		return strings.HasPrefix(path, below)
	}
	return part == path
}

func allowed(parts []string, path string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return matches(part, path) })
}

// fault returns an error message if path must not use the package dep, and otherwise "".
func fault(path, dep string) string {
	if path == dep || strings.HasPrefix(path, "internal/") || strings.HasPrefix(dep, "internal/") {
		return ""
	}
	for _, l := range layers {
		if matches(l.part, path) {
			if allowed(l.uses, dep) {
				return ""
			}
			return "must not use " + dep
		}
	}
	return "has no place in the table of layers"
}

func TestImportsPointDownward(t *testing.T) {
	checked := 0
	for importPath, p := range list(t) {
		path, _ := local(t, importPath)
		for _, dep := range append(p.Deps, importPath) {
			d, ok := local(t, dep)
			if !ok {
				continue
			}
			checked++
			if f := fault(path, d); f != "" {
				t.Errorf("%s %s", path, f)
			}
		}
	}
	if checked == 0 {
		t.Error("no packages found")
	}
}

func TestLayerTable(t *testing.T) {
	for _, test := range []struct {
		path, dep string
		ok        bool
	}{
		{"semiring/expr", "semiring", true},
		{"semiring", "semiring/expr", false},
		{"semiring/expr", "semiring/graph", false},
		{"semiring/graph", "fst", false},
		{"semiring/graph", "semiring/forest", false},
		{"semiring/graph", "semiring/batch", false},
		{"semiring/batch", "semiring/graph", true},
		{"semiring/internal/rows", "semiring/graph", false},
		{"semiring/trellis", "semiring/graph", true},
		{"fst", "semiring/graph", true},
		{"fst", "fst/fstio", false},
		{"fst/rx", "fst", true},
		{"fst/rx", "em", false},
		{"fst/rx", "fst/rewrite", true},
		{"fst/rewrite", "fst/rx", false},
		{"em", "fst/fstio", false},
		{"em", "fst", false},
		{"em", "em/cascade", false},
		{"em/cascade", "fst", true},
		{"em/cascade", "em/agree", false},
		{"em/agree", "em/cascade", true},
		{"em", "em/internal/digest", true},
		{"em/cascade", "em/internal/cells", true},
		{"em/internal/cells", "em", false},
		{"em", "models/hmm", false},
		{"convex", "moments", false},
		{"moments", "convex", false},
		{"convex", "em/agree", true},
		{"models/hmm", "models/ngram", true},
		{"models/pairgram", "models/ngram", true},
		{"models/hmm", "examples/casino", false},
		{"examples/casino", "models/hmm", true},
		{"examples/privacy", "moments/privacy", true},
		{"moments", "moments/privacy", false},
		{"em", "internal/oracle", true},
		{"utilities", "semiring", false},
	} {
		if f := fault(test.path, test.dep); (f == "") != test.ok {
			t.Errorf("%s using %s: %q", test.path, test.dep, f)
		}
	}
}

func TestForeignImports(t *testing.T) {
	packages := list(t, "-deps")
	for importPath, p := range packages {
		path, ok := local(t, importPath)
		if !ok {
			continue
		}
		check := func(imports, prefixes []string, what string) {
			for _, i := range imports {
				if _, ok := local(t, i); ok || standard(packages, i) {
					continue
				}
				if !slices.ContainsFunc(prefixes, func(x string) bool { return strings.HasPrefix(i, x) }) {
					t.Errorf("%s %s %s", path, what, i)
				}
			}
		}
		if strings.HasPrefix(path, "examples/") || strings.HasPrefix(path, "internal/") {
			check(p.Imports, exampleLibraries, "imports")
			check(append(p.TestImports, p.XTestImports...), slices.Concat(exampleLibraries, testLibraries), "imports in a test")
		} else {
			check(p.Deps, libraries, "depends on")
			check(append(p.TestImports, p.XTestImports...), testLibraries, "imports in a test")
		}
	}
}

// standard reports whether path is in the standard library. Packages that only tests import are
// not among the packages listed, but have no host name.
func standard(packages map[string]*pkg, path string) bool {
	if p, ok := packages[path]; ok {
		return p.Standard
	}
	host, _, _ := strings.Cut(path, "/")
	return !strings.Contains(host, ".")
}

// TestTestsDoNotRunExamples: examples are the last layer for tests, too.
func TestTestsDoNotRunExamples(t *testing.T) {
	for importPath, p := range list(t) {
		path, _ := local(t, importPath)
		for _, i := range append(p.TestImports, p.XTestImports...) {
			if d, ok := local(t, i); ok && strings.HasPrefix(d, "examples/") && !strings.HasPrefix(path, "examples/") {
				t.Errorf("a test of %s imports %s", path, d)
			}
		}
	}
}
