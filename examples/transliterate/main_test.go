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

	"example.org/pathsum/examples/internal/loanwords"
	"example.org/pathsum/examples/internal/programtest"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newExperiment, (*experiment).run)

// report is the JSON object.
type report struct {
	Program           string              `json:"program"`
	Iterations        int                 `json:"iterations"`
	Objective         []float64           `json:"objective"`
	Status            string              `json:"status"`
	Skipped           int                 `json:"skipped"`
	Pairs             int                 `json:"pairs"`
	TestPairs         int                 `json:"test_pairs"`
	Forward, Backward map[string]Accuracy `json:",omitempty"`
}

// some writes a part of the embedded pairs to a file, with further lines.
func some(t *testing.T, lines ...string) string {
	t.Helper()
	all := strings.SplitAfter(loanwords.TSV, "\n")
	return programtest.File(t, "some.tsv", strings.Join(all[:160], "")+strings.Join(lines, ""))
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	output, curve, heatmap := filepath.Join(dir, "out.tsv"), filepath.Join(dir, "curve.svg"), filepath.Join(dir, "heat.svg")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-iterations", "8", "-o", output, "-plot", curve, "-heatmap", heatmap)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[report](t, out)
	if r.Program != "transliterate" || r.Iterations != 8 || r.Skipped != 0 || r.Pairs != 707 || r.TestPairs != 100 || r.Status != "iteration limit" {
		t.Errorf("%+v", r)
	}
	if !slices.IsSorted(r.Objective) || len(r.Objective) != 8 || r.Objective[7] > -3000 || r.Objective[7] < -3500 || !strings.Contains(out, "log likelihood (nats)") {
		t.Errorf("log likelihoods %v\n%s", r.Objective, out)
	}
	for name, a := range map[string]map[string]Accuracy{"forward": r.Forward, "backward": r.Backward} {
		before, copied, after := a["before"], a["copy"], a["after"]
		if after.Top1 < 5*before.Top1 || after.Top1 < .1 || after.Top10 < .35 || after.CER > .6 {
			t.Errorf("%s: before %+v, after %+v", name, before, after)
		}
		if after.Top1 <= copied.Top1 || after.Top10 <= copied.Top10 || after.CER >= copied.CER {
			t.Errorf("%s: copy %+v, after %+v", name, copied, after)
		}
	}
	for _, want := range []string{"707 pairs to learn from, 100 to be tested with", "\ng ", "サンタ", "forward, after"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, want := range []string{"training 1/8: log likelihood -", "decoding (after) 200/200\n"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in\n%s", want, stderr.String())
		}
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"); len(lines) != 200 || !strings.HasPrefix(lines[0], "forward\talgorithm\tアルゴリズム\t") {
		t.Errorf("%d lines: %s …", len(lines), lines[0])
	}
	for _, name := range []string{curve, heatmap} {
		if text, err := os.ReadFile(name); err != nil || !bytes.Contains(text, []byte("<svg")) {
			t.Errorf("%s: %d bytes (%v)", name, len(text), err)
		}
	}
}

// TestDecode: a model that was saved transliterates as it did before, in both
// directions and with any number of workers. There is a line of output for each line of
// input, whatever the matter with it.
func TestDecode(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model.json")
	long := strings.Repeat("santa", 200)
	for name, c := range map[string]struct {
		words, problems []string
	}{
		"forward": {
			[]string{"maria", "", "santa", "zoë", "x1", long},
			[]string{":2: empty line\n", ":4: ", "\"ë\" at position 2", ":5: ", "\"1\" at position 1"},
		},
		"backward": {
			[]string{"マリア", "サンタ", "a", ""},
			[]string{":3: ", "\"a\" at position 0", ":4: empty line\n"},
		},
	} {
		words := programtest.File(t, "words.txt", strings.Join(c.words, "\n")+"\n")
		args := []string{"-quiet", "-apply", words, "-direction", name}
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(args, "-data", some(t), "-iterations", "4", "-save", model)...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if status != 0 || len(lines) != len(c.words) {
			t.Fatalf("%s: status %d, %d lines for %d: %s", name, status, len(lines), len(c.words), stderr.String())
		}
		for i, line := range lines {
			if word, found, _ := strings.Cut(line, "\t"); word != c.words[i] || i == 0 && strings.Count(found, "\t") != beam-1 {
				t.Errorf("%s: line %d is %.80q for %.80q", name, i+1, line, c.words[i])
			}
		}
		if name == "forward" && !strings.Contains(lines[5], "\t") {
			t.Error("no candidates for a long word")
		}
		for _, want := range c.problems {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, stderr.String())
			}
		}
		again := filepath.Join(dir, name)
		status, _ = run(t.Context(), io.Discard, append(args, "-load", model, "-workers", "3", "-o", again)...)
		if text, err := os.ReadFile(again); status != 0 || err != nil || string(text) != out {
			t.Errorf("%s: loaded, status %d, %.200q, want %.200q (%v)", name, status, text, out, err)
		}
	}
	if status, _ := run(t.Context(), io.Discard, "-load", model); status != 2 {
		t.Errorf("-load without -apply: status %d, want 2", status)
	}
	for _, text := range []string{"", "{}", `{"format":"pathsum transliterate 1"}`} {
		var stderr bytes.Buffer
		bad := programtest.File(t, "bad.json", text)
		if status, _ := run(t.Context(), &stderr, "-load", bad, "-apply", bad); status != 1 || !strings.Contains(stderr.String(), bad) {
			t.Errorf("model %q: status %d, %s", text, status, stderr.String())
		}
	}
}

// TestSkipped: pairs that no derivation leads to are counted and named, and do not
// stop the program.
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
		"1 test pairs have a character that the model does not know and cannot be right: " + test + ":2: \"ë\" in zoë ゾエ\n",
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
	whole, part, rest := programtest.Resume[report](t, run, "training 3/6", "-iterations", "6", "-data", some(t))
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

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestPipeline(t *testing.T) {
	programtest.Pipeline{
		Name: "transliterate", Train: "-iterations 2", Lines: []string{"anna", "gerald", "bovary"},
	}.Run(t)
}
