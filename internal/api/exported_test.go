package api

import (
	"flag"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root      = "../.."
	baseline  = "baseline.txt"
	changelog = root + "/.github/CHANGELOG.md"
)

var update = flag.Bool("update", false, "make baseline.txt anew, for a new version")

// current returns what the library exports.
func current(t *testing.T) []Declaration {
	t.Helper()
	var all []Declaration
	for _, folder := range []string{"semiring", "fst", "em", "moments", "convex", "models"} {
		of, err := Exported(root, folder)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, of...)
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestChangelogNamesChanges compares what is exported with the last version.
func TestChangelogNamesChanges(t *testing.T) {
	now := map[string]Declaration{}
	var lines []string
	for _, d := range current(t) {
		now[d.String()] = d
		lines = append(lines, d.String())
	}
	slices.Sort(lines)
	if len(lines) < 1000 {
		t.Fatalf("%d exported declarations: the test sees nothing", len(lines))
	}
	if *update {
		if err := os.WriteFile(baseline, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	then := map[string]Declaration{}
	for line := range strings.Lines(read(t, baseline)) {
		d, ok := parse(strings.TrimSuffix(line, "\n"))
		if !ok {
			t.Fatalf("%s: %q is no declaration", baseline, line)
		}
		then[d.String()] = d
	}
	named := names(unreleased(read(t, changelog)))
	report := func(what string, of, other map[string]Declaration) {
		packages := map[string]bool{}
		for _, d := range other {
			packages[d.Package] = true
		}
		for line, d := range of {
			if _, same := other[line]; !same && !tells(named, d, packages[d.Package]) {
				t.Errorf("%s: %s\n\tname it under Unreleased in .github/CHANGELOG.md, as `%s.%s` or with its type",
					what, line, path.Base(d.Package), d.Name)
			}
		}
	}
	report("new", now, then)
	report("gone", then, now)
}

// unreleased returns what a changelog says of the next version: its first section.
func unreleased(text string) string {
	_, section, _ := strings.Cut("\n"+text, "\n## Unreleased\n")
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

var quoted = regexp.MustCompile("`[^`]+`")

// names returns what stands between backquotes.
func names(text string) map[string]bool {
	all := map[string]bool{}
	for _, q := range quoted.FindAllString(text, -1) {
		all[strings.Trim(q, "`")] = true
	}
	return all
}

// tells reports whether names have that of d, or the type that it belongs to; or its
// package, by its path, if that is new or gone.
func tells(named map[string]bool, d Declaration, known bool) bool {
	of, _, _ := strings.Cut(d.Name, ".")
	short := path.Base(d.Package)
	return named[short+"."+d.Name] || named[short+"."+of] || !known && named[d.Package]
}

func TestTells(t *testing.T) {
	const text = "# Changes\n\n## Unreleased\n\n- `hmm.Model.Tag`, `hmm.Side` of `models/crf`\n\n## 0.1\n\n- `hmm.Old`\n"
	named := names(unreleased(text))
	for _, c := range []struct {
		of, name    string
		known, want bool
	}{
		{"models/hmm", "Model.Tag", true, true},
		{"models/hmm", "Model.Save", true, false},
		{"models/hmm", "Model", true, false},
		{"models/hmm", "Side.String", true, true},
		{"models/hmm", "Old", true, false},
		{"models/crf", "New", true, false},
		{"models/crf", "New", false, true},
		{"models/crf/x", "New", false, false},
	} {
		if got := tells(named, Declaration{c.of, c.name, ""}, c.known); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
	if got := unreleased("# Changes\n\n## 0.1\n\n`a.B`\n"); got != "" {
		t.Errorf("no section: %q", got)
	}
}

// TestExported: a package with all kinds of declarations, and what must not be listed.
func TestExported(t *testing.T) {
	got, err := Exported("testdata", "shapes")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range got {
		lines = append(lines, d.String())
		if back, ok := parse(d.String()); !ok || back != d {
			t.Errorf("%q is read as %+v, want %+v", d, back, d)
		}
	}
	want := strings.Split(strings.TrimSpace(read(t, "testdata/shapes.txt")), "\n")
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	for _, line := range []string{"", "hmm.Model", "models: type struct", "a.b/c: func c()"} {
		if d, ok := parse(line); ok {
			t.Errorf("%q is read as %+v", line, d)
		}
	}
	if _, err := Exported("testdata", "none"); err == nil {
		t.Error("a folder that is not there: no error")
	}
}
