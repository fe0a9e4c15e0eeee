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
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/stdintest"
	"example.org/pathsum/internal/wordalign"
	"example.org/pathsum/models/align"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestUse checks the properties that users of all programs rely on.
func TestUse(t *testing.T) {
	got := programtest.Check(t, newProgram, programtest.Use{
		Lines: []string{"the dog reads ||| der hund liest", "the zebra ||| das zebra", "a book ||| ein buch"}, Stop: "training 3/8",
	})
	if len(got) != 3 || got[0] != "0-0 1-1 2-2" || got[1] != "0-0 1-1" {
		t.Errorf("%q", got)
	}
}

// sample is a file of lines e ||| f, including a long one.
func sample(words int) string {
	pairs := [][2]string{{"the", "das"}, {"house", "haus"}, {"book", "buch"}, {"old", "alte"}, {"new", "neue"}, {"green", "grüne"}}
	var b strings.Builder
	line := func(n, from int) {
		var e, f []string
		for i := range n {
			p := pairs[(from+i*i+i/3)%len(pairs)]
			e, f = append(e, p[0]), append(f, p[1])
		}
		fmt.Fprintf(&b, "%s ||| %s\n", strings.Join(e, " "), strings.Join(f, " "))
	}
	for from := range 24 {
		line(1+from%5, from)
	}
	line(words, 1)
	return b.String()
}

// loaded returns the aligner in a file.
func loaded(t *testing.T, name string) *aligner {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	a, err := load(file)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestOutputs: forward, backward and combined links with posteriors and scores agree with the
// model, for training text and for new text.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, dir, map[string]string{"text": sample(4), "new": "the house ||| das haus\n\nthe kiwi ||| das kiwi\n"})
	status, _, _ := run(t, t.Context(), io.Discard, "-bitext", at("text"), "-classes", "2", "-save", at("model"), "-threshold", ".4",
		"-o", at("o"), "-forward", at("f"), "-backward", at("b"), "-posteriors", "-scores")
	if status != 0 {
		t.Fatal("training failed")
	}
	a := loaded(t, at("model"))
	if a.Threshold != .4 || len(a.Stages) != 2 {
		t.Fatalf("%+v", a)
	}
	check := func(line string, got [3]string, adapt bool) {
		t.Helper()
		e, f, _ := strings.Cut(line, " ||| ")
		s := align.Sentence{Source: strings.Fields(e), Target: strings.Fields(f)}
		of := a.posteriors
		if adapt {
			of = a.alone
		}
		p, err := of(s)
		if err != nil {
			t.Fatal(err)
		}
		columns := strings.Split(got[0], "\t")
		if len(columns) != 3 {
			t.Fatalf("%q: want two scores", got[0])
		}
		forward, backward, _ := a.model.LogProb(s)
		for i, want := range []float64{forward, backward} {
			if x, err := strconv.ParseFloat(columns[1+i], 64); err != nil || math.Abs(x-want) > 1e-4*math.Abs(want) {
				t.Errorf("%q: score %q, want %g", line, columns[1+i], want)
			}
		}
		for i, of := range []*align.Posterior{align.Average(p.Forward, p.Backward), p.Forward, p.Backward} {
			links, _, _ := strings.Cut(got[i], "\t")
			n := 0
			for token := range strings.FieldsSeq(links) {
				pair, number, _ := strings.Cut(token, ":")
				l, err := align.ParseLink(pair, "-")
				x, _ := strconv.ParseFloat(number, 64)
				if err != nil || math.Abs(x-of.At(l.Source, l.Target)) > 1e-3 || x < .399 {
					t.Errorf("%q: link %q, want posterior %g", line, token, of.At(l.Source, l.Target))
				}
				n++
			}
			if want := len(of.Align(.4)); n != want {
				t.Errorf("%q: %d links, want %d", line, n, want)
			}
		}
	}
	outputs := func() (lines [3][]string) {
		for i, name := range []string{"o", "f", "b"} {
			b, err := os.ReadFile(at(name))
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		}
		return lines
	}
	learnt := outputs()
	for i, line := range strings.Split(strings.TrimSuffix(sample(4), "\n"), "\n") {
		check(line, [3]string{learnt[0][i], learnt[1][i], learnt[2][i]}, false)
	}
	for _, adapt := range []bool{true, false} {
		var stderr bytes.Buffer
		status, _, _ = run(t, t.Context(), &stderr, "-load", at("model"), "-apply", at("new"), fmt.Sprint("-adapt=", adapt),
			"-o", at("o"), "-forward", at("f"), "-backward", at("b"), "-posteriors", "-scores")
		got := outputs()
		if status != 0 || len(got[0]) != 3 || len(got[1]) != 3 || got[2][1] != "" || !strings.Contains(stderr.String(), at("new")+":2: not one |||") {
			t.Fatalf("status %d, %q, %s", status, got, &stderr)
		}
		check("the house ||| das haus", [3]string{got[0][0], got[1][0], got[2][0]}, adapt)
		check("the kiwi ||| das kiwi", [3]string{got[0][2], got[1][2], got[2][2]}, adapt)
	}
}

// TestNewText: the output for a text under a loaded model has a line for each line of the text,
// with links by the model, adapted to the whole text or unchanged.
func TestNewText(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	text := "the kiwi ||| das kiwi\n\nthe old kiwi ||| das alte kiwi\nbad\nkiwi mango ||| mango kiwi\n" + strings.Repeat("old book ", 9) + "||| " + strings.Repeat("alte buch ", 9) + "\n"
	write(t, dir, map[string]string{"text": sample(4), "new": text, "none": "x\n\n", "e": "a\nb\n", "f": "a\n"})
	if status, _, _ := run(t, t.Context(), io.Discard, "-bitext", at("text"), "-classes", "2", "-save", at("model"), "-threshold", ".4"); status != 0 {
		t.Fatal("training failed")
	}
	a := loaded(t, at("model"))
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	c := align.NewCorpus()
	for _, line := range lines {
		if e, f, ok := strings.Cut(line, " ||| "); ok {
			for _, w := range align.Pieces(len(strings.Fields(e)), len(strings.Fields(f)), 12) {
				if err := c.Add(w.Of(align.Sentence{Source: strings.Fields(e), Target: strings.Fields(f)})); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	adapted, err := a.adapted(t.Context(), &wordalign.Data{Corpus: c}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, adapt := range []bool{true, false} {
		of := a
		if adapt {
			of = adapted
		}
		status, r, out := run(t, t.Context(), io.Discard, "-load", at("model"), "-bitext", at("new"), "-longest", "12", "-quiet", fmt.Sprint("-adapt=", adapt))
		got := strings.Split(out, "\n")
		if status != 0 || len(got) < len(lines) || r.Problems != 2 || r.Lines != c.Len() {
			t.Fatalf("status %d, %q, %+v", status, out, r)
		}
		for i, line := range lines[:5] {
			want := ""
			if e, f, ok := strings.Cut(line, " ||| "); ok {
				p, err := of.posteriors(align.Sentence{Source: strings.Fields(e), Target: strings.Fields(f)})
				if err != nil {
					t.Fatal(err)
				}
				want = align.Average(p.Forward, p.Backward).Align(.4).String()
			}
			if got[i] != want {
				t.Errorf("adapt=%v, line %d: %q, want %q", adapt, i+1, got[i], want)
			}
		}
		if !strings.HasPrefix(got[5], "0-0 1-1") || strings.Count(got[5], "-") < 18 {
			t.Errorf("adapt=%v, a long line: %q", adapt, got[5])
		}
		if adapt && got[4] != "0-1 1-0" {
			t.Errorf("%q: new words learnt nothing from other lines", got[4])
		}
	}
	status, r, out := run(t, t.Context(), io.Discard, "-load", at("model"), "-bitext", at("none"), "-quiet")
	if status != 0 || !strings.HasPrefix(out, "\n\n") || r.Problems != 2 {
		t.Errorf("nothing to align: status %d, %q", status, out)
	}
	if status, _, _ := run(t, t.Context(), io.Discard, "-load", at("model"), "-e", at("e"), "-f", at("f")); status != 1 {
		t.Errorf("texts of other lengths: status %d", status)
	}
}

// TestNewLine: a line of -apply is treated as a new text of one line.
func TestNewLine(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, dir, map[string]string{"new": "the small house ||| das kleine haus\n"})
	aligned := func(args ...string) string {
		t.Helper()
		status, _, _ := run(t, t.Context(), io.Discard, slices.Concat(args, []string{"-o", at("o"), "-posteriors", "-threshold", ".1"})...)
		b, err := os.ReadFile(at("o"))
		if status != 0 || err != nil {
			t.Fatalf("%v: status %d, %v", args, status, err)
		}
		return string(b)
	}
	applied := aligned("-apply", at("new"), "-save", at("model"))
	for _, args := range [][]string{{"-load", at("model"), "-bitext", at("new")}, {"-load", at("model"), "-apply", at("new")}} {
		if links := aligned(args...); links != applied || links == "" {
			t.Errorf("%v: links %q, want %q", args, links, applied)
		}
	}
}

// TestLong: a sentence of any length is aligned in windows, in training text or new text.
func TestLong(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const words = 700
	write(t, dir, map[string]string{"text": sample(words)})
	status, r, _ := run(t, t.Context(), io.Discard, "-bitext", at("text"), "-longest", "40", "-o", at("o"), "-save", at("model"), "-scores")
	if status != 0 || r.Lines != 24+18 || r.Skipped != 0 {
		t.Fatalf("status %d, %+v", status, r)
	}
	if status, _, _ := run(t, t.Context(), io.Discard, "-load", at("model"), "-apply", at("text"), "-longest", "30", "-o", at("new"), "-invert"); status != 0 {
		t.Fatal("new text")
	}
	var want strings.Builder
	for i := range words {
		fmt.Fprintf(&want, " %d-%d", i, i)
	}
	for _, name := range []string{"o", "new"} {
		b, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		links, scores, _ := strings.Cut(lines[len(lines)-1], "\t")
		if len(lines) != 25 || " "+links != want.String() {
			t.Errorf("%s: %d lines, the long one is %.100s", name, len(lines), links)
		}
		if name == "o" && !strings.HasPrefix(scores, "-") {
			t.Errorf("scores %q", scores)
		}
	}
}

// TestLoadedTest: test lines score a loaded model, and a development set tunes its threshold
// unless -threshold sets it.
func TestLoadedTest(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, dir, map[string]string{"text": sample(3), "e": "the house\nold book\n", "f": "das haus\nalte buch\n", "gold": "0-0 1-1\n0-0 1-1\n"})
	if status, _, _ := run(t, t.Context(), io.Discard, "-bitext", at("text"), "-save", at("model")); status != 0 {
		t.Fatal("training failed")
	}
	test := []string{"-test-e", at("e"), "-test-f", at("f"), "-quiet", "-test-gold", at("gold"), "-load", at("model")}
	status, r, _ := run(t, t.Context(), io.Discard, test...)
	if status != 0 || r.AER == nil || *r.AER != 0 || r.Threshold != .5 {
		t.Errorf("scored: status %d, %+v", status, r)
	}
	dev := []string{"-dev-e", at("e"), "-dev-f", at("f"), "-dev-gold", at("gold"), "-load", at("model"), "-quiet"}
	if status, r, _ := run(t, t.Context(), io.Discard, dev...); status != 0 || *r.Dev != 0 || r.Threshold == .5 {
		t.Errorf("tuned: status %d, %+v", status, r)
	}
	if status, r, _ := run(t, t.Context(), io.Discard, append(dev, "-threshold", "1")...); status != 0 || *r.Dev == 0 || r.Threshold != 1 {
		t.Errorf("threshold 1: status %d, %+v", status, r)
	}
}

// TestSettings: each setting changes the model, and hence its objective.
func TestSettings(t *testing.T) {
	base := []string{"-iterations", "2"}
	_, first, _ := run(t, t.Context(), io.Discard, base...)
	for _, args := range [][]string{
		{"-model", "model1"}, {"-model", "model2"}, {"-model", "diagonal"}, {"-classes", "3"}, {"-prune", ".5"}, {"-spelling"}, {"-longest", "4"},
	} {
		status, r, _ := run(t, t.Context(), io.Discard, append(base, args...)...)
		if status != 0 || len(r.Objective) != 5 || r.Objective[4] == first.Objective[4] || !(*r.AER < .9) {
			t.Errorf("%v: status %d, %+v", args, status, r)
		}
	}
}

func TestUseErrors(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, dir, map[string]string{"bad": "x\n", "e": "a\n"})
	if status, _, _ := run(t, t.Context(), io.Discard, "-iterations", "1", "-save", at("model")); status != 0 {
		t.Fatal("no model")
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-load", at("model")}, 2, "-load: want -e or -bitext or -dev-e or -test-e or -apply as well"},
		{[]string{"-load", at("model"), "-apply", "-", "-classes", "2"}, 2, "-classes: has no effect with -load"},
		{[]string{"-load", at("model"), "-apply", "-", "-bitext", at("e")}, 2, "-apply: with -load each line is aligned by itself"},
		{[]string{"-load", at("model"), "-e", at("e")}, 2, "-e and -f: want both"},
		{[]string{"-load", at("model"), "-apply", "-", "-dev-e", at("e"), "-dev-f", at("e"), "-dev-gold", at("e")}, 2, "-apply: with -load each line is aligned by itself"},
		{[]string{"-load", at("model"), "-dev-e", at("e"), "-unpaired"}, 2, "-unpaired: want -e as well"},
		{[]string{"-load", at("bad"), "-apply", "-"}, 1, "-load " + at("bad") + ": it does not begin with"},
		{[]string{"-load", at("model"), "-apply", at("none")}, 1, "no such file"},
		{[]string{"-load", at("model"), "-apply", "-", "-test-e", at("e"), "-test-f", at("e"), "-test-gold", at("e")}, 2, "-test-e: has no effect with -apply"},
		{[]string{"-threshold", "2"}, 2, "-threshold 2: want it from 0 to 1"},
		{[]string{"-longest", "2"}, 2, "-longest 2: want it from 4 to 4096"},
		{[]string{"-save", at("none/model")}, 1, "no such file"},
		{[]string{"-forward", at("none/f")}, 1, "no such file"},
	} {
		var stderr bytes.Buffer
		status, _, _ := run(t, t.Context(), &stderr, append(test.args, "-quiet")...)
		if status != test.status || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%v: status %d, %s, want %s", test.args, status, &stderr, test.want)
		}
	}
	var b bytes.Buffer
	if err := saveFormat.Write(&b, use{Threshold: math.NaN()}); err != nil {
		t.Fatal(err)
	}
	if _, err := load(&b); err == nil {
		t.Error("no threshold: no error")
	}
}

// TestInterruptedApply: all answered lines are kept.
func TestInterruptedApply(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stdintest.Set(t, "the dog ||| der hund\n")
	if status, _, _ := run(t, ctx, io.Discard, "-apply", "-"); status != 130 {
		t.Errorf("status %d, want 130", status)
	}
}
