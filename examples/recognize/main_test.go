package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/models/nbest"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newProgram)

// report is the JSON object.
type report struct {
	Status    string             `json:"status"`
	Objective []float64          `json:"objective"`
	CER       map[string]float64 `json:"cer"`
	Frames    int                `json:"frames"`
	Columns   int                `json:"columns"`
	Path      string             `json:"path"`
	Texts     []found            `json:"texts"`
	Loss      float64            `json:"loss"`
	Exact     bool               `json:"exact"`
}

// reported runs the program and returns its JSON object and its output.
func reported(t *testing.T, args ...string) (report, string) {
	t.Helper()
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, append(args, "-json")...)
	if status != 0 {
		t.Fatalf("%v: status %d, %s", args, status, stderr.String())
	}
	return programtest.Report[report](t, out), out
}

// TestHandwriting learns to read from fewer lines than by default.
func TestHandwriting(t *testing.T) {
	output, matrix := filepath.Join(t.TempDir(), "out.tsv"), filepath.Join(t.TempDir(), "line.svg")
	r, out := reported(t, "-lines", "50", "-iterations", "60", "-strange", "10", "-test-lines", "8", "-o", output, "-matrix", matrix)
	if len(r.CER) != 3 || r.CER["path"] > .6 || r.CER["language"] > .75*r.CER["path"] || r.CER["channel"] >= r.CER["language"] {
		t.Errorf("%v of symbols are wrong", r.CER)
	}
	if n := len(r.Objective); n < 2 || !(r.Objective[n-1] > .2*r.Objective[0]) {
		t.Errorf("objective %v", r.Objective)
	}
	text, err := os.ReadFile(output)
	if err != nil || strings.Count(string(text), "\n") != 8 || strings.Count(string(text), "\t") != 8 {
		t.Errorf("%s, %v", text, err)
	}
	edits, symbols := 0., 0
	for line := range strings.Lines(string(text)) {
		want, got, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		n, err := nbest.EditDistance([]byte(got), []byte(want))
		if err != nil {
			t.Fatal(err)
		}
		edits, symbols = edits+n, symbols+len(want)
	}
	if got := edits / float64(symbols); math.Abs(got-r.CER["channel"]) > 1e-12 {
		t.Errorf("the file has %v of symbols wrong, want the reading through the channel: %v", got, r.CER)
	}
	programtest.Figure(t, matrix, "read as: ", "frames", "space")
	for _, want := range []string{"50 lines in 6 hands to learn from, 8 lines of another hand", "the network alone", "symbols read wrong"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	r, out = reported(t, "-lines", "2", "-iterations", "2", "-strange", "1", "-test-lines", "1", "-train-language")
	if _, ok := r.CER["trained"]; !ok || len(r.CER) != 4 || !strings.Contains(out, "and the trained bigrams") {
		t.Errorf("with a trained language: %v in\n%s", r.CER, out)
	}
	if r, _ := reported(t, "-lines", "2", "-iterations", "2", "-strange", "0", "-test-lines", "1"); len(r.CER) != 2 {
		t.Errorf("without a channel: %v", r.CER)
	}
}

// Two frames that are a with probability .4 and blank with .6: the best path is the empty text,
// but a has probability .64.
const twoFrames = ".4,0,.6\n.4,0,.6\n"

func TestTwoFrames(t *testing.T) {
	data, symbols := programtest.File(t, "two.csv", twoFrames), programtest.File(t, "symbols", "ab\n")
	output, matrix := filepath.Join(t.TempDir(), "out.tsv"), filepath.Join(t.TempDir(), "two.svg")
	args := []string{"-data", data, "-symbols", symbols, "-kind", "probabilities", "-o", output}
	r, out := reported(t, append(args, "-n", "3", "-matrix", matrix)...)
	if r.Frames != 2 || r.Columns != 3 || r.Path != "" || len(r.Texts) != 2 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []found{{"a", .64, math.Log(.64)}, {"", .36, math.Log(.36)}} {
		if got := r.Texts[i]; got.Text != want.Text || math.Abs(got.Posterior-want.Posterior) > 1e-12 || math.Abs(got.LogProb-want.LogProb) > 1e-12 {
			t.Errorf("text %d: %+v, want %+v", i, got, want)
		}
	}
	if !strings.Contains(out, "2 frames of 3 columns") {
		t.Error(out)
	}
	programtest.Figure(t, matrix, "read as: a", "frames")
	if text, err := os.ReadFile(output); err != nil || string(text) != "a\t0.64\t-0.446287\n\t0.36\t-1.02165\n" {
		t.Errorf("%q, %v", text, err)
	}
	if r, _ := reported(t, append(args, "-align", "a")...); math.Abs(r.Loss+math.Log(.64)) > 1e-12 {
		t.Errorf("loss %v, want −ln .64", r.Loss)
	}
	if text, err := os.ReadFile(output); err != nil || !strings.HasPrefix(string(text), "a\t") || strings.Count(string(text), "\n") != 1 {
		t.Errorf("aligned: %q, %v", text, err)
	}
	// The blank first, a list of names, and columns in another order.
	data, symbols = programtest.File(t, "two.json", "[[0.6,0,0.4],[0.6,0,0.4]]"), programtest.File(t, "symbols", "_\nbb\naa\n")
	r, _ = reported(t, "-data", data, "-symbols", symbols, "-kind", "probabilities", "-blank", "0")
	if len(r.Texts) != 1 || r.Texts[0].Text != "aa" {
		t.Errorf("names: %+v", r.Texts)
	}
	if r, _ := reported(t, "-data", data, "-symbols", symbols, "-kind", "probabilities", "-blank", "0", "-align", "aa"); math.Abs(r.Loss+math.Log(.64)) > 1e-12 {
		t.Errorf("names: loss %v, want −ln .64", r.Loss)
	}
}

// TestModels: a lexicon and language models of words and of symbols choose other texts.
func TestModels(t *testing.T) {
	// c, a or o, t, a space, and b or c, with blanks in between where symbols repeat.
	const data = "0;0;.9;0;0;0;.1\n.4;0;0;.5;0;0;.1\n0;0;0;0;.9;0;.1\n0;0;0;0;0;.9;.1\n0;.5;.4;0;0;0;.1\n.9;0;0;0;0;0;.1\n0;0;0;0;.9;0;.1\n"
	args := []string{"-data", programtest.File(t, "m.csv", data), "-symbols", programtest.File(t, "symbols", "abcot "), "-kind", "probabilities"}
	words := programtest.File(t, "words", "cat\nbat\ncot\tcot\n")
	arpa := programtest.File(t, "words.arpa", "\\data\\\nngram 1=6\n\n\\1-grams:\n-1\tcat\n-1\tbat\n-3\tcot\n-1\t</s>\n-99\t<s>\n-9\t<unk>\n\n\\end\\\n")
	symbols := programtest.File(t, "symbols.arpa", "\\data\\\nngram 1=8\n\n\\1-grams:\n-1\ta\n-2\tb\n-1\tc\n-3\to\n-1\tt\n-1\t<space>\n-1\t</s>\n-99\t<s>\n\n\\end\\\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "cot bat"},
		{[]string{"-lexicon", words}, "cot bat"},
		{[]string{"-lexicon", words, "-language", arpa}, "cat bat"},
		{[]string{"-language", symbols, "-scale", "1"}, "cat cat"},
		{[]string{"-language", symbols, "-scale", ".01", "-bonus", "0"}, "cot bat"},
	} {
		r, out := reported(t, append(args, c.args...)...)
		if len(r.Texts) != 1 || r.Texts[0].Text != c.want {
			t.Errorf("%v: %+v, want %q", c.args, r.Texts, c.want)
		}
		if len(c.args) == 2 && !strings.Contains(out, "cot   0–2") {
			t.Errorf("%v: no frames of words in\n%s", c.args, out)
		}
	}
}

// TestKnownValues reads the output of a real network, for which these values have been
// published. The environment variable names its folder.
func TestKnownValues(t *testing.T) {
	folder := os.Getenv("PATHSUM_EMISSIONS")
	if folder == "" {
		t.Skip("PATHSUM_EMISSIONS names no folder with outputs of networks")
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	args := []string{"-data", at("line.csv.gz"), "-symbols", at("line.chars.txt")}
	text, err := os.ReadFile(at("line.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := reported(t, append(args, "-align", strings.TrimSpace(string(text)))...); math.Abs(r.Loss-28.090721774903226) > 1e-9 {
		t.Errorf("loss %.12f, want 28.090721774903", r.Loss)
	}
	r, _ := reported(t, args...)
	if want := "the fak friend of the fomly hae tC"; r.Path != want {
		t.Errorf("best path %q, want %q", r.Path, want)
	}
	if want := "the fak friend of the fomcly hae tC"; r.Texts[0].Text != want {
		t.Errorf("best text %q, want %q", r.Texts[0].Text, want)
	}
	corpus, err := os.ReadFile(at("line.corpus.txt"))
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Fields(strings.ReplaceAll(string(corpus), ".", ""))
	slices.Sort(list)
	words := programtest.File(t, "words", strings.Join(slices.Compact(list), "\n"))
	r, _ = reported(t, append(args, "-lexicon", words)...)
	if want := "the fake friend of the family fake the"; r.Texts[0].Text != want {
		t.Errorf("words of the corpus: %q, want %q", r.Texts[0].Text, want)
	}
}

func TestErrors(t *testing.T) {
	data, symbols := programtest.File(t, "two.csv", twoFrames), programtest.File(t, "symbols", "ab")
	bad := programtest.File(t, "bad.csv", "1,2\n3,x\n")
	read := func(args ...string) []string { return append([]string{"-data", data, "-symbols", symbols}, args...) }
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "-symbols: want -data", []string{"-symbols", symbols}},
		{2, "-data: want -symbols", []string{"-data", data}},
		{2, "-lines", read("-lines", "5")},
		{2, "-bonus: want -language", read("-bonus", "5")},
		{2, "-n", read("-align", "a", "-n", "5")},
		{2, "-lines 0: want at least 1", []string{"-lines", "0"}},
		{1, "1030 lines in all, want at most", []string{"-lines", "1000", "-strange", "0"}},
		{1, "bad.csv:2:3: bad format: \"x\"", []string{"-data", bad, "-symbols", symbols}},
		{1, "-blank 3: ", read("-blank", "3")},
		{1, "-blank -4: ", read("-blank", "-4")},
		{1, "symbol 2 has no name", []string{"-data", data, "-symbols", programtest.File(t, "s", "a\n\n")}},
		{1, "4 symbols for 3 columns", []string{"-data", data, "-symbols", programtest.File(t, "s", "abcd")}},
		{1, "sum to 0.553", []string{"-data", programtest.File(t, "d", "-1 -2 -3\n"), "-symbols", symbols, "-kind", "logs"}},
		{1, "-align: ", read("-align", "x")},
		{1, "too few frames", read("-align", "aba")},
		{1, "words:2: ", read("-lexicon", programtest.File(t, "words", "ab\nx\n"))},
		{1, "there is no column \"x\"", read("-language", programtest.File(t, "l.arpa", "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\tx\n-99\t<s>\n-1\t</s>\n\\end\\\n"))},
		{1, "l.arpa:1", read("-language", programtest.File(t, "l.arpa", "x\n"))},
		{1, "no such file", read("-lexicon", "nowhere")},
	} {
		var stderr bytes.Buffer
		if status, _ := run(t.Context(), &stderr, c.args...); status != c.status || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%v: status %d, %q, want %d, %q", c.args, status, stderr.String(), c.status, c.want)
		}
	}
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestUse checks the properties that users of all programs rely on; training is interrupted and
// resumed.
func TestUse(t *testing.T) {
	programtest.Check(t, newProgram, programtest.Use{
		Train: "-lines 4 -iterations 4 -strange 2 -test-lines 2", Stop: "training 2/4",
	})
}

// TestWorkers: the results have the same bits for any number of workers.
func TestWorkers(t *testing.T) {
	args := []string{"-lines", "5", "-iterations", "5", "-strange", "3", "-test-lines", "2"}
	one, _ := reported(t, append(args, "-workers", "1")...)
	if two, _ := reported(t, append(args, "-workers", "2")...); fmt.Sprint(one) != fmt.Sprint(two) {
		t.Errorf("two workers have %+v, one has %+v", two, one)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, _ := run(ctx, io.Discard, args...); status != 130 {
		t.Errorf("status %d of a canceled run, want 130", status)
	}
}
