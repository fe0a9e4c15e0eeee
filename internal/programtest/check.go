package programtest

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/pathsum/internal/program"
)

// Use describes a typical use of a program: it is trained once, and then answers new lines.
type Use struct {
	Train string   // the arguments for training, without -save; files are relative to Files
	Apply string   // the arguments for answering, without -load and -apply
	Files []string // the required files in the folder, name and text alternately
	Lines []string // lines that have answers; at least one, if the program has -apply
	Stop  string   // the text in its progress at which to interrupt training, if it has -checkpoint
}

// Check asserts the properties that users of all programs rely on, as far as they apply to its
// declared flags, and returns the answers to Lines:
//
//   - -help and -version explain it;
//   - no output overwrites an input;
//   - progress goes to standard error, and the iteration limit is reported;
//   - training resumes after an interrupt with the same result;
//   - -plot and -matrix are figures;
//   - a saved model answers dirty lines through pipes: see Pipes.
//
// TestMain of the program must call Main.
func Check(t *testing.T, start func() *program.Program, u Use) (answers []string) {
	t.Helper()
	has := func(name string) bool { return start().Flags.Lookup(name) != nil }
	t.Run("help", func(t *testing.T) { help(t, start) })
	t.Run("inputs", func(t *testing.T) { keepsInputs(t, start) })
	t.Run("report", func(t *testing.T) { u.reports(t, start) })
	if has("checkpoint") {
		t.Run("checkpoint", func(t *testing.T) { u.resumes(t, start) })
	}
	if has("apply") {
		t.Run("apply", func(t *testing.T) { answers = Pipes(t, start().Flags.Name(), u) })
	}
	return answers
}

// folder returns a new folder with the files, and makes it the working directory.
func (u Use) folder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for i := 0; i+1 < len(u.Files); i += 2 {
		if err := os.WriteFile(filepath.Join(folder, u.Files[i]), []byte(u.Files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	return folder
}

// reports asserts that a run shows progress on standard error alone, reports whether training
// ended at its iteration limit, and draws the figures that all programs have.
func (u Use) reports(t *testing.T, start func() *program.Program) {
	u.folder(t)
	args := append(strings.Fields(u.Train), "-json")
	var figures []string
	for _, name := range []string{"plot", "matrix"} {
		if start().Flags.Lookup(name) != nil {
			figures = append(figures, name+".svg")
			args = append(args, "-"+name, name+".svg")
		}
	}
	var errs bytes.Buffer
	status, out := New(start)(t.Context(), &errs, args...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, &errs)
	}
	for _, name := range figures {
		Figure(t, name)
	}
	tellsLimit(t, start().Flags.Name(), out, errs.String())
	if start().Flags.Lookup("iterations") != nil {
		showsProgress(t, out, errs.String())
	}
}

// resumes asserts that interrupted training resumes with the result of uninterrupted training:
// see Resume.
func (u Use) resumes(t *testing.T, start func() *program.Program) {
	u.folder(t)
	whole, part, rest := Resume[map[string]any](t, New(start), u.Stop, strings.Fields(u.Train)...)
	if part["status"] != "canceled" {
		t.Errorf("interrupted: status %v", part["status"])
	}
	for _, r := range []map[string]any{whole, rest} {
		maps.DeleteFunc(r, func(key string, _ any) bool {
			return key == "workers" || key == "peak_rss_mb" || strings.Contains(key, "second") || strings.HasSuffix(key, "_ms")
		})
	}
	if !reflect.DeepEqual(whole, rest) {
		t.Errorf("training that was interrupted has the result\n%v, want\n%v", rest, whole)
	}
}

// help asserts the quality of -h. It must begin with one sentence and two commands whose flags
// exist. Every flag must have a text, which names its value if it takes one, and words must not
// be repeated, which happens if a program and package program both begin a sentence. It also
// asserts that -version prints a line with the name of the program.
func help(t *testing.T, start func() *program.Program) {
	p := start()
	name := p.Flags.Name()
	p.Flags.VisitAll(func(f *flag.Flag) {
		words := strings.Fields(f.Usage)
		if len(words) == 0 {
			t.Errorf("-%s is not explained", f.Name)
		}
		b, ok := f.Value.(interface{ IsBoolFlag() bool })
		if named := strings.Count(f.Usage, "`") == 2; !named && !(ok && b.IsBoolFlag()) {
			t.Errorf("-%s does not name its value: %s", f.Name, f.Usage)
		}
		for i := 1; i < len(words); i++ {
			if words[i] == words[i-1] {
				t.Errorf("-%s says %q", f.Name, words[i-1]+" "+words[i])
			}
		}
	})
	var out, stderr bytes.Buffer
	if status := p.Execute(t.Context(), []string{"-h"}, &out, &stderr); status != 0 || stderr.Len() > 0 {
		t.Errorf("status %d, %s", status, &stderr)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) < 5 || !strings.HasPrefix(lines[0], name+" ") || utf8.RuneCountInString(lines[0]) > 100 || lines[1] != "" || lines[4] != "" {
		t.Fatalf("-h does not begin with a sentence and two commands:\n%s", &out)
	}
	for _, command := range lines[2:4] {
		_, args, ok := strings.Cut(command, "go run ./examples/"+name)
		if !ok {
			t.Errorf("%s does not run the program", command)
		}
		for _, arg := range strings.Fields(args) {
			if f, ok := strings.CutPrefix(arg, "-"); ok && f != "" && p.Flags.Lookup(f) == nil {
				t.Errorf("%s: there is no -%s", command, f)
			}
		}
	}
	p = start()
	out.Reset()
	status := p.Execute(t.Context(), []string{"-version", "-json"}, &out, &stderr)
	if status != 0 || stderr.Len() > 0 || !strings.HasPrefix(out.String(), name+" example.org/pathsum ") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("-version: status %d, %q, %s", status, &out, &stderr)
	}
}

// keepsInputs asserts that a program returns an error for an output that is also an input, for
// any flags and names of the file, and leaves the file unchanged.
func keepsInputs(t *testing.T, start func() *program.Program) {
	const content = "precious\n"
	folder := t.TempDir()
	file, link := filepath.Join(folder, "file.svg"), filepath.Join(folder, "link.svg")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	names := []string{file, folder + "/./file.svg"}
	if os.Symlink(file, link) == nil {
		names = append(names, link)
	}
	for _, in := range start().Inputs() {
		for _, out := range start().Outputs() {
			for _, name := range names {
				var stderr bytes.Buffer
				status := start().Execute(t.Context(), []string{"-" + in, file, "-" + out, name}, io.Discard, &stderr)
				text, err := os.ReadFile(file)
				if status != 2 || !strings.Contains(stderr.String(), "the input would be overwritten") || string(text) != content || err != nil {
					t.Errorf("-%s and -%s, both one file: status %d, %s", in, out, status, &stderr)
				}
			}
		}
	}
}

// tellsLimit asserts that the program reports if training ended at the iteration limit.
func tellsLimit(t *testing.T, name, out, stderr string) {
	t.Helper()
	limit := Report[struct{ Status string }](t, out).Status == "iteration limit"
	if told := strings.Contains(stderr, fmt.Sprintf("%s: training ended at the iteration limit", name)); told != limit {
		t.Errorf("the iteration limit was reached: %t; the user is told: %t\n%s", limit, told, stderr)
	}
}
