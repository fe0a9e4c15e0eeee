package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/stdintest"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/wordalign"
)

// jsonReport is the JSON object.
type jsonReport struct {
	Iterations  int        `json:"iterations"`
	Objective   []float64  `json:"objective"`
	Status      string     `json:"status"`
	Skipped     int        `json:"skipped"`
	Bad         int        `json:"lines_skipped"`
	Problems    int        `json:"problems"`
	Train       string     `json:"train"`
	Lines       int        `json:"lines"`
	AER         *float64   `json:"aer"`
	Dev         *float64   `json:"aer_dev"`
	Precision   *float64   `json:"precision"`
	Recall      *float64   `json:"recall"`
	Threshold   float64    `json:"threshold"`
	Directions  []*float64 `json:"aer_directions"`
	Combination string     `json:"combination"`
}

// run runs the program and returns its exit status, the JSON object and the output.
var run = programtest.Reporting[jsonReport](programtest.New(newProgram))

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	out, matrix := filepath.Join(dir, "links"), filepath.Join(dir, "matrix.svg")
	var stderr bytes.Buffer
	status, r, text := run(t, t.Context(), &stderr, "-o", out, "-matrix", matrix)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r.Lines != 90 || r.Iterations != 8 || len(r.Objective) != 8 || r.Skipped != 0 || r.Train != "agreement" || r.Combination != "average" {
		t.Errorf("%+v", r)
	}
	if *r.AER > .06 || *r.Dev > .04 || *r.Precision < .92 || *r.Recall < .92 || *r.Directions[0] > .1 || *r.Directions[1] > .1 {
		t.Errorf("AER %g, on dev %g, precision %g, recall %g", *r.AER, *r.Dev, *r.Precision, *r.Recall)
	}
	for _, want := range []string{"threshold      AER  precision   recall\n", "best\n", "E→F, test set, ", "average, test set, "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.Contains(stderr.String(), "training 8/8: log likelihood -") {
		t.Errorf("progress:\n%s", stderr.String())
	}
	links, err := os.ReadFile(out)
	if err != nil || strings.Count(string(links), "\n") != 90 || !strings.HasPrefix(string(links), "0-0 1-1 2-2 3-3\n") {
		t.Errorf("links: %.100s …, %v", links, err)
	}
	programtest.Figure(t, matrix, "mother", "mutter")
}

// TestWays: every way to train and to combine works, and the results do not depend on the
// number of workers.
func TestWays(t *testing.T) {
	for _, how := range []string{wordalign.Agreement, wordalign.Independent} {
		for name := range wordalign.Combinations {
			t.Run(how+" "+name, func(t *testing.T) {
				var first jsonReport
				for i, workers := range []string{"1", "3"} {
					out := filepath.Join(t.TempDir(), "links")
					status, r, _ := run(t, t.Context(), io.Discard, "-spelling", "-train", how, "-combine", name, "-workers", workers, "-o", out, "-iterations", "3")
					if status != 0 || r.Train != how || r.Combination != name || !(*r.AER < .25) {
						t.Fatalf("status %d, %+v", status, r)
					}
					if i == 0 {
						first = r
					} else if d := cmp.Diff(first, r); d != "" {
						t.Error(d)
					}
				}
			})
		}
	}
}

// write writes files into a directory, compressed if their names end in .gz.
func write(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		b := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			z.Write(b)
			z.Close()
			b = packed.Bytes()
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBadLines: lines that cannot be used are reported, and keep their line numbers.
func TestBadLines(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	good := strings.Repeat("the house\nthe small house\nhouse\n", 25)
	write(t, dir, map[string]string{
		"e.gz":  good + "\nthe house\n" + strings.Repeat("x", text.MaxLine+1) + "\na\nb\n",
		"f.gz":  strings.Repeat("das haus\ndas kleine haus\nhaus\n", 25) + "das\n \nhaus\n\xff\nb\nhaus\nhaus\n",
		"dev.e": "the small house\nhouse\n", "dev.f": "das kleine haus\nhaus haus\n", "dev.gold": "0-0 1-1 2-2\n0-0 0?1\n",
	})
	var stderr bytes.Buffer
	status, r, _ := run(t, t.Context(), &stderr, "-e", at("e.gz"), "-f", at("f.gz"), "-dev-e", at("dev.e"), "-dev-f", at("dev.f"), "-dev-gold", at("dev.gold"),
		"-unpaired", "-o", at("links"), "-matrix", at("matrix.png"), "-quiet")
	if status != 0 {
		t.Fatal(stderr.String())
	}
	// The second sentence of dev is not in the text and is also used for training.
	if r.Bad != 6 || r.Skipped != 0 || r.Lines != 75+1+1 || *r.AER != *r.Dev || *r.AER != 0 {
		t.Errorf("%+v", r)
	}
	want := fmt.Sprintf("align: skipped: %[1]s:76: empty line\nalign: skipped: %[2]s:77: empty line\n"+
		"align: skipped: %[1]s:78: line too long: more than 1048576 bytes\nalign: skipped: %[2]s:79: invalid UTF-8 at byte 1\n"+
		"align: skipped: %[1]s:81: no such line: the other text is longer\nalign: skipped: 1 more lines\n", at("e.gz"), at("f.gz"))
	if stderr.String() != want {
		t.Errorf("got\n%swant\n%s", stderr.String(), want)
	}
	links, err := os.ReadFile(at("links"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(links), strings.Repeat("0-0 1-1\n0-0 1-1 2-2\n0-0\n", 25)+"\n\n\n\n0-0\n\n\n"; got != want {
		t.Errorf("links\n%s", got)
	}
}

// TestNoReferences: without references the output has only links at a threshold of .5.
func TestNoReferences(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, dir, map[string]string{"e": "a b\na\n", "f": "x y\nx\n"})
	status, r, _ := run(t, t.Context(), io.Discard, "-e", at("e"), "-f", at("f"), "-o", at("links"), "-matrix", at("matrix.png"))
	if status != 0 || r.AER != nil || r.Dev != nil || r.Directions[0] != nil || r.Threshold != .5 {
		t.Errorf("status %d, %+v", status, r)
	}
	if links, err := os.ReadFile(at("links")); err != nil || string(links) != "0-0 1-1\n0-0\n" {
		t.Errorf("%s, %v", links, err)
	}
}

// TestPipes: standard input is aligned like files.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	e, f := "the house\nthe small house\nhouse\n\nsmall\n", "das haus\ndas kleine haus\nhaus\nx\nklein\n"
	joined := "the house ||| das haus\nthe small house ||| das kleine haus\nhouse ||| haus\n ||| x\nsmall ||| klein\n"
	more, moreE, moreF := strings.Repeat("house ||| haus\n", 5), strings.Repeat("house\n", 5), strings.Repeat("haus\n", 5)
	e, f, joined = e+moreE, f+moreF, joined+more
	write(t, dir, map[string]string{"e": e, "f": f})
	args := []string{"-quiet", "-o", "-"}
	_, _, want := run(t, t.Context(), io.Discard, append(args, "-e", at("e"), "-f", at("f"))...)
	if want, _, _ = strings.Cut(want, "{"); want != "0-0 1-1\n0-0 1-1 2-2\n0-0\n\n0-0\n"+strings.Repeat("0-0\n", 5) {
		t.Fatalf("links\n%s", want)
	}
	for _, x := range []struct {
		stdin string
		args  []string
	}{
		{e, []string{"-e", "-", "-f", at("f")}},
		{f, []string{"-e", at("e"), "-f", "-"}},
		{joined, []string{"-bitext", "-"}},
	} {
		stdintest.Set(t, x.stdin)
		var stderr bytes.Buffer
		status, _, got := run(t, t.Context(), &stderr, append(args, x.args...)...)
		if got, _, _ = strings.Cut(got, "{"); status != 0 || got != want {
			t.Errorf("%v: status %d, %s\n%s", x.args, status, &stderr, got)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%v in the folder", files)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, dir, map[string]string{
		"e": "a b\na\n", "f": "x y\nx\n", "empty": "", "blank": "\n\n", "gold": "0-0 1-1\n0-0\n",
		"joined": "a b ||| x y\na ||| x\n", "longer": "x y\nx\ny\n",
		"short": "0-0\n", "far": "0-0\n0?1\n", "bad": "0-0\n0:0\n",
	})
	dev := func(e, f, gold string) []string {
		return []string{"-e", at("e"), "-f", at("f"), "-dev-e", at(e), "-dev-f", at(f), "-dev-gold", at(gold)}
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-e", at("e")}, 2, "-e and -f: want both"},
		{[]string{"-dev-e", at("e"), "-dev-f", at("f"), "-dev-gold", at("gold")}, 2, "-dev-e: want -e or -bitext or -load as well"},
		{[]string{"-test-e", at("e"), "-test-f", at("f"), "-test-gold", at("gold")}, 2, "-test-e: want -e or -bitext or -load as well"},
		{[]string{"-e", at("e"), "-f", at("f"), "-test-e", at("e")}, 2, "-test-e, -test-f and -test-gold: want all three"},
		{[]string{"-e", at("e"), "-f", at("f"), "-dev-gold", at("gold")}, 2, "-dev-e, -dev-f and -dev-gold: want all three"},
		{[]string{"-bitext", at("bad")}, 1, at("bad") + ":1: not one |||"},
		{[]string{"-e", at("e"), "-f", at("none")}, 1, "no such file"},
		{[]string{"-e", at("empty"), "-f", at("empty")}, 1, "no sentences to learn from"},
		{[]string{"-bitext", at("joined"), "-e", at("e")}, 2, "-bitext: want neither -e nor -f"},
		{[]string{"-e", "-", "-f", "-"}, 2, "-e and -f: both are -, which can be read only once"},
		{[]string{"-e", at("joined"), "-f", at("f")}, 1, at("joined") + ":1: ||| divides two sentences; such a file is for -bitext"},
		{[]string{"-e", at("e"), "-f", at("joined")}, 1, at("joined") + ":1: |||"},
		{dev("joined", "f", "gold"), 1, at("joined") + ":1: |||"},
		{[]string{"-e", at("e"), "-f", at("longer")}, 1, at("e") + ":3: no such line: the other text is longer (with -unpaired"},
		{[]string{"-e", at("longer"), "-f", at("f")}, 1, at("f") + ":3: no such line: the other text is longer (with -unpaired"},
		{dev("e", "f", "short"), 1, at("short") + " has 1 lines, " + at("e") + " has 2 sentences"},
		{dev("e", "f", "far"), 1, at("far") + ":2: link out of range: 0-1, want less than 1-1"},
		{dev("e", "f", "bad"), 1, at("bad") + `:2: bad link "0:0"`},
		{dev("e", "blank", "gold"), 1, at("blank") + ":1: empty line"},
		{[]string{"-train", "both"}, 2, "-train both: want one of agreement, independent"},
		{[]string{"-combine", "none"}, 2, "-combine none: want one of average, backward"},
	} {
		var stderr bytes.Buffer
		status, _, _ := run(t, t.Context(), &stderr, append(test.args, "-quiet")...)
		if status != test.status || !strings.Contains(stderr.String(), test.want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %s, want %s", test.args, status, stderr.String(), test.want)
		}
	}
}

// TestInterrupts: a run that is interrupted repeatedly, in all stages, reports its progress
// each time. It ends with the results of an uninterrupted run, for any number of workers.
func TestInterrupts(t *testing.T) {
	_, whole, _ := run(t, t.Context(), io.Discard, "-workers", "1")
	state := filepath.Join(t.TempDir(), "state")
	for _, stop := range []string{"training 2/8", "training 3/8", "training 1/8", "training 1/8", "training 1/8", "none"} {
		ctx, cancel := context.WithCancel(t.Context())
		status, r, _ := run(t, ctx, programtest.Trigger{Text: stop, Call: cancel}, "-workers", "2", "-checkpoint", state)
		cancel()
		if stop == "none" {
			if d := cmp.Diff(whole, r); status != 0 || d != "" {
				t.Errorf("resumed: status %d, %s", status, d)
			}
		} else if n := len(r.Objective); status != 130 || r.Status != "canceled" || r.Iterations != n || !cmp.Equal(r.Objective, whole.Objective[:n]) || !(*r.AER > 0) {
			t.Errorf("interrupted: status %d, %+v", status, r)
		}
	}
}

func TestBadCheckpoint(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if status, _, _ := run(t, ctx, programtest.Trigger{Text: "training 1/", Call: cancel}, "-checkpoint", at("good"), "-iterations", "1"); status != 130 {
		t.Fatal("no checkpoint")
	}
	good, err := os.ReadFile(at("good"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"empty": "", "cut": string(good[:len(good)/2])})
	for _, test := range []struct{ name, want string }{
		{"empty", "bad checkpoint"}, {"cut", "it is damaged"}, {"none/state", "no such file"}, {"", "is a directory"},
	} {
		var stderr bytes.Buffer
		status, _, _ := run(t, t.Context(), &stderr, "-quiet", "-checkpoint", at(test.name))
		if status != 1 || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%s: status %d, %s", test.name, status, stderr.String())
		}
	}
	var stderr bytes.Buffer
	if status, _, _ := run(t, t.Context(), &stderr, "-quiet", "-checkpoint", at("good"), "-spelling"); status != 1 || !strings.Contains(stderr.String(), "it belongs to a run with other data, start or options") {
		t.Errorf("other run: status %d, %s", status, stderr.String())
	}
}

// TestGoldFrom: if the numbers of words determine it (word 3 of 3 is the last one), references
// that count from 1 give the same error rate as references that count from 0.
func TestGoldFrom(t *testing.T) {
	text := func(name, content string) string { return programtest.File(t, name, content) }
	e, f := text("e", "a b\nc d e\n"), text("f", "x y\nz w v\n")
	var rates []float64
	for _, gold := range []string{"0-0 1?0 1-1\n2-2\n", "1-1 2p1 2-2\n3-3\n"} {
		var stderr bytes.Buffer
		status, r, _ := run(t, t.Context(), &stderr, "-e", e, "-f", f, "-dev-e", e, "-dev-f", f, "-dev-gold", text("gold", gold), "-iterations", "1", "-quiet")
		if status != 0 || r.Dev == nil {
			t.Fatalf("%q: status %d, %s", gold, status, stderr.String())
		}
		if says := strings.Contains(stderr.String(), "positions count from 1"); says != (gold[0] == '1') {
			t.Errorf("%q: %s", gold, stderr.String())
		}
		rates = append(rates, *r.Dev)
	}
	if rates[0] != rates[1] {
		t.Errorf("error rates %v", rates)
	}
}
