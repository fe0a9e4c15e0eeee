// Package programtest has the code that tests of example programs share.
package programtest

import (
	"bytes"
	"context"
	"encoding/json"
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

// New returns the program that start makes. Its clock advances by hours from one step of its
// progress to the next, so that each step is a line.
func New(start func() *program.Program) Program {
	return func(ctx context.Context, stderr io.Writer, args ...string) (int, string) {
		p := start()
		p.Clock = Hours()
		var out bytes.Buffer
		status := p.Execute(ctx, args, &out, stderr)
		return status, out.String()
	}
}

// Hours returns a clock that advances by an hour at each reading.
func Hours() func() time.Time {
	var read atomic.Int64
	return func() time.Time { return time.Unix(3600*read.Add(1), 0) }
}

// Reporting returns p with -json. It returns the exit status, the JSON object at the end of the
// output or of standard error, zero if it is missing, and the output.
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

// Resume runs p three times with args: to the end, with one worker; with a checkpoint and two
// workers until its progress shows stop; and from there to the end. It returns the JSON
// objects; the last should equal the first.
//
// It asserts that an interrupted program reports the contents of the checkpoint, that a
// finished program removes it, and that progress goes to standard error alone.
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

// showsProgress asserts that progress is on standard error and not in the output.
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

// File writes a file into a new folder and returns its name.
func File(t testing.TB, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Trigger is a writer that calls a function whenever a text is written. As standard error, it
// interrupts a program at a step of its progress.
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
