package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// api has the exported names of a package: functions, types and methods, the last as
// Type.Method.
type api struct {
	kinds  map[string]ast.Node
	embeds map[string][]string // by type: its embedded types, as folder.Type
}

// parse returns the declarations of the package in a folder of the module, except tests.
func parse(t *testing.T, folder string) *api {
	t.Helper()
	a := &api{map[string]ast.Node{}, map[string][]string{}}
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			a.add(f, d)
		}
	}
	return a
}

func (a *api) add(f *ast.File, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = typeName(d.Recv.List[0].Type) + "." + name
		}
		if d.Name.IsExported() {
			a.kinds[name] = d
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				a.kinds[s.Name.Name] = s
				if x, ok := s.Type.(*ast.StructType); ok {
					a.embeds[s.Name.Name] = embedded(f, x)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					a.kinds[n.Name] = s
				}
			}
		}
	}
}

// typeName returns the name of a receiver's type.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// embedded returns the types of other packages of the module that x embeds.
func embedded(f *ast.File, x *ast.StructType) []string {
	var all []string
	for _, field := range x.Fields.List {
		s, ok := field.Type.(*ast.SelectorExpr)
		if !ok || len(field.Names) > 0 {
			continue
		}
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			if _, folder, ok := strings.Cut(path, "/pathsum/"); ok && filepath.Base(folder) == s.X.(*ast.Ident).Name {
				all = append(all, folder+"."+s.Sel.Name)
			}
		}
	}
	return all
}

// has reports whether the package exports a name, possibly through an embedded type.
func (a *api) has(t *testing.T, name string) bool {
	if a.kinds[name] != nil {
		return true
	}
	of, method, ok := strings.Cut(name, ".")
	if !ok {
		return false
	}
	for _, e := range a.embeds[of] {
		folder, inner, _ := strings.Cut(e, ".")
		if parse(t, folder).has(t, inner+"."+method) {
			return true
		}
	}
	return false
}

// TestVocabularyExists: every name in the table of the vocabulary exists.
func TestVocabularyExists(t *testing.T) {
	rows := table(t, "## One vocabulary")
	names := regexp.MustCompile("`([A-Za-z.]+)`")
	n := 0
	for _, row := range rows {
		folder := "models/" + strings.Trim(row[0], "` ")
		a := parse(t, folder)
		for _, cell := range row[1:] {
			for _, m := range names.FindAllStringSubmatch(cell, -1) {
				n++
				if !a.has(t, m[1]) {
					t.Errorf("the vocabulary has %s in %s, which has it not", m[1], folder)
				}
			}
		}
	}
	if len(rows) < 10 || n < 60 {
		t.Errorf("%d rows with %d names", len(rows), n)
	}
}

// superseded are the words that the vocabulary replaces by others.
var superseded = regexp.MustCompile(`^(Train|TrainConditional|Infer|Marginals|MostProbable|Explain|LogLikelihood|LogProbability|LoadModel|LoadDecoder|Posterior|Scorer|Decoder|Parser|Corrected)$`)

// supersededErrors are sentinels that ErrInvalid replaces.
var supersededErrors = regexp.MustCompile(`^Err(Options|Problem|Network|Tree|Rules|Table|Row|Shape|Topology|Argument|Alignment)$`)

// TestModelsKeepTheVocabulary: packages of models do not export a function, method, type or
// error with a word that the vocabulary replaces, and take randomness only from a Source.
func TestModelsKeepTheVocabulary(t *testing.T) {
	var folders []string
	err := filepath.WalkDir(filepath.Join(root, "models"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() != "testdata" {
			folder, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			folders = append(folders, folder)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		a := parse(t, folder)
		for name, node := range a.kinds {
			last := name[strings.LastIndex(name, ".")+1:]
			of, _, _ := strings.Cut(name, ".")
			if !ast.IsExported(of) {
				continue
			}
			switch x := node.(type) {
			case *ast.FuncDecl:
				if superseded.MatchString(last) {
					t.Errorf("%s exports %s", folder, name)
				}
				// Package em passes a *rand.Rand to laws.
				if last != "Random" && takesRand(x) {
					t.Errorf("%s.%s takes a *rand.Rand, want a rand.Source", folder, name)
				}
			case *ast.TypeSpec:
				if superseded.MatchString(name) && name != "Posterior" {
					t.Errorf("%s has a type %s", folder, name)
				}
			case *ast.ValueSpec:
				if supersededErrors.MatchString(name) {
					t.Errorf("%s exports %s, want ErrInvalid", folder, name)
				}
			}
		}
	}
	if len(folders) < 15 {
		t.Errorf("folders %q", folders)
	}
}

func takesRand(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		s, ok := star.X.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "Rand"
	})
}

// TestThingsLiveThere: the files that answer the questions exist.
func TestThingsLiveThere(t *testing.T) {
	rows := table(t, "## Where things live")
	names := regexp.MustCompile("`([A-Za-z0-9_./]+)`")
	for _, row := range rows {
		found := names.FindAllStringSubmatch(row[1], -1)
		if len(found) == 0 {
			t.Errorf("%q has no answer", row[0])
		}
		for _, m := range found {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%q: %v", row[0], err)
			}
		}
	}
	if len(rows) < 10 {
		t.Errorf("%d questions", len(rows))
	}
}

// table returns the cells of the rows of the first table below a heading of CONTRIBUTING.md.
func table(t *testing.T, heading string) [][]string {
	t.Helper()
	_, text, ok := strings.Cut(read(t, root+"/.github/CONTRIBUTING.md"), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("CONTRIBUTING.md has no heading %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var rows [][]string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "|") {
			rows = append(rows, strings.Split(strings.Trim(line, "|"), "|"))
		}
	}
	if len(rows) < 3 {
		t.Fatalf("%d lines of a table below %q", len(rows), heading)
	}
	return rows[2:]
}
