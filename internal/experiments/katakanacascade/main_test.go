package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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
	Program           string                              `json:"program"`
	Iterations        int                                 `json:"iterations"`
	Objective         []float64                           `json:"objective"`
	Status            string                              `json:"status"`
	Skipped           int                                 `json:"skipped"`
	Pairs             int                                 `json:"pairs"`
	TestPairs         int                                 `json:"test_pairs"`
	Forward, Backward map[string]transliteration.Accuracy `json:",omitempty"`
}

// some writes a part of the embedded pairs to a file, and further lines.
func some(t *testing.T, lines ...string) string {
	t.Helper()
	all := strings.SplitAfter(loanwords.TSV, "\n")
	return programtest.File(t, "some.tsv", strings.Join(all[:160], "")+strings.Join(lines, ""))
}

// divided writes the embedded pairs to two files, 40 of them to the test file.
func divided(t *testing.T) (train, test string) {
	t.Helper()
	var parts [2]strings.Builder
	for i, line := range strings.SplitAfter(loanwords.TSV, "\n") {
		part := 0
		if i%20 == 0 && i < 800 {
			part = 1
		}
		parts[part].WriteString(line)
	}
	return programtest.File(t, "train.tsv", parts[0].String()), programtest.File(t, "test.tsv", parts[1].String())
}

func TestCascade(t *testing.T) {
	dir := t.TempDir()
	output, curve, heatmap := filepath.Join(dir, "out.tsv"), filepath.Join(dir, "curve.svg"), filepath.Join(dir, "heat.svg")
	train, test := divided(t)
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-data", train, "-test", test, "-iterations", "8", "-o", output, "-plot", curve, "-matrix", heatmap)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[report](t, out)
	if r.Program != "katakanacascade" || r.Iterations != 8 || r.Skipped != 0 || r.Pairs != 767 || r.TestPairs != 40 || r.Status != "iteration limit" {
		t.Errorf("%+v", r)
	}
	if !slices.IsSorted(r.Objective) || len(r.Objective) != 8 || r.Objective[7] > -3300 || r.Objective[7] < -3900 || !strings.Contains(out, "log likelihood (nats)") {
		t.Errorf("log likelihoods %v\n%s", r.Objective, out)
	}
	for name, a := range map[string]map[string]transliteration.Accuracy{"forward": r.Forward, "backward": r.Backward} {
		before, copied, after := a["before"], a["copy"], a["after"]
		if after.Top1 < 5*before.Top1 || after.Top1 < .1 || after.Top10 < .35 || after.CER > .6 {
			t.Errorf("%s: before %+v, after %+v", name, before, after)
		}
		if after.Top1 <= copied.Top1 || after.Top10 <= copied.Top10 || after.CER >= copied.CER {
			t.Errorf("%s: copy %+v, after %+v", name, copied, after)
		}
	}
	for _, want := range []string{"767 pairs to learn from, 40 to be tested with", "\ng ", "アカデミー", "forward, after"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, want := range []string{"training 1/8: objective -", "decoding (after) 80/80\n"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in\n%s", want, stderr.String())
		}
	}
	checkOutput(t, output, 80)
	for _, name := range []string{curve, heatmap} {
		checkFigure(t, name)
	}
}

func checkOutput(t *testing.T, name string, want int) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"); len(lines) != want || !strings.HasPrefix(lines[0], "forward\t") || !strings.HasPrefix(lines[want/2], "backward\t") {
		t.Errorf("%d lines: %s …", len(lines), lines[0])
	}
}

func checkFigure(t *testing.T, name string) {
	t.Helper()
	if text, err := os.ReadFile(name); err != nil || !bytes.Contains(text, []byte("<svg")) {
		t.Errorf("%s: %d bytes (%v)", name, len(text), err)
	}
}

// TestSkipped: pairs without a derivation are counted and named, and do not stop the program.
func TestSkipped(t *testing.T) {
	name := some(t, "anna=maria\tア ン ナ ＝ マ リ ア\n")
	test := programtest.File(t, "test.tsv", "maria\tマ リ ア\nzoë\tゾ エ\n")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-iterations", "2", "-data", name, "-test", test)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r := programtest.Report[report](t, out); r.Skipped != 1 || r.Pairs != 161 || r.TestPairs != 2 {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{
		"skipped, no derivation: " + name + ":161: anna=maria アンナ＝マリア\n",
		"1 test pairs have a character that the model does not know: " + test + ":2: \"ë\" in zoë ゾエ\n",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in\n%s", want, stderr.String())
		}
	}
}

// TestLoaded: a saved cascade gives the same answers, and can be exported.
func TestLoaded(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	words := programtest.File(t, "words.txt", "maria\nマリア\nzoë\n\n")
	var answers []string
	for _, args := range [][]string{
		{"-data", some(t), "-iterations", "1", "-save", file("model"), "-export", file("trained.far")},
		{"-load", file("model"), "-export", file("loaded.far"), "-workers", "3"},
	} {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(args, "-quiet", "-apply", words, "-n", "3")...)
		if lines := strings.Split(out, "\n"); status != 0 || len(lines) != 5 || strings.Count(lines[0], "\t") != 6 || !strings.Contains(stderr.String(), ":4: empty line") {
			t.Fatalf("status %d, %q, %s", status, out, &stderr)
		}
		answers = append(answers, out)
	}
	if answers[0] != answers[1] {
		t.Errorf("the loaded model answers %q, want %q", answers[1], answers[0])
	}
	for _, name := range []string{"trained.far", "loaded.far"} {
		if info, err := os.Stat(file(name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var stderr bytes.Buffer
	bad := programtest.File(t, "bad", "pathsum transliterate 2\n")
	if status, _ := run(t.Context(), &stderr, "-load", bad, "-apply", words); status != 1 || !strings.Contains(stderr.String(), bad) {
		t.Errorf("status %d, %s", status, &stderr)
	}
}
