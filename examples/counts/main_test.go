package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
)

// run runs the program and returns its exit status and outputs.
func run(ctx context.Context, args ...string) (status int, out, stderr string) {
	p, e := newExperiment()
	var b, errs bytes.Buffer
	status = p.Execute(ctx, args, &b, &errs, e.run)
	return status, b.String(), errs.String()
}

func results(t *testing.T, out string) []result {
	t.Helper()
	return programtest.Report[struct{ Results []result }](t, out).Results
}

// Moments are there at once, where EM needs passes for large regions, and EM from the
// moments is the best.
func TestProgram(t *testing.T) {
	plots := []string{filepath.Join(t.TempDir(), "a.svg"), filepath.Join(t.TempDir(), "b.svg")}
	status, out, stderr := run(t.Context(), "-json", "-sizes", "1,2,6", "-exact", "2", "-beam", "100", "-iterations", "2",
		"-plot", plots[0], "-geometry", plots[1])
	if status != 0 {
		t.Fatal(stderr)
	}
	accuracy := map[[3]any]float64{}
	for _, r := range results(t, out) {
		accuracy[[3]any{r.Size, r.Method, r.Pass}] = r.Test
		if r.Skipped > 0 || r.Train < r.Test-.05 {
			t.Errorf("%+v", r)
		}
	}
	if len(accuracy) != 2+3*(3+4) {
		t.Errorf("%d results: %v", len(accuracy), accuracy)
	}
	at := func(size int, method string, pass int) float64 {
		a, ok := accuracy[[3]any{size, method, pass}]
		if !ok {
			t.Fatalf("no %s for %d after %d", method, size, pass)
		}
		return a
	}
	const em, start, moments = "EM", "EM from constrained", "constrained"
	if at(1, em, 1) != at(1, moments, 0) {
		t.Error("regions of one word leave nothing open")
	}
	if at(6, em, 1) > at(6, moments, 0)-.05 || at(6, em, 2) < at(6, em, 1) {
		t.Errorf("EM reaches %g and %g, moments %g", at(6, em, 1), at(6, em, 2), at(6, moments, 0))
	}
	if at(6, start, 2) < at(6, moments, 0)-.01 || at(0, "supervised", 0) < at(6, start, 2)-.02 {
		t.Errorf("EM from the moments: %g", at(6, start, 2))
	}
	for _, file := range plots {
		if text, err := os.ReadFile(file); err != nil || !bytes.Contains(text, []byte("<svg")) {
			t.Error(file, err)
		}
	}
}

func TestData(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.tsv")
	text := strings.Repeat("a\tX\nb\tY\n\na\tX\na\tX\nc\tY\n\n", 6)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	status, out, stderr := run(t.Context(), "-json", "-data", file, "-test", file, "-sizes", "2", "-iterations", "1")
	if status != 0 || !strings.Contains(out, "12 sentences to learn from, 12 to be tested with; 3 words, 2 tags") {
		t.Error(status, out, stderr)
	}
	for _, r := range results(t, out) {
		if r.Method == "supervised" && r.Test != 1 {
			t.Errorf("%+v", r)
		}
	}
	if err := os.WriteFile(file, []byte("a\tX\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := run(t.Context(), "-data", file); status != 1 || !strings.Contains(stderr, "data.tsv:2") {
		t.Error(status, stderr)
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{"-sizes", "0"}, {"-sizes", "1,x"}, {"-beam", "0"}, {"-test", "x"}, {"-data", "missing"}, {"-geometry", "x.gif"}} {
		if status, _, stderr := run(t.Context(), args...); status == 0 || stderr == "" {
			t.Errorf("%v: status %d, %q", args, status, stderr)
		}
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, out, _ := run(ctx, "-json"); status != 1 || !strings.Contains(out, `"status":"canceled"`) {
		t.Error(status, out)
	}
}
