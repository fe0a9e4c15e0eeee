package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"example.org/pathsum/internal/programtest"
)

// TestUse: the program trains, saves, loads and transcribes in a shell.
func TestUse(t *testing.T) {
	pairs := strings.Join(strings.SplitAfter(pairsTSV, "\n")[:200], "")
	got := programtest.Check(t, newProgram, programtest.Use{
		Train: "-data pairs.tsv -order 4 -discount 1 -normalize nfc", Apply: "-n 2 -scores",
		Files: []string{"pairs.tsv", pairs}, Lines: []string{"casa", "queso"}, Stop: "alignment 3/",
	})
	for i, want := range []string{"casa\tk a s a\t", "queso\tk e s o\t"} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("%q, want %q", got[i], want)
		}
		if columns := strings.Split(got[i], "\t"); len(columns) != 5 {
			t.Errorf("%q: %d columns, want a word and two targets with probabilities", got[i], len(columns))
		}
	}
}

// syllables returns words of Korean syllables with their letters, which are their sounds.
func syllables(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		word := ""
		for range 1 + rng.IntN(3) {
			word += string(rune(0xac00 + rng.IntN(11172)))
		}
		fmt.Fprintf(&b, "%s\t%s\n", word, strings.Join(strings.Split(norm.NFD.String(word), ""), " "))
	}
	return b.String()
}

// TestNormalize: unseen syllables are read by their letters, because held-out words favour
// this, and the model saves the form.
func TestNormalize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	data, test := programtest.File(t, "data.tsv", syllables(rng, 150)), programtest.File(t, "test.tsv", syllables(rng, 40))
	args := []string{"-json", "-quiet", "-data", data, "-order", "2", "-discount", "1"}
	errors := map[string]float64{}
	for _, form := range []string{"", "none", "nfc", "nfd"} {
		more := []string{"-test", test}
		if form != "" {
			more = append(more, "-normalize", form)
		}
		status, out, stderr := run(t, "", append(args, more...)...)
		if status != 0 {
			t.Fatal(stderr)
		}
		errors[form] = programtest.Report[report](t, out).WER
	}
	if errors["nfd"] > .05 || errors["nfc"] < .5 || errors["none"] != errors["nfc"] || errors[""] > .05 {
		t.Errorf("words wrong: %v", errors)
	}
	model := filepath.Join(t.TempDir(), "model")
	if status, _, stderr := run(t, "", append(args, "-test", test, "-save", model)...); status != 0 {
		t.Fatal(stderr)
	}
	status, out, stderr := run(t, "\u1112\u1161\u11ab\n한\n", "-load", model, "-apply", "-", "-n", "1", "-quiet")
	if want := "\u1112\u1161\u11ab\t\u1112 \u1161 \u11ab\n한\t\u1112 \u1161 \u11ab\n"; status != 0 || out != want {
		t.Errorf("status %d, %s%+q, want %+q", status, stderr, out, want)
	}
}

// habits returns words in which the letter i has one of two sounds, the same throughout a word.
func habits(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		sound := map[rune]string{'i': []string{"i", "I"}[rng.IntN(2)], 'k': "k", 'r': "r", 's': "s", 't': "t", 'o': "o"}
		word, sounds := "", []string{}
		for range 10 {
			c := []rune("ikrsto")[rng.IntN(6)]
			word, sounds = word+string(c), append(sounds, sound[c])
		}
		fmt.Fprintf(&b, "%s\t%s\n", word, strings.Join(sounds, " "))
	}
	return b.String()
}

// TestClasses: with hidden classes, each word is transcribed by one of the two habits. Held-out
// words select the classes, and the model saves them.
func TestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	data, test := programtest.File(t, "data.tsv", habits(rng, 250)), programtest.File(t, "test.tsv", habits(rng, 60))
	answers := filepath.Join(t.TempDir(), "answers")
	model := filepath.Join(t.TempDir(), "model")
	args := []string{"-json", "-quiet", "-data", data, "-test", test, "-order", "2", "-discount", "1"}
	status, out, stderr := run(t, "", args...)
	if status != 0 {
		t.Fatal(stderr)
	}
	one := programtest.Report[report](t, out)
	status, out, stderr = run(t, "", append(args, "-classes", "0", "-save", model, "-n", "10", "-o", answers)...)
	if status != 0 {
		t.Fatal(stderr)
	}
	more := programtest.Report[report](t, out)
	if one.Classes != 1 || more.Classes < 2 || more.WER > .6 || one.WER < more.WER+.05 {
		t.Errorf("%+v with one class, %+v with several", one, more)
	}
	checkLoaded(t, model, answers)
}

// TestPhrases: a space within a word is a symbol unless words are cut at spaces.
func TestPhrases(t *testing.T) {
	data := programtest.File(t, "data.tsv", strings.Repeat("ab\tx y\na b\tx _ y\nb\ty\nba\ty x\nb a\ty _ x\n", 8))
	args := []string{"-quiet", "-data", data, "-order", "3", "-discount", "1", "-apply", "-", "-n", "1"}
	const want = "b a b\ty _ x _ y\n"
	for flags, right := range map[string]bool{"": true, "-spaced second": true, "-spaced none": true, "-spaced both": false} {
		status, out, stderr := run(t, "b a b\n", append(args, strings.Fields(flags)...)...)
		if status != 0 || out == want != right {
			t.Errorf("%s: status %d, %s, %q", flags, status, stderr, out)
		}
	}
}

// TestApplyLearnsFromAll: without a test, all data are used for training.
func TestApplyLearnsFromAll(t *testing.T) {
	data := programtest.File(t, "data.tsv", strings.Repeat("ab\tx y\nb\ty\n", 8))
	status, _, stderr := run(t, "ab\n", "-data", data, "-order", "2", "-discount", "1", "-apply", "-")
	if want := "16 pairs to learn from, 0 to choose by, 0 to be tested with"; status != 0 || !strings.Contains(stderr, want) {
		t.Errorf("status %d, no %q in %s", status, want, stderr)
	}
}

// TestScores: probabilities are fractions of 1, and an unknown symbol divides them.
func TestScores(t *testing.T) {
	data := programtest.File(t, "data.tsv", strings.Repeat("ab\tx y\nb\ty\nba\ty x\nb\tx\n", 8))
	args := []string{"-quiet", "-data", data, "-order", "2", "-discount", "1", "-apply", "-", "-n", "10", "-scores"}
	status, out, stderr := run(t, "ab\naB\nab?\n??\n", args...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != 0 || len(lines) != 4 || lines[3] != "??" || strings.Count(stderr, "unknown") != 4 {
		t.Fatalf("status %d, %s%s", status, stderr, out)
	}
	var first [3]float64
	for i, line := range lines[:3] {
		columns, sum := strings.Split(line, "\t"), 0.0
		for k := 2; k < len(columns); k += 2 {
			p, err := strconv.ParseFloat(columns[k], 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += p
			if k == 2 {
				first[i] = p
			}
		}
		want := 1.0
		if i > 0 {
			want = 1. / 3 // two target symbols, or the empty string
		}
		if columns[1] != "x y" || math.Abs(sum-want) > 1e-3 {
			t.Errorf("%q: probabilities sum to %g, want %g", line, sum, want)
		}
	}
	if math.Abs(first[1]*3-first[0]) > 1e-3 || first[1] != first[2] {
		t.Errorf("probabilities %v", first)
	}
}

// TestModelsDisagree: if models have no target in common, or every model lacks a symbol, the
// first that has a target answers. Here one model writes a sound for each letter, and the other
// two.
func TestModelsDisagree(t *testing.T) {
	data := programtest.File(t, "data.tsv", strings.Repeat("a\tx\na\tx x\nac\tx z\nda\tw w x x\n", 8))
	for flags, want := range map[string]string{
		"-chunks 11":    "a\tx\nac\tx z\nca\tz x\nda\tx\ndc\tz\n?\n",
		"-chunks 12":    "a\tx x\nac\tx x\nca\tx x\nda\tw w x x\ndc\tw w\n?\n",
		"-chunks 11+12": "a\tx\nac\tx z\nca\tz x\nda\tw w x x\ndc\tz\n?\n",
		"-chunks 12+11": "a\tx x\nac\tx z\nca\tz x\nda\tw w x x\ndc\tw w\n?\n",

		"-chunks 11+12 -conditional": "a\tx\nac\tx z\nca\tz x\nda\tw w x x\ndc\tz\n?\n",
	} {
		args := []string{"-quiet", "-data", data, "-order", "2", "-discount", "1", "-apply", "-", "-n", "1"}
		status, out, stderr := run(t, "a\nac\nca\nda\ndc\n?\n", append(args, strings.Fields(flags)...)...)
		if status != 0 || out != want {
			t.Errorf("%s: status %d, %s%s", flags, status, stderr, cmp.Diff(want, out))
		}
	}
}
