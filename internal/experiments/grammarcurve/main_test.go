package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

// report is the JSON object.
type report struct {
	Iterations               int
	F1, Directed, Undirected []*float64
}

var run = programtest.Reporting[report](programtest.New(newProgram))

// sentences branch to the right, and one of them has a single word.
const sentences = `1	the dog barks	DT NN VBZ	2 3 0	0-2 0-3
2	the cat sleeps	DT NN VBZ	2 3 0	0-2 0-3
3	she sees the dog	PRP VBZ DT NN	2 0 4 2	0-4 1-4 2-4
4	cats sleep	NNS VBP	2 0	0-2
5	go	VB	0	_
`

// TestCurve: every iteration has scores, for a CCM without scores of heads.
func TestCurve(t *testing.T) {
	data := programtest.File(t, "data.tsv", sentences)
	for _, model := range []string{"product", "dmv", "ccm"} {
		plot := filepath.Join(t.TempDir(), "curve.svg")
		var stderr bytes.Buffer
		status, r, out := run(t, t.Context(), &stderr, "-data", data, "-model", model, "-iterations", "3", "-plot", plot)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		if r.Iterations != 3 || len(r.F1) != 3 || len(r.Directed) != 3 || len(r.Undirected) != 3 {
			t.Fatalf("%s: %+v", model, r)
		}
		for i := range r.F1 {
			if *r.F1[i] <= 0 || *r.F1[i] > 1 || (r.Directed[i] == nil) != (model == "ccm") {
				t.Errorf("%s, iteration %d: %+v", model, i, r)
			}
		}
		programtest.Figure(t, plot, "iteration", "F1")
		if !strings.HasPrefix(out, "iteration   F1 ") || !strings.Contains(stderr.String(), ", F1 ") {
			t.Errorf("%s%s", out, &stderr)
		}
	}
}

// TestScores: the score before an iteration is the score of a model with one iteration less.
func TestScores(t *testing.T) {
	data, err := treebank.Collect(treebank.Sentences(strings.NewReader(sentences), "x"))
	if err != nil {
		t.Fatal(err)
	}
	var tags [][]string
	for _, s := range data {
		tags = append(tags, s.Tags)
	}
	status, r, _ := run(t, t.Context(), io.Discard, "-data", programtest.File(t, "data.tsv", sentences), "-model", "dmv", "-init", "harmonic-counts", "-iterations", "3")
	if status != 0 {
		t.Fatalf("status %d", status)
	}
	for n := range 3 {
		m, err := grammar.New(grammar.DMV, tags, &grammar.Options{Start: grammar.HarmonicCounts})
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			if _, err := m.Fit(t.Context(), tags, &em.Options{Iterations: n, Tolerance: -1}); err != nil {
				t.Fatal(err)
			}
		}
		p, err := m.Predictor(grammar.MostProbable)
		if err != nil {
			t.Fatal(err)
		}
		var want treebank.Score
		for i := range data {
			x, err := p.Best(data[i].Tags)
			if err != nil {
				t.Fatal(err)
			}
			want.Add(&data[i], x.Spans, x.Heads)
		}
		if *r.F1[n] != want.F1() || *r.Directed[n] != want.DirectedAccuracy() || *r.Undirected[n] != want.UndirectedAccuracy() {
			t.Errorf("iteration %d: %g, %g, %g, want %+v", n, *r.F1[n], *r.Directed[n], *r.Undirected[n], want)
		}
	}
}

// TestBadInput: data are required.
func TestBadInput(t *testing.T) {
	for _, x := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, 2, "want -data"},
		{[]string{"-data", "none"}, 1, "none: no such file"},
		{[]string{"-data", programtest.File(t, "empty", "")}, 1, "no examples"},
	} {
		var stderr bytes.Buffer
		if status, _, _ := run(t, t.Context(), &stderr, x.args...); status != x.status || !strings.Contains(stderr.String(), x.want) {
			t.Errorf("%v: status %d, %s, want %s", x.args, status, &stderr, x.want)
		}
	}
}
