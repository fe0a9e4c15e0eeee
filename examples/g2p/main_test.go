package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/stdintest"
	"example.org/pathsum/internal/tsv"
)

// run runs the program and returns its exit status and outputs.
func run(t *testing.T, stdin string, args ...string) (status int, out, stderr string) {
	t.Helper()
	stdintest.Set(t, stdin)
	var a, b bytes.Buffer
	status = newProgram().Execute(t.Context(), args, &a, &b)
	return status, a.String(), b.String()
}

// report is the JSON object.
type report struct {
	Program    string    `json:"program"`
	Iterations int       `json:"iterations"`
	Objective  []float64 `json:"objective"`
	Status     string    `json:"status"`
	Skipped    int       `json:"skipped"`
	Order      int       `json:"order"`
	Classes    int       `json:"classes"`
	Spaced     string    `json:"spaced"`
	WER        float64   `json:"wer"`
	PER        float64   `json:"per"`
	Words      int       `json:"words"`
	Pair1      float64   `json:"pair1"`
	Pair10     float64   `json:"pair10"`
	Problems   int       `json:"problems"`
	Lines      int       `json:"lines"`
}

// TestEmbedded: the words and their sounds are as described in data.go.
func TestEmbedded(t *testing.T) {
	pairs, err := tsv.Collect(tsv.Pairs(strings.NewReader(pairsTSV), "pairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	word, seen := regexp.MustCompile(`^[a-záéíóúüñ]{2,}$`), map[string]bool{}
	for _, p := range pairs {
		if !word.MatchString(p.Left) || seen[p.Left] {
			t.Errorf("line %d: %q, want a word that occurs once", p.Line, p.Left)
		}
		seen[p.Left] = true
	}
	if len(pairs) < 500 {
		t.Errorf("%d pairs", len(pairs))
	}
}

// TestProgram: models are trained, and a saved model gives the same answers.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	status, out, stderr := run(t, "", "-json", "-quiet", "-o", file("out.tsv"), "-save", file("model"),
		"-plot", file("curve.svg"), "-matrix", file("matrix.svg"), "-aligned", file("aligned.txt"), "-n", "10")
	if status != 0 {
		t.Fatal(stderr)
	}
	r := programtest.Report[report](t, out)
	if r.Program != "g2p" || r.Iterations != 11 || len(r.Objective) != 11 || r.Words != 76 || r.Skipped != 0 {
		t.Errorf("%+v", r)
	}
	if !slices.IsSorted(r.Objective) || r.WER > .03 || r.PER > .01 || r.Pair10 < .99 || r.Pair1 != 1-r.WER {
		t.Errorf("%+v", r)
	}
	for _, name := range []string{"curve.svg", "matrix.svg"} {
		if info, err := os.Stat(file(name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	checkAligned(t, file("aligned.txt"))
	checkLoaded(t, file("model"), file("out.tsv"))
}

// checkAligned asserts that lines are training pairs in chunks.
func checkAligned(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	all, err := tsv.Collect(tsv.PairsOf("pairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		known[p.Left+"\t"+strings.ReplaceAll(p.Right, " ", "")] = true
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		lines++
		var word, target strings.Builder
		for _, chunk := range strings.Fields(line) {
			x, y, _ := strings.Cut(chunk, "}")
			word.WriteString(strings.TrimSuffix(x, "_"))
			target.WriteString(strings.TrimSuffix(y, "_"))
		}
		if pair := word.String() + "\t" + target.String(); !known[pair] {
			t.Errorf("%q is not a pair", pair)
		}
	}
	if lines < len(all)/2 {
		t.Errorf("%d lines of %d pairs", lines, len(all))
	}
}

// checkLoaded asserts that a saved model gives the answers in a file, for its words.
func checkLoaded(t *testing.T, model, answers string) {
	t.Helper()
	text, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	for line := range strings.Lines(string(text)) {
		word, _, _ := strings.Cut(line, "\t")
		words.WriteString(word + "\n")
	}
	status, again, stderr := run(t, words.String(), "-load", model, "-apply", "-", "-n", "10")
	if status != 0 || again != string(text) {
		t.Errorf("status %d, %s; the loaded model: %s", status, stderr, cmp.Diff(string(text), again))
	}
}

// TestSeveralModels: several models of both directions work together.
func TestSeveralModels(t *testing.T) {
	status, out, stderr := run(t, "", "-json", "-quiet", "-chunks", "10,01,11:backward+10,11,12,21:both", "-order", "4", "-discount", "1.2")
	if status != 0 {
		t.Fatal(stderr)
	}
	r := programtest.Report[report](t, out)
	if r.Order != 4 || r.WER > .03 || strings.Count(out, "words, joint model") != 3 {
		t.Errorf("%+v\n%s", r, out)
	}
}

// TestCounts: a pair is weighted by its count, which is 1 by default.
func TestCounts(t *testing.T) {
	rest := strings.Repeat("ac\tx z\nca\tz x\ncc\tz z\n", 4)
	for _, x := range []struct{ data, want string }{
		{"ab\tx y\t100\nab\tx w\t1\n", "ab\tx y\tx w\n"},
		{"ab\tx y\t1\nab\tx w\t100\n", "ab\tx w\tx y\n"},
		{strings.Repeat("ab\tx y\n", 100) + "ab\tx w\n", "ab\tx y\tx w\n"},
	} {
		data := programtest.File(t, "counts.tsv", x.data+rest)
		status, out, stderr := run(t, "ab\n", "-data", data, "-order", "2", "-discount", "1", "-n", "2", "-apply", "-")
		if status != 0 || out != x.want {
			t.Errorf("%q: status %d, %s, %q, want %q", x.data[:12], status, stderr, out, x.want)
		}
	}
}

// TestHeldOut: pairs are held out for the choice of settings only if there is a choice.
func TestHeldOut(t *testing.T) {
	data := programtest.File(t, "data.tsv", strings.Repeat("ab\tx y\nb\ty\nba\ty x\n", 30))
	for want, args := range map[string][]string{
		"90 pairs to learn from, 0 to choose by": {"-order", "3"},
		"81 pairs to learn from, 9 to choose by": {"-order", "3", "-classes", "0"},
	} {
		if status, out, stderr := run(t, "", append(args, "-quiet", "-data", data, "-test", data)...); status != 0 || !strings.Contains(out, want) {
			t.Errorf("%v: status %d, %s%s, want %s", args, status, stderr, out, want)
		}
	}
}

// TestUsualSettings: without flags, or if flags request a choice but there are no pairs to hold
// out, there is one class of words.
func TestUsualSettings(t *testing.T) {
	data := programtest.File(t, "data.tsv", strings.Repeat("ab\tx y\nb\ty\nba\ty x\n", 3))
	for _, args := range [][]string{{}, {"-dev", data}, {"-classes", "0"}} {
		status, out, stderr := run(t, "", append(args, "-json", "-quiet", "-data", data, "-test", data)...)
		if status != 0 {
			t.Fatal(stderr)
		}
		if r := programtest.Report[report](t, out); r.Order != 6 || r.Classes != 1 || r.WER != 0 {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// TestConditional: a conditional model is trained, saved and loaded.
func TestConditional(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	pairs := programtest.File(t, "pairs.tsv", strings.Join(strings.SplitAfter(pairsTSV, "\n")[:250], ""))
	args := []string{"-json", "-quiet", "-data", pairs, "-conditional", "-direction", "both", "-order", "3", "-discount", "1", "-normalize", "nfc", "-checkpoint", file("state")}
	status, out, stderr := run(t, "", append(args, "-sigma", ".4", "-n", "10", "-o", file("out.tsv"), "-save", file("model"))...)
	if status != 0 {
		t.Fatal(stderr)
	}
	r := programtest.Report[report](t, out)
	if r.WER > .1 || !strings.Contains(out, "words, conditional model, read from the end: ") {
		t.Errorf("%+v\n%s", r, out)
	}
	states := func(want int) {
		t.Helper()
		if names, err := filepath.Glob(file("state*")); err != nil || len(names) != want {
			t.Errorf("checkpoints %v, want %d, %v", names, want, err)
		}
	}
	states(0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := newProgram()
	p.Clock = programtest.Hours()
	stop := programtest.Trigger{Text: "conditional 2/", Call: cancel}
	if status := p.Execute(ctx, append(slices.Clone(args), "-quiet=false"), io.Discard, stop); status != 130 {
		t.Errorf("status %d", status)
	}
	states(2)                                 // of the alignment and a model
	status, out, stderr = run(t, "", args...) // resumes from them
	if again := programtest.Report[report](t, out); status != 0 || again.WER > .1 {
		t.Errorf("status %d, %s%+v", status, stderr, again)
	}
	states(0)
	checkLoaded(t, file("model"), file("out.tsv"))
}

// TestStream: one line of output for each line of input, for any line.
func TestStream(t *testing.T) {
	long := strings.Repeat("casa", 2500)
	in := "casa\n \nca€a\nqueso\n\xff\n" + long + "\ncasa\tk a s a\nguerra"
	status, out, stderr := run(t, in, "-json", "-quiet", "-n", "1", "-order", "4", "-discount", "1", "-apply", "-")
	if status != 0 {
		t.Fatal(stderr)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	r := programtest.Report[report](t, stderr)
	if len(lines) != 8 || r.Lines != 8 || r.Problems != 4 {
		t.Fatalf("%d lines, %+v", len(lines), r)
	}
	for i, want := range []string{"casa\tk a s a", " ", "ca€a\tk a a", "queso\tk e s o", "", long + "\tk a s a k a s a", "", "guerra\tg e r a"} {
		if lines[i] != want && (i != 5 || !strings.HasPrefix(lines[i], want)) {
			t.Errorf("line %d is %.60q, want %.60q", i+1, lines[i], want)
		}
	}
	for _, want := range []string{`input:2: empty line`, `input:3: unknown symbol "€" at position 3, left out`, "input:5: invalid UTF-8", "input:7: a tab"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q does not say %q", stderr, want)
		}
	}
}

func TestErrors(t *testing.T) {
	good := programtest.File(t, "good.tsv", strings.Repeat("ab\tx y\nb\ty\nba\ty x\n", 20))
	bad := programtest.File(t, "bad.tsv", "ab\tx y\nab x y\n")
	empty := programtest.File(t, "empty.tsv", "")
	noModel := programtest.File(t, "model", "something else")
	for _, x := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, "-order 0", []string{"-order", "0"}},
		{2, `"1x" is not a size`, []string{"-chunks", "10,1x"}},
		{2, `"up" is not a direction`, []string{"-chunks", "10,11:up"}},
		{2, "-n 0", []string{"-n", "0"}},
		{2, "-classes 11: want 0 to 10", []string{"-classes", "11"}},
		{2, "-classes: has no effect with -conditional", []string{"-classes", "2", "-conditional"}},
		{2, "-sigma -1: want a number", []string{"-sigma", "-1", "-conditional"}},
		{2, "-sigma: want -conditional as well", []string{"-sigma", ".3"}},
		{2, "-sigma 0: want a number > 0", []string{"-sigma", "0", "-conditional"}},
		{2, "-discount NaN", []string{"-discount", "NaN"}},
		{1, bad + ":2: no tab", []string{"-data", bad}},
		{1, bad + ":2: no tab", []string{"-data", good, "-test", bad}},
		{1, "no pairs to learn from", []string{"-data", empty}},
		{1, "no models", []string{"-load", noModel, "-test", good}},
		{1, "no such file", []string{"-load", noModel + "x", "-apply", good}},
		{2, "-load: want -test or", []string{"-load", noModel}},
		{2, "-order: has no effect with -load", []string{"-load", noModel, "-test", good, "-order", "3"}},
		{2, "-test: has no effect with -apply", []string{"-apply", good, "-test", good}},
		{2, "-n: want -apply or -o as well", []string{"-n", "3"}},
		{2, "-scores: want -apply or -o as well", []string{"-scores"}},
		{2, "-normalize nfkc: want one of auto, none, nfc, nfd", []string{"-normalize", "nfkc"}},
		{2, "-spaced third: want one of auto, none, first, second, both", []string{"-spaced", "third"}},
		{1, "not both 0", []string{"-data", good, "-chunks", "00"}},
	} {
		status, _, stderr := run(t, "", append(x.args, "-quiet")...)
		if status != x.status || !strings.Contains(stderr, x.says) {
			t.Errorf("%v: status %d, %q, want %d, %q", x.args, status, stderr, x.status, x.says)
		}
	}
	if status, out, stderr := run(t, "", "-quiet", "-data", good, "-swap"); status != 0 || !strings.Contains(out, "0.00 %") {
		t.Errorf("status %d, %s%s", status, stderr, out)
	}
}

func TestMain(m *testing.M) { programtest.Main(m, main) }
