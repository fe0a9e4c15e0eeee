package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/speller"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/nbest"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newProgram)

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
	Exponents        []float64 `json:"exponents"`
	Kept             int       `json:"kept_words"`
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	output, matrix, plot := filepath.Join(dir, "out.tsv"), filepath.Join(dir, "edits.svg"), filepath.Join(dir, "curve.png")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-o", output, "-n", "10", "-matrix", matrix, "-plot", plot)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[report](t, out)
	if r.Program != "spelling" || r.Iterations != len(r.Objective) || r.Iterations < 10 {
		t.Errorf("%+v", r)
	}
	if r.Top1 < .9 || r.Top10 < .95 || r.LevenshteinTop1 < .7 || r.LevenshteinTop1 > r.Top1 || r.LevenshteinTop10 > r.Top10 || len(r.Exponents) != 4 {
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
	for _, name := range []string{matrix, plot} {
		if info, err := os.Stat(name); err != nil || info.Size() < 1000 {
			t.Errorf("figure %s: %v", name, err)
		}
	}
}

// TestHeldOut: without -test, each fifth word is for the test if there is one. Otherwise all
// are for training, except each tenth for the exponents.
func TestHeldOut(t *testing.T) {
	all, some := readData(t, "", "-apply", programtest.File(t, "lines", "recieve\n")), readData(t, "")
	n := len(all.train) + len(all.dev)
	if len(all.test) != 0 || len(all.dev) < n/20 || len(all.dev) > n/5 || len(some.test) != 70 || len(some.train)+len(some.dev)+70 != n {
		t.Errorf("%d, %d, %d and with a test %d, %d, %d", len(all.train), len(all.dev), len(all.test), len(some.train), len(some.dev), len(some.test))
	}
	lines := strings.SplitAfterN(pairsTSV, "\n", 60)
	var words strings.Builder
	for _, line := range lines[:59] {
		words.WriteString(strings.Split(line, "\t")[0] + "\n")
	}
	data := []string{"-data", programtest.File(t, "pairs", strings.Join(lines[:59], "")), "-lexicon", programtest.File(t, "words", words.String()+"cat\nact\n")}
	saved := func(args ...string) string {
		model := filepath.Join(t.TempDir(), "model")
		var stderr bytes.Buffer
		if status, _ := run(t.Context(), &stderr, slices.Concat(args, data, []string{"-quiet", "-iterations", "1", "-save", model})...); status != 0 {
			t.Fatal(stderr.String())
		}
		text, err := os.ReadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if applied := saved("-apply", programtest.File(t, "lines", "recieve\n")); applied != saved("-test", programtest.File(t, "test", "cat\tcta\n")) || applied == saved() {
		t.Error("with -apply and -test the model is not of all pairs")
	}
}

// readData returns the data that the program reads with arguments, which include -data.
func readData(t *testing.T, file string, args ...string) (d *data) {
	t.Helper()
	p := program.New("spelling", "")
	f := &flags{data: p.Data(""), dev: p.Input("dev", ""), test: p.Test(""), lexicon: p.Input("lexicon", ""), sounds: p.Input("sounds", "")}
	p.Apply("")
	p.Do(func(ctx context.Context, r *program.Run) (err error) {
		d, err = f.read(ctx, r)
		return err
	})
	var stderr bytes.Buffer
	if p.Execute(t.Context(), append(args, "-data", file), io.Discard, &stderr) != 0 {
		t.Fatal(&stderr)
	}
	return d
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestUse: a saved speller corrects lines, with probabilities that sum to 1 at most.
func TestUse(t *testing.T) {
	got := programtest.Check(t, newProgram, programtest.Use{
		Train: "-iterations 4 -data pairs.tsv -lexicon words.tsv",
		Apply: "-n 2",
		Files: []string{"pairs.tsv", smallPairs, "words.tsv", smallWords},
		Lines: []string{"theif", "friend", "Feild", "beleive"},
		Stop:  "training 7/16",
	})
	for i, want := range []string{"theif\tthief\t", "friend\tfriend\t1.0000", "Feild\tfield\t", "beleive\t"} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("%q, want %q", got[i], want)
		}
		sum := 0.0
		fields := strings.Split(got[i], "\t")
		for k := 2; k < len(fields); k += 2 {
			p, err := strconv.ParseFloat(fields[k], 64)
			if sum += p; err != nil {
				t.Error(err)
			}
		}
		if len(fields) > 5 || sum > 1.0001 {
			t.Errorf("%q: probabilities sum to %g", got[i], sum)
		}
	}
}

// The data of small.
const (
	smallPairs = "receive\trecieve\nfriend\tfreind\t2\nBelieve\tbeleive\ncat\tcta\ndog\tdgo\n"
	smallWords = "receive\t5\nfriend\nthief\t1\nfield\nReceive\t2\ndog\n"
)

// small returns training data and a lexicon of a few words.
func small(t *testing.T) (pairs, lexicon string) {
	t.Helper()
	return programtest.File(t, "pairs.tsv", smallPairs), programtest.File(t, "words.tsv", smallWords)
}

// TestProblems: words that cannot be corrected are reported, and still have a line. Another
// lexicon replaces the saved one, including words with unknown characters.
func TestProblems(t *testing.T) {
	pairs, lexicon := small(t)
	model := filepath.Join(t.TempDir(), "model")
	lines := programtest.File(t, "lines.txt", "theif\n\nthäif\n"+strings.Repeat("e", 10000)+"\nthäf\n")
	other := programtest.File(t, "other.tsv", "their\nthäf\n")
	var stderr bytes.Buffer
	if status, _ := run(t.Context(), &stderr, "-quiet", "-data", pairs, "-lexicon", lexicon, "-save", model); status != 0 {
		t.Fatal(stderr.String())
	}
	status, out := run(t.Context(), &stderr, "-quiet", "-load", model, "-lexicon", other, "-apply", lines)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	long := strings.Repeat("e", 10000)
	if want := "theif\ttheir\t1.0000\n\nthäif\n" + long + "\nthäf\tthäf\t1.0000\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
	want := "spelling: " + lines + ":2: no word\n" +
		"spelling: " + lines + ":3: unknown character 'ä'\n" +
		"spelling: " + lines + ":4: 10000 characters are too long for a word of the lexicon, want at most 10\n"
	if d := cmp.Diff(want, stderr.String()); d != "" {
		t.Error(d)
	}
}

// TestRightWords: a word of the lexicon is its own correction, in a test and for -apply, with
// blanks around it or unknown characters. A word that is not in the lexicon is not its own
// correction, and a word written for another is corrected.
func TestRightWords(t *testing.T) {
	pairs, lexicon := small(t)
	other := programtest.File(t, "other.tsv", " their \ntheir\nthäf\ntheif\n")
	test := programtest.File(t, "test.tsv", "Their\t their\nthäf\tthäf\nthei\tthei\ntheir\ttheif\n")
	lines := programtest.File(t, "lines.txt", " their\nthäf\nthei\n \n")
	model := filepath.Join(t.TempDir(), "model")
	corrections := filepath.Join(t.TempDir(), "out.tsv")
	var stderr bytes.Buffer
	for _, args := range [][]string{
		{"-data", pairs, "-lexicon", lexicon, "-save", model},
		{"-load", model, "-lexicon", other, "-test", test, "-o", corrections},
	} {
		status, out := run(t.Context(), &stderr, append(args, "-quiet", "-json")...)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		if args[0] != "-load" {
			continue
		}
		r := programtest.Report[report](t, out)
		if r.Top1 != .75 || r.LevenshteinTop10 != .75 || r.Kept != 1 {
			t.Errorf("%+v", r)
		}
		if want := "1 of them are other words of the lexicon, which -apply keeps\n"; !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
		if text, err := os.ReadFile(corrections); string(text) != "their\ttheir\ttheir\nthäf\tthäf\tthäf\nthei\tthei\ttheif\ntheif\ttheir\ttheir\n" {
			t.Errorf("%q, %v", text, err)
		}
	}
	stderr.Reset()
	_, out := run(t.Context(), &stderr, "-quiet", "-load", model, "-lexicon", other, "-apply", lines)
	if !strings.HasPrefix(out, " their\ttheir\t1.0000\nthäf\tthäf\t1.0000\nthei\ttheif\t") || !strings.HasSuffix(out, "\n \n") {
		t.Errorf("%q", out)
	}
	if want := "spelling: " + lines + ":4: no word\n"; stderr.String() != want {
		t.Errorf("%q, want %q", stderr.String(), want)
	}
}

// TestSlipped: almost each word of letters yields one training slip.
func TestSlipped(t *testing.T) {
	pairs := append(readData(t, "", "-apply", os.DevNull).train, speller.Pair{Word: "o'clock"}, speller.Pair{Word: "a"}, speller.Pair{Word: "ee", Misspelt: "e", Count: 3})
	learnt := slipped(pairs)
	if len(learnt) < len(pairs)-20 || len(learnt) >= len(pairs) {
		t.Errorf("%d slips of %d words", len(learnt), len(pairs))
	}
	for _, p := range learnt {
		d, err := nbest.EditDistance([]rune(p.Word), []rune(p.Misspelt))
		if err != nil || d < 1 || d > 2 || d == 2 && len(p.Word) != len(p.Misspelt) {
			t.Errorf("%+v: %g edits, %v", p, d, err)
		}
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
		{"-dev", "a\tb\nc\n", ":2: no tab, want 2 to 3 columns"},
		{"-sounds", "", ": no words"},
		{"-sounds", "cat\tK AE T\ncat\n", ":2: no tab, want 2 columns"},
		{"-sounds", "cat\tK AE T\n \tK\n", ":2: no word"},
		{"-sounds", "cat\tK AE T\ncat\t \n", ":2: no sounds"},
		{"-sounds", "жук\tZH UH K\n", ": no word is of the characters of the data"},
	} {
		name := programtest.File(t, "bad.tsv", c.text)
		var stderr bytes.Buffer
		status, _ := run(t.Context(), &stderr, "-quiet", "-data", pairs, "-lexicon", lexicon, c.flag, name)
		if status != 1 || !strings.HasSuffix(stderr.String(), c.want+"\n") {
			t.Errorf("%s %q: status %d, %s", c.flag, c.text, status, stderr.String())
		}
	}
}

// heardData returns words whose letters do not match their sounds, a dictionary with their
// sounds and with words spelt regularly, and misspellings by the regular rule.
func heardData() (pairs, lexicon, dictionary string) {
	const letters, length = "abcdefgh", 5
	rng := rand.New(rand.NewPCG(1, 1))
	random := func() (text string, sounds []string) {
		for range length {
			k := rng.IntN(len(letters))
			text += letters[k : k+1]
			sounds = append(sounds, fmt.Sprint("S", k))
		}
		return text, sounds
	}
	for range 200 {
		text, sounds := random()
		dictionary += text + "\t" + strings.Join(sounds, " ") + "\n"
	}
	for range 60 {
		word, _ := random()
		misspelt, sounds := random()
		pairs += word + "\t" + misspelt + "\n"
		lexicon += word + "\n"
		dictionary += word + "\t" + strings.Join(sounds, " ") + "\n"
	}
	return pairs, lexicon, dictionary
}

// TestSounds: only sounds find the words for misspellings by sound, before and after a speller
// is saved.
func TestSounds(t *testing.T) {
	pairs, lexicon, dictionary := heardData()
	model := filepath.Join(t.TempDir(), "model")
	data := []string{"-data", programtest.File(t, "pairs", pairs), "-lexicon", programtest.File(t, "words", lexicon)}
	sounds := programtest.File(t, "sounds", dictionary+"straße\tSH\n")
	tested := func(args ...string) report {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(args, "-quiet", "-json")...)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		return programtest.Report[report](t, out)
	}
	without := tested(data...)
	with := tested(slices.Concat(data, []string{"-sounds", sounds, "-save", model})...)
	if with.Top1 < .8 || without.Top1 > .3 || len(with.Exponents) != 7 || len(without.Exponents) != 4 {
		t.Errorf("with sounds %+v, without %+v", with, without)
	}
	var test string
	for _, p := range readData(t, data[1]).test {
		test += p.Word + "\t" + p.Misspelt + "\n"
	}
	if again := tested("-load", model, "-test", programtest.File(t, "test", test)); again.Top1 != with.Top1 || again.Top10 != with.Top10 {
		t.Errorf("loaded %+v, want %+v", again, with)
	}
}

// TestAloud: a dictionary may have several pronunciations of a word, and other words are
// pronounced by analogy. A possible slip need not have the same sound.
func TestAloud(t *testing.T) {
	pairs, lexicon, dictionary := heardData()
	model := filepath.Join(t.TempDir(), "model")
	var stderr bytes.Buffer
	if status, _ := run(t.Context(), &stderr, "-quiet", "-data", programtest.File(t, "pairs", pairs), "-lexicon", programtest.File(t, "words", lexicon+"a_b\n_\n"),
		"-sounds", programtest.File(t, "sounds", dictionary+"ABBA\tS0 S1\nabba\tS7\n"), "-save", model); status != 0 {
		t.Fatal(stderr.String())
	}
	f, err := os.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := speller.Load(f)
	if err == nil {
		err = s.Prepare()
	}
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]int{"abba": 2, "a_b": 1, "_": 1} {
		for range 2 { // computed, and cached
			got, err := s.Sounds.Of(t.Context(), s.Label(word))
			if err != nil || len(got) != want {
				t.Errorf("%s: %v, %v, want %d ways", word, got, err, want)
			}
		}
	}
	sounds := func(word string) [][]int32 {
		got, err := s.Sounds.Of(t.Context(), s.Label(word))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if silent, two, known := sounds("_"), sounds("a_b"), sounds("abba"); len(silent[0]) != 0 || !slices.Equal(two[0], known[0]) {
		t.Errorf("_ sounds as %v, a_b as %v, want nothing and %v", silent, two, known[0])
	}
	factors, err := s.Sounds.Factors(s)
	if err != nil {
		t.Fatal(err)
	}
	slips, err := s.Slips.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	_, words := s.Words()
	for i, w := range words { // a slip suffices
		x := words[(i+1)%len(words)].Labels
		slip, err := slips.LogProb(w.Labels, x)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := factors[0].LogProb(x, w.Labels); err != nil || got < max(slip+math.Log(s.Mixed.Theta[1]), -60)-1e-9 {
			t.Errorf("%v for %v: %g, %v, less than of a slip, %g", x, w.Labels, got, err, slip)
		}
	}
}

// TestTies: equally near words count as in random order, and the input is excluded.
func TestTies(t *testing.T) {
	words := []speller.Word{{Text: "cat"}, {Text: "cot"}, {Text: "cut"}, {Text: "coat"}}
	found := []edit.Neighbour{{Word: 0, Distance: 0}, {Word: 1, Distance: 1}, {Word: 2, Distance: 1}, {Word: 3, Distance: 1}}
	for _, c := range []struct {
		word, misspelt string
		want           speller.Accuracy
	}{
		{"cot", "cat", speller.Accuracy{Top1: 1. / 3, Top10: 1}},
		{"cat", "cat", speller.Accuracy{}},
		{"cat", "cta", speller.Accuracy{Top1: 1, Top10: 1}},
		{"cot", "cta", speller.Accuracy{Top10: 1}},
		{"bird", "cta", speller.Accuracy{}},
	} {
		if got := expected(found, words, speller.Pair{Word: c.word, Misspelt: c.misspelt}); got != c.want {
			t.Errorf("%s for %s: %+v, want %+v", c.word, c.misspelt, got, c.want)
		}
	}
}
