package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/examples/internal/programtest"
	"example.org/pathsum/models/edit"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newExperiment, (*experiment).run)

// report is the JSON object.
type report struct {
	Program          string    `json:"program"`
	Iterations       int       `json:"iterations"`
	Objective        []float64 `json:"objective"`
	Status           string    `json:"status"`
	Top1             float64   `json:"top1"`
	Top10            float64   `json:"top10"`
	LevenshteinTop1  float64   `json:"levenshtein_top1"`
	LevenshteinTop10 float64   `json:"levenshtein_top10"`
	MemorylessTop1   float64   `json:"memoryless_top1"`
	MemorylessTop10  float64   `json:"memoryless_top10"`
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	output, plot, curve := filepath.Join(dir, "out.tsv"), filepath.Join(dir, "edits.svg"), filepath.Join(dir, "curve.png")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-o", output, "-plot", plot, "-curve", curve)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[report](t, out)
	if r.Program != "spelling" || r.Iterations != len(r.Objective) || r.Iterations < 10 {
		t.Errorf("%+v", r)
	}
	if r.Top1 < .9 || r.Top10 < .95 || r.LevenshteinTop1 < .7 || r.LevenshteinTop1 > r.Top1 || r.LevenshteinTop10 > r.Top10 || r.MemorylessTop1 < r.LevenshteinTop1 {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{"70 misspelt words, ", "nearest by edits   0.8", "achieve"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"); len(lines) != 70 || !slices.Contains(strings.Split(lines[0], "\t")[2:], strings.Split(lines[0], "\t")[1]) {
		t.Errorf("%d lines: %s …", len(lines), lines[0])
	}
	for _, name := range []string{plot, curve} {
		if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
			t.Errorf("figure %s: %v", name, err)
		}
	}
}

// small are training data and a lexicon of a few words.
func small(t *testing.T) (pairs, lexicon string) {
	t.Helper()
	return programtest.File(t, "pairs.tsv", "receive\trecieve\nfriend\tfreind\t2\nBelieve\tbeleive\ncat\tcta\ndog\tdgo\n"),
		programtest.File(t, "words.tsv", "receive\t5\nfriend\nthief\t1\nfield\nReceive\t2\n")
}

// TestCorrect: a model is written, read again, and corrects lines, one for each.
func TestCorrect(t *testing.T) {
	pairs, lexicon := small(t)
	model := filepath.Join(t.TempDir(), "model")
	lines := programtest.File(t, "lines.txt", "theif\n\nfriend\r\nthäif\n"+strings.Repeat("e", 10000)+"\n\xff\nfeild")
	args := []string{"-data", pairs, "-lexicon", lexicon, "-model", model, "-correct", lines, "-quiet"}
	var first string
	// A model that is read does not need the latter.
	for _, extra := range [][]string{nil, {"-iterations", "1"}} {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(args, extra...)...)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		got := strings.Split(out, "\n")
		if len(got) != 8 || !strings.HasPrefix(got[0], "thief") || got[1] != "" || got[2] != "friend" || got[3]+got[4]+got[5] != "" || !strings.HasPrefix(got[6], "field") || got[7] != "" {
			t.Errorf("%q", got)
		}
		want := "spelling: " + lines + ":2: no word\n" +
			"spelling: " + lines + ":4: unknown character 'ä'\n" +
			"spelling: " + lines + ":5: 10000 characters are too long for a word of the lexicon, want at most 14\n" +
			"spelling: " + lines + ":6: invalid UTF-8 at byte 1\n"
		if d := cmp.Diff(want, stderr.String()); d != "" {
			t.Error(d)
		}
		if first != "" && out != first {
			t.Errorf("the model that was read corrects otherwise: %q, %q", first, out)
		}
		first = out
	}
}

func TestComplaints(t *testing.T) {
	pairs, lexicon := small(t)
	for _, c := range []struct {
		flag, text, want string
	}{
		{"-data", "a\tb\nnonsense\n", ":2: no tab, want 2 to 3 columns"},
		{"-data", "a\tb\n", "no test pairs: give -test, or at least 5 correct words to hold one out"},
		{"-data", "", "no training pairs"},
		{"-lexicon", "a\t1\nb\t-1\n", `:2: count "-1", want a finite number ≥ 0`},
		{"-lexicon", "a\n\n", ":2: no word"},
		{"-lexicon", "", ": no words"},
		{"-model", "{}\n", `: bad model file: format "", want "pathsum model 2"`},
	} {
		name := programtest.File(t, "bad.tsv", c.text)
		var stderr bytes.Buffer
		status, _ := run(t.Context(), &stderr, "-quiet", "-data", pairs, "-lexicon", lexicon, c.flag, name)
		if status != 1 || !strings.HasSuffix(stderr.String(), c.want+"\n") {
			t.Errorf("%s %q: status %d, %s", c.flag, c.text, status, stderr.String())
		}
	}
}

// TestInterruptAndResume: an interrupted training goes on to the result of one that was
// not interrupted, whatever the number of workers.
func TestInterruptAndResume(t *testing.T) {
	pairs, lexicon := small(t)
	whole, part, rest := programtest.Resume[report](t, run, "training 7/16", "-iterations", "4", "-data", pairs, "-lexicon", lexicon)
	if part.Status != "canceled" || len(part.Objective) == 0 || !slices.Equal(part.Objective, whole.Objective[:len(part.Objective)]) {
		t.Errorf("interrupted: %+v", part)
	}
	if d := cmp.Diff(whole, rest); d != "" {
		t.Errorf("resumed: %s", d)
	}
}

// TestTies: words that are equally near count as in random order, and the input not at all.
func TestTies(t *testing.T) {
	words := []word{{"cat", 1}, {"cot", 1}, {"cut", 1}, {"coat", 1}}
	found := []edit.Neighbour{{Word: 0, Distance: 0}, {Word: 1, Distance: 1}, {Word: 2, Distance: 1}, {Word: 3, Distance: 1}}
	for _, c := range []struct {
		word, misspelt string
		want           accuracy
	}{
		{"cot", "cat", accuracy{1. / 3, 1}},
		{"cat", "cat", accuracy{}},
		{"cat", "cta", accuracy{1, 1}},
		{"cot", "cta", accuracy{0, 1}},
		{"bird", "cta", accuracy{}},
	} {
		if got := expected(found, words, pair{word: c.word, misspelt: c.misspelt}); got != c.want {
			t.Errorf("%s for %s: %+v, want %+v", c.word, c.misspelt, got, c.want)
		}
	}
}

func TestHelp(t *testing.T) { programtest.Help(t, newExperiment) }
