package archtest

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// light are types that packages mention without building machines. A package that mentions a
// type compiles all methods of each generic type that is reachable from it, through fields and
// method signatures, exported or not. An interface field, or a function instead of a method,
// ends this.
var light = map[string][]string{
	"em":            {"Params", "Options", "Result", "Likelihood"},
	"fst":           {"FST[bool]", "Machine[bool]"}, // FST: see heavyType
	"semiring/grid": {"Machine", "Scratch"},
	"em/cascade":    {"Data", "Example", "Side", "Stream", "Problem", "Model", "Corpus", "Visitor", "Uses"},
}

// heavyType is not light, because it has the methods that a machine requires; it shows that the
// test detects code. It is at most mostOfMachine bytes.
const heavyType = "fst.FST[bool]"

const mostOfMachine = 18 << 10

// mostBytes bounds the machine code of generic functions that mentioning such a type costs.
const mostBytes = 8 << 10

// TestMentionsAreLight compiles packages that mention one of the light types.
func TestMentionsAreLight(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{}
	var packages, types []string
	for path, names := range light {
		for _, name := range names {
			source := filepath.Join(dir, fmt.Sprintf("%d.go", len(types)))
			text := fmt.Sprintf("package mention\n\nimport x %q\n\nfunc F(*x.%s) {}\n", "example.org/pathsum/"+path, name)
			if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			own := fmt.Sprintf("internal/archtest/mention%d", len(types))
			files[filepath.Join(root, own, "mention.go")] = source
			packages, types = append(packages, "./"+own), append(types, path+"."+name)
		}
	}
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", append([]string{"list", "-overlay", overlay, "-export", "-f", "{{.ImportPath}} {{.Export}}"}, packages...)...)
	list.Dir = root
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	archives := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, archive, _ := strings.Cut(strings.TrimSpace(line), " ")
		archives[strings.TrimPrefix(path, "example.org/pathsum/")] = archive
	}
	for i, path := range packages {
		n := genericBytes(t, archives[strings.TrimPrefix(path, "./")])
		if heavy := types[i] == heavyType; heavy != (n > mostBytes) || n > mostOfMachine {
			t.Errorf("who mentions %s compiles %d bytes of generic functions, want more than %d: %v, and at most %d", types[i], n, mostBytes, heavy, mostOfMachine)
		}
	}
}

// firstProgram is the program at the beginning of README.md. Its build is the first wait of a new
// user.
const firstProgram = "examples/decipher"

// heavyPackages are packages, and parents of packages, on which the first program must not
// depend: plots with their fonts, servers, and parts of the standard library that it can do
// without.
var heavyPackages = []string{
	"gonum.org/v1/plot", "codeberg.org", "git.sr.ht", "image", "net", "crypto/tls", "crypto/x509",
	"encoding/xml", "encoding/asn1", "go", "html", "testing", "text/template", "text/tabwriter", "regexp", "expvar", "archive", "database",
}

// mostOfFirst bounds the machine code of generic functions in the packages of this module that
// the first program compiles. A copy is the usual reason for exceeding it: each package that
// calls a generic function compiles the function again, unless a package such as
// internal/machines has compiled it.
const mostOfFirst = 3_300_000

func TestFirstProgramIsLight(t *testing.T) {
	sum, own := 0, 0
	packages := list(t, "-deps", "-export")
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	for _, importPath := range append(packages[m+"/"+firstProgram].Deps, m+"/"+firstProgram) {
		path, ok := local(t, importPath)
		if !ok {
			for _, heavy := range heavyPackages {
				if importPath == heavy || strings.HasPrefix(importPath, heavy+"/") {
					t.Errorf("%s depends on %s", firstProgram, importPath)
				}
			}
			continue
		}
		own++
		if n := genericBytes(t, packages[importPath].Export); n > 0 {
			sum += n
			t.Logf("%8d %s", n, path)
		}
	}
	if own < 20 || sum < mostOfFirst/10 {
		t.Fatalf("%d packages with %d bytes: the test sees nothing", own, sum)
	}
	if sum > mostOfFirst {
		t.Errorf("%s compiles %d bytes of generic functions, want at most %d", firstProgram, sum, mostOfFirst)
	}
}

// TestMethodsAreLookedUpByConstantNames: the linker drops exported methods that a program does
// not call, unless the program looks up a method of a reflect.Type or reflect.Value by number or
// by a variable name. A single such call makes the first program a half larger.
func TestMethodsAreLookedUpByConstantNames(t *testing.T) {
	packages := list(t, "-deps", "-export")
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	constant := 0
	set := token.NewFileSet()
	for _, importPath := range append(packages[m+"/"+firstProgram].Deps, m+"/"+firstProgram) {
		p := packages[importPath]
		if _, ok := local(t, importPath); !ok || !slices.Contains(p.Imports, "reflect") {
			continue
		}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) > 1 {
					return true
				}
				called, ok := call.Fun.(*ast.SelectorExpr)
				switch {
				case !ok:
				case called.Sel.Name == "Method" && len(call.Args) == 1, called.Sel.Name == "Methods":
					t.Errorf("%s: a look-up of methods by number", set.Position(call.Pos()))
				case called.Sel.Name == "MethodByName":
					if _, literal := call.Args[0].(*ast.BasicLit); !literal {
						t.Errorf("%s: a look-up of a method by a variable name", set.Position(call.Pos()))
					}
					constant++
				}
				return true
			})
		}
	}
	if constant == 0 {
		t.Error("no look-up found: the test sees nothing")
	}
}

// genericBytes returns the size of the instances of generic functions in an archive.
func genericBytes(t *testing.T, archive string) int {
	t.Helper()
	out, err := exec.Command("go", "tool", "nm", "-size", archive).Output()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for line := range strings.Lines(string(out)) { // "address size T name"
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.EqualFold(fields[2], "T") || !strings.Contains(line, "[") {
			continue
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}
