package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/examples/internal/programtest"
)

// execute runs the program, and run does so with -json: it returns the exit status, the
// JSON object and the output.
var (
	execute = programtest.New(newExperiment, (*experiment).run)
	run     = programtest.Reporting[report](execute)
)

type report struct {
	Iterations int       `json:"iterations"`
	Objective  []float64 `json:"objective"`
	Status     string    `json:"status"`
	True       *float64  `json:"loglik_true"`
	Fit        *float64  `json:"loglik_fit"`
	Accuracy   *float64  `json:"decode_accuracy"`
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	out, figure := filepath.Join(dir, "dice.tsv"), filepath.Join(dir, "casino.svg")
	var stderr bytes.Buffer
	status, r, text := run(t, t.Context(), &stderr, "-o", out, "-plot", figure)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r.Status != "converged" || !slices.IsSorted(r.Objective) {
		t.Errorf("status %s, log likelihoods %v", r.Status, r.Objective)
	}
	if *r.Fit < *r.True || *r.Fit > *r.True+20 {
		t.Errorf("log likelihood %g, %g under the true model", *r.Fit, *r.True)
	}
	if *r.Accuracy < .75 {
		t.Errorf("accuracy %g", *r.Accuracy)
	}
	if !strings.Contains(text, "loaded die shows 6           0.505   0.500") {
		t.Errorf("the loaded die was not found:\n%s", text)
	}
	decoded, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSuffix(string(decoded), "\n"), "\n"); len(lines) != evenings || len(lines[0]) != 2*throws+1 {
		t.Errorf("%d lines of %d bytes", len(lines), len(lines[0]))
	}
	if svg, err := os.ReadFile(figure); err != nil || !bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("figure: %v", err)
	}

	// What it wrote can be read: the dice are now taken for the truth.
	status, again, _ := run(t, t.Context(), &stderr, "-data", out)
	if status != 0 || *again.Fit != *r.Fit || *again.Accuracy != 1 || again.True != nil {
		t.Errorf("status %d, %+v after %+v", status, again, r)
	}
}

func TestBadData(t *testing.T) {
	for text, want := range map[string]string{
		"123\n12x\n":   ":2: throw 3 is 'x'",
		"123\tFL\n":    ":1: 2 dice for 3 throws",
		"123\tFLX\n":   ":1: die 3 is 'X'",
		"12\n\n":       ":2: no throws",
		"12\tFL\tFL\n": ":1: ",
		"":             "no throws",
	} {
		name := filepath.Join(t.TempDir(), "data")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		status, _, out := run(t, t.Context(), &stderr, "-data", name)
		if status != 1 || out != "" || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: status %d, %s, want %s", text, status, stderr.String(), want)
		}
	}
}

// TestInterruptAndResume: an interrupted run goes on to the result of one that was
// not, whatever the number of workers.
func TestInterruptAndResume(t *testing.T) {
	whole, part, rest := programtest.Resume[report](t, execute, "training 25/40", "-iterations", "20", "-restarts", "1")
	if part.Status != "canceled" {
		t.Errorf("interrupted: %s", part.Status)
	}
	if *rest.Fit != *whole.Fit || !slices.Equal(rest.Objective, whole.Objective) {
		t.Errorf("resumed: %+v, want %+v", rest, whole)
	}
}

func TestHelp(t *testing.T) { programtest.Help(t, newExperiment) }
