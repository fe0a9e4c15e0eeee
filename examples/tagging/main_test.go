package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/programtest"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newProgram)

// report is the JSON object.
type report struct {
	Program    string    `json:"program"`
	Iterations int       `json:"iterations"`
	Objective  []float64 `json:"objective"`
	Status     string    `json:"status"`
	Model      string    `json:"model"`
	Sentences  int       `json:"sentences"`
	Test       int       `json:"test_sentences"`
	Features   int       `json:"features"`
	Accuracy   float64   `json:"accuracy"`
	Unknown    float64   `json:"unknown_accuracy"`
}

func TestProgram(t *testing.T) {
	for _, x := range []struct {
		model, status          string
		iterations             int
		least, most            int // features
		leastObjective, atMost float64
		accuracy               float64 // at least, of 78 words
	}{
		{"crf", "iteration limit", 6, 3000, 4000, -250, -100, .8},
		{"memm", "iteration limit", 6, 3000, 4000, -250, -100, .8},
		{"hmm", "converged", 3, 1000, 2000, -2000, -1000, .8},
		{"node", "iteration limit", 6, 2000, 4000, -250, -100, .75},
	} {
		dir := t.TempDir()
		output, plot, matrix := filepath.Join(dir, "out.tsv"), filepath.Join(dir, "plot.svg"), filepath.Join(dir, "matrix.svg")
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, "-json", "-model", x.model, "-o", output, "-plot", plot, "-matrix", matrix)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		r := programtest.Report[report](t, out)
		if r.Program != "tagging" || r.Model != x.model || r.Status != x.status || r.Sentences != 50 || r.Test != 10 ||
			r.Iterations != x.iterations || len(r.Objective) != x.iterations || r.Features < x.least || r.Features > x.most {
			t.Errorf("%+v", r)
		}
		if last := r.Objective[x.iterations-1]; last < x.leastObjective || last > x.atMost || !slices.IsSorted(r.Objective) {
			t.Errorf("%s: objectives %v", x.model, r.Objective)
		}
		if r.Accuracy < x.accuracy || r.Unknown > r.Accuracy || r.Unknown < .5 {
			t.Errorf("%s: %g of words right, %g of unknown ones", x.model, r.Accuracy, r.Unknown)
		}
		for _, want := range []string{"50 sentences to learn from, 10 to be tested with", "unknown words", "The/DET"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
		if !strings.Contains(stderr.String(), fmt.Sprintf("training %d/6: objective -", x.iterations)) {
			t.Error(stderr.String())
		}
		programtest.Figure(t, matrix, "NOUN", "predicted")
		programtest.Figure(t, plot, "iteration")
		text, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "The\tDET\tDET\n") || strings.Count(string(text), "\n\n") != 10 {
			t.Errorf("%s", text)
		}
	}
}

func TestBadInput(t *testing.T) {
	for _, x := range []struct {
		text, want string
		status     int
		args       []string
	}{
		{text: "a\tX\nb\n", want: "2: no tab, want word and tag", status: 1},
		{text: "a\tX\n\tY\n", want: "2: empty side: want word and tag", status: 1},
		{text: "a\tX\t_\n\nb\tX\t_\n", want: "-column 2 to 3 takes the tags from one of them (and 1 more of 3 lines are wrong)", status: 1},
		{text: "\n\n", want: "no training sentences", status: 1},
		{text: "a\tX\n\nb\tY\n", want: "no test sentences: give -test, or at least 6 sentences to hold one out", status: 1},
		{text: "", want: `-model x: want one of crf, memm, node, hmm`, status: 2, args: []string{"-model", "x"}},
	} {
		var stderr bytes.Buffer
		name := programtest.File(t, "data.tsv", x.text)
		status, _ := run(t.Context(), &stderr, append([]string{"-data", name}, x.args...)...)
		if status != x.status || !strings.Contains(stderr.String(), x.want) {
			t.Errorf("%q: status %d, %s, want %s", x.text, status, &stderr, x.want)
		}
	}
}

// TestInterrupt: an interrupted run reports its results so far.
func TestInterrupt(t *testing.T) {
	whole, part, rest := programtest.Resume[report](t, run, "training 2/4", "-iterations", "4")
	if whole.Iterations != 4 {
		t.Errorf("%+v", whole)
	}
	if part.Status != "canceled" || part.Iterations != 2 || part.Features != whole.Features || !slices.Equal(part.Objective, whole.Objective[:2]) {
		t.Errorf("interrupted: %+v", part)
	}
	if d := cmp.Diff(whole, rest); d != "" {
		t.Errorf("resumed: %s", d)
	}
}

// TestSkip: sentences with a bad line are left out, in training and in the test, and the others
// are used.
func TestSkip(t *testing.T) {
	wrong := sentencesTSV + "\nno tab\nof\tADP\n\n"
	data, test := programtest.File(t, "data.tsv", wrong), programtest.File(t, "test.tsv", wrong)
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-iterations", "1", "-data", data, "-test", test)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[struct {
		report
		Lines int `json:"lines_skipped"`
	}](t, out)
	if r.Sentences != 60 || r.Test != 60 || r.Lines != 2 {
		t.Errorf("%+v", r)
	}
	for _, name := range []string{data, test} {
		if !strings.Contains(stderr.String(), "skipped: "+name+":") {
			t.Errorf("nothing is said of %s:\n%s", name, &stderr)
		}
	}
}
