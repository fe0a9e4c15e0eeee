package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/nbest"
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
	ContextualTop1   float64   `json:"contextual_top1"`
	Exponents        []float64 `json:"exponents"`
	Kept             int       `json:"kept_words"`
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
	if r.Top1 < .9 || r.Top10 < .95 || r.LevenshteinTop1 < .7 || r.LevenshteinTop1 > r.Top1 || r.LevenshteinTop10 > r.Top10 || r.MemorylessTop1 < r.LevenshteinTop1 || r.ContextualTop1 < r.LevenshteinTop1 || len(r.Exponents) != 4 {
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

// TestHeldOut: each fifth word is for the test where there is one with pairs, and otherwise all
// are for learning, or nearly: each tenth is for the exponents.
func TestHeldOut(t *testing.T) {
	all, err := loadData("", "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	some, err := loadData("", "", "", heldOut)
	if err != nil {
		t.Fatal(err)
	}
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
	if applied := saved("-apply", programtest.File(t, "lines", "recieve\n")); applied != saved("-slips", "2", "-alone") || applied == saved("-alone") {
		t.Error("with -apply and -slips the model is not of all pairs")
	}
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestPipeline: a saved speller corrects lines, with probabilities that sum to 1 at most.
func TestPipeline(t *testing.T) {
	got := programtest.Pipeline{
		Name:  "spelling",
		Train: "-data pairs.tsv -lexicon words.tsv",
		Apply: "-n 2",
		Files: []string{"pairs.tsv", smallPairs, "words.tsv", smallWords},
		Lines: []string{"theif", "friend", "Feild", "beleive"},
	}.Run(t)
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

// small are training data and a lexicon of a few words.
func small(t *testing.T) (pairs, lexicon string) {
	t.Helper()
	return programtest.File(t, "pairs.tsv", smallPairs), programtest.File(t, "words.tsv", smallWords)
}

// TestProblems: what cannot be corrected is said, and has a line all the same; another lexicon
// stands in for the saved one, its words with characters that the models do not know too.
func TestProblems(t *testing.T) {
	pairs, lexicon := small(t)
	model := filepath.Join(t.TempDir(), "model")
	lines := programtest.File(t, "lines.txt", "theif\n\nthäif\n"+strings.Repeat("e", 10000)+"\nthäf\n")
	other := programtest.File(t, "other.tsv", "their\nthäf\n")
	var stderr bytes.Buffer
	if status, _ := run(t.Context(), &stderr, "-quiet", "-data", pairs, "-lexicon", lexicon, "-save", model, "-alone"); status != 0 {
		t.Fatal(stderr.String())
	}
	status, out := run(t.Context(), &stderr, "-quiet", "-load", model, "-lexicon", other, "-apply", lines, "-n", "1")
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

// TestRightWords: a word of the lexicon is its own correction in a test as for -apply, with
// blanks around it or characters that no model knows. A word that is not there is no correction
// of itself, and one for which another was meant is corrected.
func TestRightWords(t *testing.T) {
	pairs, lexicon := small(t)
	other := programtest.File(t, "other.tsv", " their \ntheir\nthäf\ntheif\n")
	test := programtest.File(t, "test.tsv", "Their\t their\nthäf\tthäf\nthei\tthei\ntheir\ttheif\n")
	lines := programtest.File(t, "lines.txt", " their\nthäf\nthei\n \n")
	model := filepath.Join(t.TempDir(), "model")
	corrections := filepath.Join(t.TempDir(), "out.tsv")
	var stderr bytes.Buffer
	for _, args := range [][]string{
		{"-data", pairs, "-lexicon", lexicon, "-save", model, "-alone"},
		{"-load", model, "-lexicon", other, "-test", test, "-o", corrections, "-n", "1"},
	} {
		status, out := run(t.Context(), &stderr, append(args, "-quiet", "-json")...)
		if status != 0 {
			t.Fatal(stderr.String())
		}
		if args[0] != "-load" {
			continue
		}
		r := programtest.Report[report](t, out)
		if r.Top1 != .75 || r.ContextualTop1 != .75 || r.MemorylessTop1 != .75 || r.LevenshteinTop10 != .75 || r.Kept != 1 {
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
	_, out := run(t.Context(), &stderr, "-quiet", "-load", model, "-lexicon", other, "-apply", lines, "-n", "1")
	if !strings.HasPrefix(out, " their\ttheir\t1.0000\nthäf\tthäf\t1.0000\nthei\ttheif\t") || !strings.HasSuffix(out, "\n \n") {
		t.Errorf("%q", out)
	}
	if want := "spelling: " + lines + ":4: no word\n"; stderr.String() != want {
		t.Errorf("%q, want %q", stderr.String(), want)
	}
}

// TestSlips: slips are of short words, one each, the same for the same seed, and no words.
func TestSlips(t *testing.T) {
	lexicon, err := loadLexicon("")
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := slips(lexicon, 300, 7)
	if err != nil {
		t.Fatal(err)
	}
	again, err := slips(lexicon, 300, 7)
	if err != nil || !slices.Equal(pairs, again) {
		t.Errorf("the same seed gives other slips, %v", err)
	}
	far := 0
	for _, p := range pairs {
		if len(p.word) < shortest || len(p.word) > longest || slices.ContainsFunc(lexicon, func(w word) bool { return w.text == p.misspelt }) {
			t.Errorf("%+v", p)
		}
		d, err := nbest.EditDistance([]rune(p.word), []rune(p.misspelt))
		if err != nil || d != 1 && (d != 2 || !swapped(p.word, p.misspelt)) {
			t.Errorf("%+v: %g edits, %v", p, d, err)
		}
		for i := range p.word {
			if len(p.word) == len(p.misspelt) && d == 1 && p.word[i] != p.misspelt[i] && apart(rune(p.word[i]), rune(p.misspelt[i])) >= neighbours {
				far++
			}
		}
	}
	if far < 10 || far > 60 {
		t.Errorf("%d letters of 300 words became ones far away", far)
	}
	learnt := slipped(append(pairs, pair{"o'clock", "oclock", 1}, pair{"a", "e", 1}, pair{"ee", "e", 3}))
	if len(learnt) < 290 || len(learnt) > 301 {
		t.Errorf("%d slips to learn from, want one of almost each word of letters", len(learnt))
	}
	for _, p := range learnt {
		d, err := nbest.EditDistance([]rune(p.word), []rune(p.misspelt))
		if err != nil || d != 1 && (d != 2 || !swapped(p.word, p.misspelt)) {
			t.Errorf("%+v: %g edits, %v", p, d, err)
		}
	}
	if _, err := slips([]word{{"a", 1}}, 1, 1); err == nil {
		t.Error("slips without short words")
	}
	if _, err := slips([]word{{"cat", 20}}, 1, 1); err != nil {
		t.Error(err)
	}
}

// swapped reports whether two neighbours changed places.
func swapped(x, y string) bool {
	for i := range len(x) - 1 {
		b := []byte(x)
		if b[i], b[i+1] = b[i+1], b[i]; string(b) == y {
			return true
		}
	}
	return false
}

// TestKeys: keys that touch on a keyboard are neighbours.
func TestKeys(t *testing.T) {
	near := map[rune]string{'a': "qwsz", 'g': "fhtyvb", 'p': "ol", 'm': "njk"}
	for c, want := range near {
		var got []rune
		for d := 'a'; d <= 'z'; d++ {
			if d != c && apart(c, d) < neighbours {
				got = append(got, d)
			}
		}
		w := []rune(want)
		slices.Sort(w)
		if string(got) != string(w) {
			t.Errorf("neighbours of %c: %q, want %q", c, string(got), string(w))
		}
	}
	if !math.IsInf(apart('a', 'é'), 1) {
		t.Error("é has a key")
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

func TestBadModels(t *testing.T) {
	_, lines := small(t)
	for text, want := range map[string]string{
		"x":  "no saved model",
		"{}": `format "", want "pathsum spelling 1"`,
		`{"Format": "pathsum spelling 1", "Words": ["a"]}`:                                                    "1 words and 0 counts",
		`{"Format": "pathsum spelling 1", "Words": ["a"], "Counts": [1]}`:                                     "0 exponents, want 4",
		`{"Format": "pathsum spelling 1", "Words": ["a"], "Counts": [1], "Weights": [1,1,1,1], "Sounds": {}}`: "4 exponents, want 7",
		`{"Format": "pathsum spelling 1", "Words": ["a"], "Counts": [1], "Weights": [1,1,1,1], "Scout": {}}`:  "pathsum model",
	} {
		var stderr bytes.Buffer
		if status, _ := run(t.Context(), &stderr, "-load", programtest.File(t, "model", text), "-apply", lines); status != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %s", text, status, stderr.String())
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

// heardData are words whose letters are not what they sound like; a dictionary that says what
// they sound like, and how the like is written as a rule; and misspellings by that rule.
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

// TestSounds: what is written as it is heard is found by its sounds only, before and after a
// speller is saved.
func TestSounds(t *testing.T) {
	pairs, lexicon, dictionary := heardData()
	model := filepath.Join(t.TempDir(), "model")
	data := []string{"-data", programtest.File(t, "pairs", pairs), "-lexicon", programtest.File(t, "words", lexicon)}
	sounds := programtest.File(t, "sounds", dictionary+"straße\tSH\n")
	tested := func(args ...string) report {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, append(args, "-quiet", "-json", "-alone")...)
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
	d, err := loadData(data[1], "", "", heldOut)
	if err != nil {
		t.Fatal(err)
	}
	var test string
	for _, p := range d.test {
		test += p.word + "\t" + p.misspelt + "\n"
	}
	if again := tested("-load", model, "-test", programtest.File(t, "test", test)); again.Top1 != with.Top1 || again.Top10 != with.Top10 {
		t.Errorf("loaded %+v, want %+v", again, with)
	}
}

// TestAloud: a dictionary knows several ways to pronounce a word, and other words are
// pronounced as its words are. What may be a slip need not sound alike.
func TestAloud(t *testing.T) {
	pairs, lexicon, dictionary := heardData()
	model := filepath.Join(t.TempDir(), "model")
	var stderr bytes.Buffer
	if status, _ := run(t.Context(), &stderr, "-quiet", "-alone", "-data", programtest.File(t, "pairs", pairs), "-lexicon", programtest.File(t, "words", lexicon+"a_b\n_\n"),
		"-sounds", programtest.File(t, "sounds", dictionary+"ABBA\tS0 S1\nabba\tS7\n"), "-save", model); status != 0 {
		t.Fatal(stderr.String())
	}
	f, err := os.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := loadModels(f)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]int{"abba": 2, "a_b": 1, "_": 1} {
		for range 2 { // asked, and remembered
			got, err := m.sounds.of(t.Context(), m.label(word))
			if err != nil || len(got) != want {
				t.Errorf("%s: %v, %v, want %d ways", word, got, err, want)
			}
		}
	}
	sounds := func(word string) [][]int32 {
		got, err := m.sounds.of(t.Context(), m.label(word))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if silent, two, known := sounds("_"), sounds("a_b"), sounds("abba"); len(silent[0]) != 0 || !slices.Equal(two[0], known[0]) {
		t.Errorf("_ sounds as %v, a_b as %v, want nothing and %v", silent, two, known[0])
	}
	s, err := newSpeller(m)
	if err != nil {
		t.Fatal(err)
	}
	factors, err := m.sounds.factors(m)
	if err != nil {
		t.Fatal(err)
	}
	slips, err := m.slips.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range s.in { // to be a slip is enough
		x := s.in[(i+1)%len(s.in)].Labels
		slip, err := slips.LogProb(w.Labels, x)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := factors[0].LogProb(x, w.Labels); err != nil || got < max(slip+math.Log(m.mixed.Theta[1]), least)-1e-9 {
			t.Errorf("%v for %v: %g, %v, less than of a slip, %g", x, w.Labels, got, err, slip)
		}
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

func TestKeepsInputs(t *testing.T) { programtest.KeepsInputs(t, newExperiment) }
