package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/models/grammar/treebank"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newProgram)

// report is the JSON object.
type report struct {
	Program    string     `json:"program"`
	Iterations int        `json:"iterations"`
	Objective  []float64  `json:"objective"`
	Status     string     `json:"status"`
	Model      string     `json:"model"`
	Init       string     `json:"init"`
	Sentences  int        `json:"sentences"`
	Test       int        `json:"test_sentences"`
	Agreement  []*float64 `json:"o_agree"`
	Best       string     `json:"best_start"`
	F1         float64    `json:"f1"`
	Precision  float64    `json:"precision"`
	Recall     float64    `json:"recall"`
	Directed   *float64   `json:"directed"`
	Undirected *float64   `json:"undirected"`
}

func TestProgram(t *testing.T) {
	for _, x := range []struct {
		model, init          string
		f1, directed, either float64 // at least
	}{
		{"product", "likeliest", .78, .3, .6},
		{"product", "harmonic-counts", .78, .3, .6},
		{"dmv", "harmonic-counts", .85, .75, .8},
		{"dmv", "split-uniform", .5, .1, .5},
		{"ccm", "harmonic-trees", .78, 0, 0},
	} {
		output, figure := filepath.Join(t.TempDir(), "out.tsv"), filepath.Join(t.TempDir(), "curve.svg")
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, "-json", "-model", x.model, "-init", x.init, "-o", output, "-plot", figure)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		r := programtest.Report[report](t, out)
		if r.Program != "grammar" || r.Model != x.model || r.Init != x.init || r.Status != "iteration limit" || r.Sentences != 48 ||
			r.Iterations != 40 || len(r.Objective) != 40 || !slices.IsSorted(r.Objective) {
			t.Errorf("%+v", r)
		}
		if r.F1 < x.f1 || r.F1 > 1 || r.Recall < r.Precision {
			t.Errorf("%s from %s: F1 %v, precision %v, recall %v", x.model, x.init, r.F1, r.Precision, r.Recall)
		}
		if (r.Directed == nil) != (x.model == "ccm") || r.Directed != nil && (*r.Directed < x.directed || *r.Undirected < x.either) {
			t.Errorf("%s from %s: %+v", x.model, x.init, r)
		}
		if want := map[string]int{"product": 40}[x.model]; len(r.Agreement) != want {
			t.Errorf("%s: %d values of the objective of agreement, want %d", x.model, len(r.Agreement), want)
		}
		for _, want := range []string{"48 sentences", "right branching   0.7032", "drawn   ((the dog) barks)"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
		last := "training 40/40: objective -"
		if x.init == "likeliest" {
			last = "training 120/120: start 2, objective -"
		}
		if !strings.Contains(stderr.String(), last) || (r.Best != "") != (x.init == "likeliest") {
			t.Errorf("best start %q, %s", r.Best, &stderr)
		}
		if programtest.Figure(t, figure, "iteration"); x.init == "likeliest" {
			programtest.Figure(t, figure, "split-uniform")
		}
		found, err := treebank.Collect(treebank.SentencesOf(output))
		if err != nil || len(found) != 48 || found[0].Words[2] != "barks" || (found[0].Heads == nil) != (x.model == "ccm") {
			t.Errorf("%v, %d sentences", err, len(found))
		}
	}
}

func TestBadInput(t *testing.T) {
	for _, x := range []struct {
		text, want string
		status     int
		args       []string
	}{
		{text: "", want: "no sentences", status: 1},
		{text: "a\tb c\tX Y\t0\t_\n", want: "data.tsv:1: bad format: column 4 (heads): 1 heads for 2 words", status: 1},
		{text: "a\tb c d\tX Y Z\t0 3 2\t_\n", want: "data.tsv:1: bad format: column 4 (heads): invalid input: word 2 is below itself", status: 1},
		{text: "a\tb c d\tX Y Z\t_\t0-2 1-3\n", want: "0-2 and 1-3 cross", status: 1},
		{text: "a\tb c\n", want: "data.tsv:1: wrong number of columns: 2, want 5", status: 1},
		{text: "a\tb\tX\t0\t\n", want: "no examples", status: 1},
		{want: "-model x: want one of product, dmv, ccm", status: 2, args: []string{"-model", "x"}},
		{want: "-init x: want one of likeliest, harmonic-counts, harmonic-trees, split-uniform", status: 2, args: []string{"-init", "x"}},
	} {
		var stderr bytes.Buffer
		name := programtest.File(t, "data.tsv", x.text)
		status, _ := run(t.Context(), &stderr, append([]string{"-data", name}, x.args...)...)
		if status != x.status || !strings.Contains(stderr.String(), x.want) {
			t.Errorf("%q: status %d, %s, want %s", x.text, status, &stderr, x.want)
		}
	}
}

// TestInterrupt: an interrupted run reports its results so far, and resumes with the results of
// an uninterrupted run, for any number of workers.
func TestInterrupt(t *testing.T) {
	whole, part, rest := programtest.Resume[report](t, run, "training 3/18", "-iterations", "6")
	if whole.Iterations != 6 {
		t.Errorf("%+v", whole)
	}
	if part.Status != "canceled" || part.Iterations != 3 || part.F1 == 0 || !slices.Equal(part.Objective, whole.Objective[:3]) {
		t.Errorf("interrupted: %+v", part)
	}
	if len(rest.Agreement) != 6 || slices.Contains(rest.Agreement, nil) {
		t.Errorf("resumed: %+v", rest)
	}
	if d := cmp.Diff(whole, rest); d != "" {
		t.Error(d)
	}
	// In the second of three starts.
	if whole, _, rest = programtest.Resume[report](t, run, "training 9/18", "-iterations", "6"); !cmp.Equal(whole, rest) {
		t.Error(cmp.Diff(whole, rest))
	}
}

// TestSkip: sentences with bad lines are left out, in training and in the test.
func TestSkip(t *testing.T) {
	wrong := sentencesTSV + "a\tb\n"
	data, test := programtest.File(t, "data.tsv", wrong), programtest.File(t, "test.tsv", wrong)
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-iterations", "1", "-model", "ccm", "-data", data, "-test", test)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r := programtest.Report[report](t, out); r.Sentences != 48 || r.Test != 48 {
		t.Errorf("%+v", r)
	}
	for _, name := range []string{data, test} {
		if !strings.Contains(stderr.String(), "skipped: "+name+":49: wrong number of columns: 2, want 5") {
			t.Errorf("nothing is said of %s:\n%s", name, &stderr)
		}
	}
}
