package main

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/examples/internal/programtest"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newExperiment, (*experiment).run)

type report struct {
	Iterations    int        `json:"iterations"`
	Objective     []float64  `json:"objective"`
	Status        string     `json:"status"`
	Accuracy      *float64   `json:"accuracy"`
	ByKey         []*float64 `json:"accuracy_by_key"`
	Restarts      int        `json:"restarts"`
	LogLikelihood float64    `json:"loglik_bigram"`
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	output, plot, heat := filepath.Join(dir, "text"), filepath.Join(dir, "plot.svg"), filepath.Join(dir, "heat.png")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-restarts", "7", "-keys", "2", "-o", output, "-plot", plot, "-heat", heat)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[report](t, out)
	if *r.Accuracy < .97 || len(r.ByKey) != 2 || r.Restarts != 7 {
		t.Errorf("%.4f of letters right with %d restarts, by key %v", *r.Accuracy, r.Restarts, r.ByKey)
	}
	if !slices.IsSorted(r.Objective) || r.Iterations != 30 || r.Objective[29] < r.LogLikelihood {
		t.Errorf("%d iterations, log likelihoods %v after %v", r.Iterations, r.Objective, r.LogLikelihood)
	}
	text, err := os.ReadFile(output)
	if err != nil || !strings.HasPrefix(string(text), "the lighthouse stood at the end of a long spit") || bytes.Count(text, []byte("\n")) != 5 {
		t.Errorf("deciphered: %s, %v", text, err)
	}
	for _, name := range []string{plot, heat} {
		if info, err := os.Stat(name); err != nil || info.Size() < 5000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCipher deciphers a text whose key is not known.
func TestCipher(t *testing.T) {
	plain, err := dropSpaces.load("", plainText)
	if err != nil {
		t.Fatal(err)
	}
	cipher := randomKey(rand.New(rand.NewPCG(5, 5))).apply(plain)
	var lines []string
	for _, s := range cipher {
		lines = append(lines, text(s))
	}
	dir := t.TempDir()
	output, heat := filepath.Join(dir, "text"), filepath.Join(dir, "heat.svg")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-spaces", "drop", "-restarts", "11", "-heat", heat, "-o", output,
		"-cipher", programtest.File(t, "cipher", strings.Join(lines, "\n\n")))
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r := programtest.Report[report](t, out); r.Accuracy != nil || r.ByKey[0] != nil {
		t.Errorf("accuracy %v without a text to compare with", *r.Accuracy)
	}
	found, err := os.ReadFile(output)
	if err != nil || !strings.HasPrefix(string(found), "thelighthousestoodattheendofalongspit") {
		t.Errorf("deciphered: %s, %v", found, err)
	}
}

func TestFlags(t *testing.T) {
	empty := programtest.File(t, "empty", "1\n\n2\n")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-keys", "0"}, 2, "-keys 0, want at least 1"},
		{[]string{"-cipher", "a", "-keys", "2"}, 2, "neither -test nor -keys"},
		{[]string{"-cipher", "a", "-test", "b"}, 2, "neither -test nor -keys"},
		{[]string{"-spaces", "both"}, 2, "spaces"},
		{[]string{"-data", "no such file"}, 1, "no such file"},
		{[]string{"-test", "no such file"}, 1, "no such file"},
		{[]string{"-test", empty}, 1, "has no letters"},
	} {
		var stderr bytes.Buffer
		if status, _ := run(t.Context(), &stderr, test.args...); status != test.status || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%v: status %d, %s", test.args, status, stderr.String())
		}
	}
}

// TestInterrupt: what was deciphered before an interrupt is reported.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	status, out := run(ctx, programtest.Trigger{Text: "key 2,", Call: cancel}, "-json", "-restarts", "1", "-keys", "3")
	if r := programtest.Report[report](t, out); status != 1 || len(r.ByKey) != 1 {
		t.Errorf("status %d, %d keys", status, len(r.ByKey))
	}
}

func TestText(t *testing.T) {
	all, err := keepSpaces.read(strings.NewReader("  It's\n 7 o'Clock. \n\t\n\n--\n\nÉtude, no.\n1\n"), "text")
	if err != nil || len(all) != 2 || text(all[0]) != "its oclock" || text(all[1]) != "tude no" {
		t.Errorf("%v, %v", all, err)
	}
	if s := text(dropSpaces.paragraph("It's 7 o'Clock.")); s != "itsoclock" {
		t.Errorf("without spaces %q", s)
	}
}

func TestKeys(t *testing.T) {
	k := randomKey(rand.New(rand.NewPCG(1, 1)))
	taken := map[int32]bool{}
	var counts table
	for e := int32(1); e <= letters; e++ {
		taken[k[e]] = true
		counts[e][k[e]] = float64(e)
	}
	if len(taken) != letters || taken[0] || taken[space] || k[space] != space {
		t.Fatalf("%v is no key", *k)
	}
	// a takes some of what e makes, but e, which comes first, has it all.
	counts[1][k[5]] = 4
	plain := [][]int32{{1, 5, space, 26}, {2}}
	back := keyOf(&counts).apply(k.apply(plain))
	if a := accuracy(back, plain); a != 1 {
		t.Errorf("%v came back as %v", plain, back)
	}
	if a := accuracy([][]int32{{1, 2, space, 3}}, [][]int32{{1, 3, space, 3}}); math.Abs(a-2./3) > 1e-15 {
		t.Errorf("2 of 3 letters: %v", a)
	}
	if a := accuracy(nil, nil); !math.IsNaN(a) {
		t.Errorf("no letters: %v", a)
	}
}

func TestHelp(t *testing.T) { programtest.Help(t, newExperiment) }
