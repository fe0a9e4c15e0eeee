// Package programtest is what the tests of example programs share.
package programtest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/pathsum/internal/program"
)

// Program is a program that runs with args and returns its exit status and output.
type Program func(ctx context.Context, stderr io.Writer, args ...string) (status int, out string)

// New returns the program that start makes, together with what run is a method of. By its
// clock, hours pass from one step of its progress to the next, so that each step is a line.
func New[E any](start func() (*program.Program, E), run func(E, context.Context, *program.Run) error) Program {
	return func(ctx context.Context, stderr io.Writer, args ...string) (int, string) {
		p, e := start()
		p.Clock = Hours()
		var out bytes.Buffer
		status := p.Execute(ctx, args, &out, stderr, func(ctx context.Context, r *program.Run) error { return run(e, ctx, r) })
		return status, out.String()
	}
}

// Hours returns a clock by which an hour passes from one reading to the next.
func Hours() func() time.Time {
	var read atomic.Int64
	return func() time.Time { return time.Unix(3600*read.Add(1), 0) }
}

// Reporting returns p with -json. It returns the exit status, the JSON object that ends the
// output or standard error, zero if there is none, and the output.
func Reporting[T any](p Program) func(t testing.TB, ctx context.Context, stderr io.Writer, args ...string) (int, T, string) {
	return func(t testing.TB, ctx context.Context, stderr io.Writer, args ...string) (int, T, string) {
		t.Helper()
		var errs strings.Builder
		status, out := p(ctx, io.MultiWriter(stderr, &errs), append(args, "-json")...)
		var r T
		for _, text := range []string{errs.String(), out} {
			if strings.HasSuffix(text, "}\n") {
				r = Report[T](t, text)
			}
		}
		return status, r, out
	}
}

// Resume runs p three times with args: to the end, with one worker; with a checkpoint and
// two workers until its progress says stop; and on from there. It returns the JSON objects;
// the last should be equal to the first.
//
// It asserts that an interrupted program says what the checkpoint keeps, that one that has done
// its work leaves none, and that progress goes to standard error alone.
func Resume[T any](t testing.TB, p Program, stop string, args ...string) (whole, part, rest T) {
	t.Helper()
	var told string // on standard error, by the last run
	run := func(ctx context.Context, stderr io.Writer, want int, more ...string) T {
		t.Helper()
		var errs strings.Builder
		status, r, out := Reporting[T](p)(t, ctx, io.MultiWriter(stderr, &errs), slices.Concat(args, more)...)
		if status != want {
			t.Fatalf("%s: status %d, want %d; the output is\n%s", more, status, want, out)
		}
		told = errs.String()
		showsProgress(t, out, told)
		return r
	}
	whole = run(t.Context(), io.Discard, 0, "-workers", "1")
	folder := t.TempDir()
	state := filepath.Join(folder, "state")
	checkpoint := []string{"-workers", "2", "-checkpoint", state}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	part = run(ctx, Trigger{stop, cancel}, 130, checkpoint...)
	if kept := regexp.MustCompile(": interrupted: " + regexp.QuoteMeta(state) + ".* keeps the training up to .*iteration [0-9]+;"); !kept.MatchString(told) {
		t.Errorf("the user is not told what the checkpoint keeps:\n%s", told)
	}
	rest = run(t.Context(), io.Discard, 0, checkpoint...)
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("checkpoints %v are left, %v", left, err)
	}
	return whole, part, rest
}

// step matches a line of progress.
var step = regexp.MustCompile(`(?m)^[^:\n]* \d+/\d+( in [\d.]+ s)?(: .*)?$`)

// showsProgress asserts that standard error has progress and the output none.
func showsProgress(t testing.TB, out, stderr string) {
	t.Helper()
	if !step.MatchString(stderr) {
		t.Errorf("no progress is shown:\n%s", stderr)
	}
	for line := range strings.Lines(out) {
		if step.MatchString(line) && strings.Contains(stderr, line) {
			t.Errorf("progress on standard output: %s", line)
		}
	}
}

// Help asserts that -h explains a program well: every flag has a text, which names its value if it
// wants one, and no words come twice in a row, as where a program and package program both begin a
// sentence. It asserts that -version prints a line with the name of the program.
func Help[E any](t testing.TB, start func() (*program.Program, E)) {
	t.Helper()
	p, _ := start()
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
	nothing := func(context.Context, *program.Run) error { return nil }
	if status := p.Execute(t.Context(), []string{"-h"}, &out, &stderr, nothing); status != 0 || stderr.Len() > 0 {
		t.Errorf("status %d, %s", status, &stderr)
	}
	p, _ = start()
	out.Reset()
	status := p.Execute(t.Context(), []string{"-version", "-json"}, &out, &stderr, nothing)
	if status != 0 || stderr.Len() > 0 || !strings.HasPrefix(out.String(), p.Flags.Name()+" example.org/pathsum ") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("-version: status %d, %q, %s", status, &out, &stderr)
	}
}

// KeepsInputs asserts that a program refuses an output that is one of its inputs, whatever
// flags name it and whatever it is called, and leaves it as it is.
func KeepsInputs[E any](t testing.TB, start func() (*program.Program, E)) {
	t.Helper()
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
	p, _ := start()
	for _, in := range p.Inputs() {
		for _, out := range p.Outputs() {
			for _, name := range names {
				p, _ := start()
				var stdout, stderr bytes.Buffer
				ran := false
				status := p.Execute(t.Context(), []string{"-" + in, file, "-" + out, name}, &stdout, &stderr, func(context.Context, *program.Run) error {
					ran = true
					return nil
				})
				text, err := os.ReadFile(file)
				if status != 2 || ran || !strings.Contains(stderr.String(), "the input would be overwritten") || string(text) != content || err != nil {
					t.Errorf("-%s and -%s, both one file: status %d, ran %v, %s", in, out, status, ran, &stderr)
				}
			}
		}
	}
}

// Report returns the JSON object in the last line of a program's output.
func Report[T any](t testing.TB, out string) T {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	last := lines[len(lines)-1]
	var r T
	if err := json.Unmarshal([]byte(last), &r); err != nil {
		t.Fatalf("last line %q: %v", last, err)
	}
	return r
}

// File writes a file into a folder of its own and returns its name.
func File(t testing.TB, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Trigger is a writer that calls a function whenever a text is written: as standard
// error, it interrupts a program at a step of its progress.
type Trigger struct {
	Text string
	Call func()
}

// Write looks for the text in b.
func (g Trigger) Write(b []byte) (int, error) {
	if strings.Contains(string(b), g.Text) {
		g.Call()
	}
	return len(b), nil
}
