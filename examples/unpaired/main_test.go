package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/loanwords"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/transliteration"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newProgram)

// report is the JSON object.
type report struct {
	Status       string                              `json:"status"`
	Iterations   int                                 `json:"iterations"`
	Pairs        int                                 `json:"pairs"`
	Names        map[string]int                      `json:"names"`
	TestPairs    int                                 `json:"test_pairs"`
	Forward      map[string]transliteration.Accuracy `json:"forward"`
	Backward     map[string]transliteration.Accuracy `json:"backward"`
	ForwardGain  transliteration.Gain                `json:"forward_gain"`
	BackwardGain transliteration.Gain                `json:"backward_gain"`
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	output := filepath.Join(dir, "out.tsv")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-o", output)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[report](t, out)
	if r.Status != "iteration limit" || r.Iterations != 4 || r.Pairs != 200 || r.TestPairs != 100 || r.Names["latin"] != 254 || r.Names["katakana"] != 253 || r.Names["pronounced"] < 100 {
		t.Errorf("%+v", r)
	}
	for name, a := range map[string]map[string]transliteration.Accuracy{"forward": r.Forward, "backward": r.Backward} {
		if len(a) != 2 || a["after"].Top1 <= a["before"].Top1 || a["before"].Top1 < .15 || a["before"].Top10 < .4 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for _, g := range []transliteration.Gain{r.ForwardGain, r.BackwardGain} {
		if g.Top1 <= 0 || g.SE <= 0 || g.SE > .05 {
			t.Errorf("gain %+v", g)
		}
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"); len(lines) != 200 || !strings.HasPrefix(lines[0], "forward\talgorithm\tアルゴリズム\t") || !strings.HasPrefix(lines[100], "backward\tアルゴリズム\talgorithm\t") {
		t.Errorf("%d lines: %s …", len(lines), lines[0])
	}
	for _, want := range []string{"200 pairs, 254 names in Latin letters", "forward, names without partners gain 4.0 ± 2.8 points", "サンタ"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// User data have only their own sounds, and the results do not depend on the number of workers.
func TestOwnData(t *testing.T) {
	lines := strings.SplitAfter(loanwords.TSV, "\n")
	data := programtest.File(t, "pairs.tsv", strings.Join(lines[:240], ""))
	test := programtest.File(t, "test.tsv", strings.Join(lines[240:260], "")+"łódź\tウ ッ チ\t2\n")
	sounds := programtest.File(t, "sounds.tsv", "bacon\tb e i k @ n\nalbum\ta l b @ m\n")
	args := []string{"-quiet", "-json", "-data", data, "-test", test, "-pairs", "80", "-names", "50", "-iterations", "2"}
	figures := func(more ...string) report {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(args, more...)...)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		return programtest.Report[report](t, out)
	}
	r := figures("-workers", "1")
	if len(r.Forward) != 2 || r.Names["pronounced"] != 0 || r.Names["latin"] != 50 || r.TestPairs != 21 {
		t.Errorf("%+v", r)
	}
	if two := figures("-workers", "2"); two.Forward["after"] != r.Forward["after"] || two.Backward["after"] != r.Backward["after"] {
		t.Errorf("two workers have %+v, one has %+v", two, r)
	}
	if r := figures("-sounds", sounds); r.Names["pronounced"] == 0 {
		t.Errorf("with sounds: %+v", r)
	}
}

func TestErrors(t *testing.T) {
	bad := programtest.File(t, "bad.tsv", "album\n")
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "want at least 1", []string{"-pairs", "0"}},
		{2, "-sounds: want -data", []string{"-sounds", bad}},
		{1, "want at least 1000", []string{"-pairs", "1000"}},
		{1, "bad.tsv:1", []string{"-data", bad}},
		{1, "bad.tsv:1", []string{"-test", bad}},
	} {
		var stderr bytes.Buffer
		if status, _ := run(t.Context(), &stderr, c.args...); status != c.status || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%v: status %d, %q, want %d, %q", c.args, status, stderr.String(), c.status, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, _ := run(ctx, io.Discard); status != 130 {
		t.Errorf("status %d of a canceled run, want 130", status)
	}
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestUse: a saved model answers names of both scripts, and can be tested.
func TestUse(t *testing.T) {
	const small = "-pairs 100 -names 60 -iterations 1"
	answers := programtest.Check(t, newProgram, programtest.Use{
		Train: small, Apply: "-n 2", Lines: []string{"anna", "santa", "マリア", "bob"},
	})
	for i, a := range answers {
		if columns := strings.Split(a, "\t"); len(columns) != 5 {
			t.Errorf("answer %d: %q, want a name and two candidates with scores", i+1, a)
		}
	}
	model := filepath.Join(t.TempDir(), "model")
	test := programtest.File(t, "test.tsv", strings.Join(strings.SplitAfter(loanwords.TSV, "\n")[:40], ""))
	args := strings.Fields(small)
	var figures []report
	for _, args := range [][]string{append(args, "-test", test, "-save", model), {"-load", model, "-test", test}} {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(args, "-json")...)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		figures = append(figures, programtest.Report[report](t, out))
	}
	trained, loaded := figures[0], figures[1]
	if loaded.Forward["after"] != trained.Forward["after"] || loaded.Backward["after"] != trained.Backward["after"] || len(loaded.Forward) != 1 {
		t.Errorf("the saved model has %+v, the trained one %+v", loaded, trained)
	}
}
