package api

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

const (
	root      = "../.."
	baseline  = "baseline.zip"
	changelog = root + "/.github/CHANGELOG.md"
)

var (
	update = flag.Bool("update", false, "write "+baseline+" anew, for a new version")
	of     = flag.String("of", root, "folder of the module whose packages -update writes")
)

// load returns the public packages of the library in a folder.
func load(t *testing.T, folder string) *apidiff.Module {
	t.Helper()
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		Dir:  folder,
	}, "./semiring/...", "./fst/...", "./em/...", "./moments/...", "./convex/...", "./models/...")
	if err != nil {
		t.Fatal(err)
	}
	module := &apidiff.Module{}
	for _, p := range loaded {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
		module.Path = p.Module.Path
		if p.Name != "main" && !strings.Contains(p.PkgPath+"/", "/internal/") {
			module.Packages = append(module.Packages, p.Types)
		}
	}
	if len(module.Packages) < 20 {
		t.Fatalf("%d public packages: the test sees nothing", len(module.Packages))
	}
	return module
}

// write writes the export data of packages to a zip file, an entry for each.
func write(name string, module *apidiff.Module) error {
	var data bytes.Buffer
	z := zip.NewWriter(&data)
	z.SetComment(module.Path)
	for _, p := range module.Packages {
		w, err := z.Create(p.Path())
		if err != nil {
			return err
		}
		if err := gcexportdata.Write(w, token.NewFileSet(), p); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, data.Bytes(), 0o644)
}

// read returns the packages of a file that write wrote.
func read(name string) (*apidiff.Module, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	module := &apidiff.Module{Path: z.Comment}
	known := map[string]*types.Package{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		p, err := gcexportdata.Read(r, token.NewFileSet(), known, f.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, f.Name, err)
		}
		module.Packages = append(module.Packages, p)
	}
	return module, nil
}

// TestChangelogNamesChanges compares the exported names with the names of the last version.
func TestChangelogNamesChanges(t *testing.T) {
	if *update {
		if err := write(baseline, load(t, *of)); err != nil {
			t.Fatal(err)
		}
	}
	then, err := read(baseline)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(changelog)
	if err != nil {
		t.Fatal(err)
	}
	named := names(unreleased(string(text)))
	known := map[string]bool{}
	for _, p := range then.Packages {
		known[strings.TrimPrefix(p.Path(), then.Path+"/")] = true
	}
	seen := map[string]bool{} // apidiff repeats a message for each type that has a method
	for _, change := range apidiff.ModuleChanges(then, load(t, root)).Changes {
		missing := unnamed(change.Message, then.Path, known, named)
		if missing != "" && !seen[change.Message] {
			t.Errorf("%s\n\tname it under Unreleased in .github/CHANGELOG.md, as `%s` or with its type", change.Message, missing)
		}
		seen[change.Message] = true
	}
}

// TestChangelogNamesPackages: the changelog names every public package of the last version.
func TestChangelogNamesPackages(t *testing.T) {
	then, err := read(baseline)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(changelog)
	if err != nil {
		t.Fatal(err)
	}
	_, versions, _ := strings.Cut(string(text), "\n## 0.1.0\n")
	named := names(versions)
	for _, p := range then.Packages {
		if folder := strings.TrimPrefix(p.Path(), then.Path+"/"); !named[folder] {
			t.Errorf("no version of the changelog names `%s`", folder)
		}
	}
}

// unreleased returns the first section of a changelog, about the next version.
func unreleased(text string) string {
	_, section, _ := strings.Cut("\n"+text, "\n## Unreleased\n")
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

var quoted = regexp.MustCompile("`[^`]+`")

// names returns the words between backquotes.
func names(text string) map[string]bool {
	all := map[string]bool{}
	for _, q := range quoted.FindAllString(text, -1) {
		all[strings.Trim(q, "`")] = true
	}
	return all
}

var typeParameters = regexp.MustCompile(`\[.*\]`)

// unnamed returns the name that a message of apidiff is about, such as fst.Options.Limit. It
// returns "" if the name or its type is among named, or if its package, by its path, is new or
// removed and among named.
func unnamed(message, module string, known, named map[string]bool) string {
	about, _, _ := strings.Cut(message, ": ")
	about, _, _ = strings.Cut(about, ", method set of ")       // of a function's result
	if about, ok := strings.CutPrefix(about, "package "); ok { // a new or removed package
		about = strings.TrimPrefix(about, module+"/")
		if named[about] {
			return ""
		}
		return about
	}
	about = strings.NewReplacer("(", "", ")", "", "*", "").Replace(strings.TrimPrefix(about, "./"))
	about = typeParameters.ReplaceAllString(about, "")
	dot := strings.LastIndex(about, "/") + 1
	dot += strings.Index(about[dot:], ".")
	folder, name := about[:dot], about[dot+1:]
	of, _, _ := strings.Cut(name, ".")
	short := path.Base(folder)
	if named[short+"."+name] || named[short+"."+of] || !known[folder] && named[folder] {
		return ""
	}
	return short + "." + name
}

// TestUnnamed: messages in the wording of apidiff.
func TestUnnamed(t *testing.T) {
	const text = "# Changes\n\n## Unreleased\n\n- `hmm.Model.Tag`, `hmm.Side` of `models/crf`\n\n## 0.1\n\n- `hmm.Old`\n"
	named := names(unreleased(text))
	known := map[string]bool{"models/hmm": true}
	for _, c := range []struct{ message, want string }{
		{"./models/hmm.(*Model[W]).Tag: added", ""},
		{"./models/hmm.(*Model[W]).Save: changed from func(a.B) to func()", "hmm.Model.Save"},
		{"./models/hmm.Model: removed", "hmm.Model"},
		{"./models/hmm.(*Side).Part, method set of *Part: removed", ""},
		{"./models/hmm.(*Model).Part, method set of *Part: removed", "hmm.Model.Part"},
		{"./models/hmm.Side.String: removed", ""},
		{"./models/hmm.Side[K comparable, V any].Field: added", ""},
		{"./models/hmm.(*Model[[]float64]).Tag: added", ""},
		{"./models/hmm.Old: added", "hmm.Old"},
		{"./models/crf.New: added", ""},
		{"./models/crf/x.New: added", "x.New"},
		{"package example.org/m/models/crf: added", ""},
		{"package example.org/m/models/bayes: removed", "models/bayes"},
	} {
		if got := unnamed(c.message, "example.org/m", known, named); got != c.want {
			t.Errorf("%s: %q, want %q", c.message, got, c.want)
		}
	}
	if got := unreleased("# Changes\n\n## 0.1\n\n`a.B`\n"); got != "" {
		t.Errorf("no section: %q", got)
	}
}

// TestBaseline: a written baseline is read back, and equals itself except for a removed name.
func TestBaseline(t *testing.T) {
	now := load(t, root)
	name := filepath.Join(t.TempDir(), baseline)
	if err := write(name, now); err != nil {
		t.Fatal(err)
	}
	then, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range apidiff.ModuleChanges(then, now).Changes {
		t.Errorf("the same packages: %s", change.Message)
	}
	now.Packages = now.Packages[1:]
	if report := apidiff.ModuleChanges(then, now); len(report.Changes) != 1 {
		t.Errorf("a package less: %v", report.Changes)
	}
}
