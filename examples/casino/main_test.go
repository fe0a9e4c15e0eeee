package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/models/hmm"
)

// execute runs the program. run adds -json and returns the exit status, the JSON object and the
// output.
var (
	program programtest.Program = func(ctx context.Context, errs io.Writer, args ...string) (int, string) {
		var out bytes.Buffer
		status := execute(ctx, args, &out, errs)
		return status, out.String()
	}
	run = programtest.Reporting[report](program)
)

type report struct {
	Iterations int       `json:"iterations"`
	Objective  []float64 `json:"objective"`
	Status     string    `json:"status"`
	LogTrue    *float64  `json:"loglik_true"`
	LogFit     *float64  `json:"loglik_fit"`
	Accuracy   *float64  `json:"decode_accuracy"`
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	out, curve := filepath.Join(dir, "dice.tsv"), filepath.Join(dir, "curve.svg")
	var stderr bytes.Buffer
	status, r, text := run(t, t.Context(), &stderr, "-o", out, "-plot", curve)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r.Status != "converged" || !slices.IsSorted(r.Objective) {
		t.Errorf("status %s, log likelihoods %v", r.Status, r.Objective)
	}
	if *r.LogFit < *r.LogTrue || *r.LogFit > *r.LogTrue+20 {
		t.Errorf("log likelihood %g, %g under the true model", *r.LogFit, *r.LogTrue)
	}
	if *r.Accuracy < .75 {
		t.Errorf("accuracy %g", *r.Accuracy)
	}
	if !strings.Contains(text, "loaded die: kept 0.890, faces [0.099 0.091 0.101 0.105 0.099 0.505]") {
		t.Errorf("the loaded die was not found:\n%s", text)
	}
	decoded, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSuffix(string(decoded), "\n"), "\n"); len(lines) != evenings || len(lines[0]) != 2*throws+1 {
		t.Errorf("%d lines of %d bytes", len(lines), len(lines[0]))
	}
	programtest.Figure(t, curve, "log likelihood")

	// The output can be read as data: the predicted dice now serve as the truth.
	status, again, _ := run(t, t.Context(), &stderr, "-data", out)
	if status != 0 || *again.LogFit != *r.LogFit || *again.Accuracy != 1 || again.LogTrue != nil {
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

// TestInterruptAndResume: an interrupted run resumes with the result of an uninterrupted one,
// for any number of workers.
func TestInterruptAndResume(t *testing.T) {
	whole, part, rest := programtest.Resume[report](t, program, "start 1, iteration 5/", "-iterations", "20", "-restarts", "1")
	if part.Status != "canceled" {
		t.Errorf("interrupted: %s", part.Status)
	}
	if *rest.LogFit != *whole.LogFit || !slices.Equal(rest.Objective, whole.Objective) {
		t.Errorf("resumed: %+v, want %+v", rest, whole)
	}
}

func TestMain(m *testing.M) {
	period = 0 // a line of progress for each iteration
	programtest.Main(m, main)
}

// TestPipeline: the output has as many dice as throws, and many sixes have the loaded die.
func TestPipeline(t *testing.T) {
	answers := programtest.Pipes(t, "casino", programtest.Use{
		Train: "-iterations 40 -restarts 0",
		Lines: []string{"66666666616666666", "1?2345123451234512345", strings.Repeat("123456", 2000)},
	})
	for i, want := range []string{"66666666616666666\tLLLLLLLLLLLLLLLLL", "1?2345123451234512345\tFFFFFFFFFFFFFFFFFFFFF"} {
		if answers[i] != want {
			t.Errorf("%q, want %q", answers[i], want)
		}
	}
	if n := len(answers[2]); n != 2*12000+1 {
		t.Errorf("%d bytes", n)
	}
}

// TestApply: lines that cannot be answered are reported, and a file of another kind is an
// error.
func TestApply(t *testing.T) {
	data := programtest.File(t, "data", "1212112\n12112\n") // other faces do not occur
	model := programtest.File(t, "model", "")
	lines := programtest.File(t, "lines", "12\n6\n1x\n\n")
	var stderr bytes.Buffer
	status, out := program(t.Context(), &stderr, "-quiet", "-data", data, "-iterations", "3", "-restarts", "0", "-save", model, "-apply", lines)
	if rows := strings.Split(out, "\n"); status != 0 || len(rows) != 5 || len(rows[0]) != 5 || rows[1] != "6" || rows[2] != "1x" || rows[3] != "" {
		t.Errorf("status %d: %q %s", status, out, &stderr)
	}
	for _, want := range []string{":2: hmm: no derivation", ":3: throw 2 is 'x'", ":4: no throws"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in %s", want, &stderr)
		}
	}
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "face", 2, hmm.Each(2), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	coins, err := hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := coins.Save(&text); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"": "bad format", text.String(): "it is not a model of 2 dice of 6 faces"} {
		stderr.Reset()
		status, _ := program(t.Context(), &stderr, "-load", programtest.File(t, "model", file), "-apply", lines)
		if status != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("status %d: %s, want %s", status, &stderr, want)
		}
	}
	if status, _ := program(t.Context(), &stderr, "-load", model); status != 2 {
		t.Errorf("nothing to do: status %d", status)
	}
}

// TestHelp: all flags are explained.
func TestHelp(t *testing.T) {
	var stderr bytes.Buffer
	status, out := program(t.Context(), &stderr, "-h")
	if status != 0 || !strings.HasPrefix(out, synopsis) || strings.Count(out, "\n  -") != 14 {
		t.Errorf("status %d, %s", status, out)
	}
	if status, out := program(t.Context(), &stderr, "-version"); status != 0 || !strings.HasPrefix(out, "casino example.org/pathsum ") {
		t.Errorf("-version: status %d, %s", status, out)
	}
}

// TestFlags: wrong flags have status 2, and an output must not be an input.
func TestFlags(t *testing.T) {
	file := programtest.File(t, "file.svg", "123\n")
	for _, args := range []string{"-iterations 0", "more", "-plot x", "-load m", "-load m -apply l -seed 3", "-load - -apply -", "-o a -save a", "-n 1",
		"-data F -o F", "-data F -plot F", "-load F -apply x -o F", "-apply F -save F", "-apply F -checkpoint F"} {
		var stderr bytes.Buffer
		status, out := program(t.Context(), &stderr, strings.Fields(strings.ReplaceAll(args, "F", file))...)
		if status != 2 || out != "" || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: status %d, %s%s", args, status, out, &stderr)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "123\n" {
		t.Errorf("an input was overwritten: %q, %v", text, err)
	}
}
