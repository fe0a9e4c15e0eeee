// Package programtest is what the tests of example programs share.
package programtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/program"
)

// Execute runs p with args and -json. It returns the exit status, the JSON object, zero if
// the output does not end with one, and the output.
func Execute[T any](t testing.TB, ctx context.Context, p *program.Program, run func(context.Context, *program.Run) error, stderr io.Writer, args ...string) (int, T, string) {
	t.Helper()
	var b bytes.Buffer
	status := p.Execute(ctx, append(args, "-json"), &b, stderr, run)
	var r T
	if strings.HasSuffix(b.String(), "}\n") {
		r = Report[T](t, b.String())
	}
	return status, r, b.String()
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
