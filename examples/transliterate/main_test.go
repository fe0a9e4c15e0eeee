package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/loanwords"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/transliteration"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newExperiment, (*experiment).run)

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
	Forward, Backward map[string]transliteration.Accuracy `json:",omitempty"`
}

// some writes a part of the embedded pairs to a file, with further lines.
func some(t *testing.T, lines ...string) string {
	t.Helper()
	all := strings.SplitAfter(loanwords.TSV, "\n")
	return programtest.File(t, "some.tsv", strings.Join(all[:160], "")+strings.Join(lines, ""))
}

// divided writes the embedded pairs to two files, 40 of them to that for the test.
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
	status, out := run(t.Context(), &stderr, "-model", "cascade", "-json", "-data", train, "-test", test, "-iterations", "8", "-o", output, "-plot", curve, "-heatmap", heatmap)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[report](t, out)
	if r.Program != "transliterate" || r.Iterations != 8 || r.Skipped != 0 || r.Pairs != 767 || r.TestPairs != 40 || r.Status != "iteration limit" {
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

// TestPairs: models of pairs find more than a cascade does, their product more than one.
func TestPairs(t *testing.T) {
	dir := t.TempDir()
	output, curve := filepath.Join(dir, "out.tsv"), filepath.Join(dir, "curve.svg")
	top1 := map[string]float64{}
	train, test := divided(t)
	for name, args := range map[string][]string{
		"product": {"-o", output, "-plot", curve}, "single": {"-model", "single", "-direction", "forward", "-normalize", "nfd"},
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
		if !strings.Contains(out, "forward, read from the end: ") {
			t.Errorf("%s:\n%s", name, out)
		}
	}
	if top1["single"] < .3 || top1["product"] < .33 {
		t.Errorf("%v right", top1)
	}
	checkOutput(t, output, 80)
	checkFigure(t, curve)
}

// TestApply: a model that was saved transliterates as it did before, in both directions and
// with any number of workers. There is a line of output for each line of input, whatever the
// matter with it, and an unknown symbol does not cost the answer.
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
		"cascade":     {"-model cascade -iterations 1", "-n 3"},
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
		stderr.Reset()
		if status, _ := run(t.Context(), &stderr, "-load", model, "-export", again); status == 0 != (name == "cascade") {
			t.Errorf("%s: exported with status %d: %s", name, status, stderr.String())
		}
		if status, _ := run(t.Context(), io.Discard, "-load", model, "-apply", input, "-direction", "backward"); status == 0 != (name != "conditional") {
			t.Errorf("%s: backward with status %d", name, status)
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
		{"-normalize", "nfx"}, {"-model", "cascade", "-conditional"}, {"-restarts", "1"}, {"-heatmap", "x.svg"}, {"-export", "x"},
		{"-n", "2"}, {"-load", "x", "-model", "single", "-apply", "y"}, {"-apply", "x", "-test", "y"},
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

// TestApplyLearnsFromAll: what is not tested holds nothing out.
func TestApplyLearnsFromAll(t *testing.T) {
	var stderr bytes.Buffer
	status, _ := run(t.Context(), &stderr, "-data", some(t), "-model", "single", "-iterations", "1", "-apply", programtest.File(t, "words", "maria\n"))
	if want := "160 pairs to learn from, 0 to be tested with"; status != 0 || !strings.Contains(stderr.String(), want) {
		t.Errorf("status %d, no %q in %s", status, want, stderr.String())
	}
}

// TestSkipped: pairs that no derivation leads to are counted and named, and do not
// stop the program.
func TestSkipped(t *testing.T) {
	name := some(t, "anna=maria\tア ン ナ ＝ マ リ ア\n")
	test := programtest.File(t, "test.tsv", "maria\tマ リ ア\nzoë\tゾ エ\n")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-model", "cascade", "-json", "-iterations", "2", "-data", name, "-test", test)
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

func TestBadLine(t *testing.T) {
	name := some(t, "nonsense\n")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-data", name)
	if want := "transliterate: " + name + ":161: no tab, want 2 to 3 columns\n"; status != 1 || out != "" || stderr.String() != want {
		t.Errorf("status %d, %q, %q", status, out, stderr.String())
	}
}

// TestInterruptAndResume: an interrupted run says what it knows, and goes on to
// the results of one that was not interrupted, whatever the number of workers.
func TestInterruptAndResume(t *testing.T) {
	whole, part, rest := programtest.Resume[report](t, run, "training 3/", "-model", "single", "-iterations", "6", "-data", some(t))
	if whole.Iterations != 6 {
		t.Errorf("%+v", whole)
	}
	if part.Status != "canceled" || part.Iterations != 3 || !slices.Equal(part.Objective, whole.Objective[:3]) {
		t.Errorf("interrupted: %+v", part)
	}
	if d := cmp.Diff(whole, rest); d != "" {
		t.Errorf("resumed: %s", d)
	}
}

func TestHelp(t *testing.T) { programtest.Help(t, newExperiment) }

func TestKeepsInputs(t *testing.T) { programtest.KeepsInputs(t, newExperiment) }

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestPipeline(t *testing.T) {
	programtest.Pipeline{
		Name: "transliterate", Train: "-model single -iterations 2", Apply: "-n 3", Lines: []string{"anna", "マリア", "bovary"},
	}.Run(t)
}
