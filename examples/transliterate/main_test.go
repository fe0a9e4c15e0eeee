package main

import (
	"bytes"
	"io"
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
	Normalize         string                              `json:"normalize"`
	Lines             int                                 `json:"lines_skipped"`
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

// TestPairs: trained models are more accurate than untrained ones.
func TestPairs(t *testing.T) {
	dir := t.TempDir()
	output := filepath.Join(dir, "out.tsv")
	top1 := map[string]float64{}
	train, test := divided(t)
	for name, args := range map[string][]string{
		"product": {"-o", output}, "single": {"-model", "single", "-direction", "forward", "-normalize", "nfd"},
	} {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(args, "-json", "-data", train, "-test", test)...)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		r := programtest.Report[report](t, out)
		if r.Iterations != 11 || len(r.Objective) != 11 || !slices.IsSorted(r.Objective) || r.Forward["before"].Top1 >= r.Forward["after"].Top1 {
			t.Errorf("%s: %+v", name, r)
		}
		if (r.Backward != nil) != (name == "product") || (r.Normalize == "nfd") != (name == "single") {
			t.Errorf("%s: %+v", name, r)
		}
		top1[name] = r.Forward["after"].Top1
		if name == "product" && (r.Forward["after"].Top10 < .6 || r.Backward["after"].Top10 < .55) {
			t.Errorf("%+v", r)
		}
		if !strings.Contains(out, "forward, joint model, read from the end: ") {
			t.Errorf("%s:\n%s", name, out)
		}
	}
	if top1["single"] < .3 || top1["product"] < .33 {
		t.Errorf("%v right", top1)
	}
	checkOutput(t, output, 80)
}

// TestApply: a saved model gives the same answers, in both directions and with any number of
// workers. There is a line of output for each line of input, for any problem of the line, and
// an unknown symbol does not prevent an answer.
func TestApply(t *testing.T) {
	long := strings.Repeat("maria", 10)
	words := []string{"maria", "マリア", "", "Maria", "zoë", "x1", "??", "maria santa", long}
	problems := []string{
		":3: empty line\n", `:4: unknown symbol "M" at position 1, read as "m"`, `:5: unknown symbol "ë" at position 3, read as "e"`,
		`:6: unknown symbol "1" at position 2, left out`, ":7: ", "no symbol that is known", `:8: unknown symbol " " at position 6`,
	}
	input := programtest.File(t, "words.txt", strings.Join(words, "\n")+"\n")
	for name, c := range map[string]struct{ train, apply string }{
		"product":     {"-iterations 2", ""},
		"single":      {"-model single -iterations 1", "-n 3"},
		"conditional": {"-model single -iterations 1 -conditional -direction forward", "-n 2 -direction forward"},
	} {
		model := filepath.Join(t.TempDir(), "model")
		args := append([]string{"-quiet", "-apply", input}, strings.Fields(c.apply)...)
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, slices.Concat([]string{"-data", some(t), "-save", model}, strings.Fields(c.train), args)...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if status != 0 || len(lines) != len(words) {
			t.Fatalf("%s: status %d, %d lines for %d: %s", name, status, len(lines), len(words), stderr.String())
		}
		for i, line := range lines {
			columns := strings.Split(line, "\t")
			want := 2
			switch {
			case words[i] == "" || words[i] == "??" || name == "conditional" && words[i] == "マリア":
				want = 1
			case strings.HasPrefix(c.apply, "-n 3"):
				want = 7
			case strings.HasPrefix(c.apply, "-n 2"):
				want = 5
			}
			if columns[0] != words[i] || len(columns) != want {
				t.Errorf("%s: line %d is %.80q, want %d columns", name, i+1, line, want)
			}
		}
		if columns := strings.Split(lines[1], "\t"); name == "product" && (columns[1][0] < 'a' || columns[1][0] > 'z') {
			t.Errorf("%s: %q, want letters", name, lines[1])
		}
		for _, want := range problems {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, stderr.String())
			}
		}
		again := filepath.Join(t.TempDir(), name)
		status, _ = run(t.Context(), io.Discard, append(args, "-load", model, "-workers", "3", "-o", again)...)
		if text, err := os.ReadFile(again); status != 0 || err != nil || string(text) != out {
			t.Errorf("%s: loaded, status %d, %.200q, want %.200q (%v)", name, status, text, out, err)
		}
		if status, _ := run(t.Context(), io.Discard, "-load", model); status != 2 {
			t.Errorf("%s: -load without -apply: status %d, want 2", name, status)
		}
		var problems bytes.Buffer
		status, _ = run(t.Context(), &problems, "-load", model, "-apply", input, "-direction", "backward")
		if without := strings.Contains(problems.String(), "-direction backward: the model was trained without"); status == 0 == without || without != (name == "conditional") {
			t.Errorf("%s: backward with status %d, %s", name, status, &problems)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, text := range []string{"", "{}", "pathsum transliterate 2\n"} {
		var stderr bytes.Buffer
		bad := programtest.File(t, "bad", text)
		if status, _ := run(t.Context(), &stderr, "-load", bad, "-apply", bad); status != 1 || !strings.Contains(stderr.String(), bad) {
			t.Errorf("model %q: status %d, %s", text, status, stderr.String())
		}
	}
	for _, args := range [][]string{
		{"-normalize", "nfx"}, {"-model", "cascade"}, {"-load", "x", "-model", "single", "-apply", "y"}, {"-apply", "x", "-test", "y"},
	} {
		if status, _ := run(t.Context(), io.Discard, args...); status != 2 {
			t.Errorf("%v: status %d, want 2", args, status)
		}
	}
}

// TestSpaces: a column without spaces between symbols may have words of several.
func TestSpaces(t *testing.T) {
	lines := strings.Repeat("new york\tニュー ヨーク\nnew\tニュー\nanna\tアンナ\nyork\tヨーク\nanna york\tアンナ ヨーク\n", 4)
	words := programtest.File(t, "words", "york new\nアンナ ニュー\n")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-quiet", "-data", programtest.File(t, "data.tsv", lines), "-apply", words)
	if want := "york new\tヨーク ニュー\nアンナ ニュー\tanna new\n"; status != 0 || out != want {
		t.Errorf("status %d, %q, want %q; %s", status, out, want, stderr.String())
	}
}

// TestApplyLearnsFromAll: without a test, all data are used for training.
func TestApplyLearnsFromAll(t *testing.T) {
	var stderr bytes.Buffer
	status, _ := run(t.Context(), &stderr, "-data", some(t), "-model", "single", "-iterations", "1", "-apply", programtest.File(t, "words", "maria\n"))
	if want := "160 pairs to learn from, 0 to be tested with"; status != 0 || !strings.Contains(stderr.String(), want) {
		t.Errorf("status %d, no %q in %s", status, want, stderr.String())
	}
}

// TestBadLine: a bad line is skipped, reported and counted.
func TestBadLine(t *testing.T) {
	name := some(t, "nonsense\n")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-quiet", "-model", "single", "-iterations", "1", "-data", name)
	if want := "transliterate: skipped: " + name + ":161: no tab, want 2 to 3 columns\n"; status != 0 || !strings.Contains(stderr.String(), want) {
		t.Errorf("status %d, %q", status, stderr.String())
	}
	if r := programtest.Report[report](t, out); r.Lines != 1 || r.Pairs+r.TestPairs != 160 {
		t.Errorf("%+v", r)
	}
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestUse(t *testing.T) {
	programtest.Check(t, newProgram, programtest.Use{
		Train: "-model single -iterations 4", Apply: "-n 3", Lines: []string{"anna", "マリア", "bovary"}, Stop: "training 2/",
	})
}
