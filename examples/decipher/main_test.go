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
	"unicode"

	"example.org/pathsum/internal/english"
	"example.org/pathsum/internal/programtest"
)

// run runs the program and returns its exit status and output.
var run = programtest.New(newProgram)

type report struct {
	Iterations    int       `json:"iterations"`
	Objective     []float64 `json:"objective"`
	Status        string    `json:"status"`
	Accuracy      *float64  `json:"accuracy"`
	Restarts      int       `json:"restarts"`
	LogLikelihood float64   `json:"loglik_bigram"`
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	output := filepath.Join(dir, "text")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-restarts", "7", "-refine", "1", "-o", output)
	if status != 0 {
		t.Fatal(stderr.String())
	}
	r := programtest.Report[report](t, out)
	if *r.Accuracy < .97 || r.Restarts != 7 {
		t.Errorf("%.4f of letters right with %d restarts", *r.Accuracy, r.Restarts)
	}
	if !slices.IsSorted(r.Objective) || r.Status != "converged" {
		t.Errorf("%d iterations, %s, log likelihoods %v", r.Iterations, r.Status, r.Objective)
	}
	text, err := os.ReadFile(output)
	if err != nil || !strings.HasPrefix(string(text), "the lighthouse stood at the end of a long spit") || bytes.Count(text, []byte("\n")) != 5 {
		t.Errorf("deciphered: %s, %v", text, err)
	}
}

// TestCipher deciphers a text with an unknown key.
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
	output := filepath.Join(dir, "text")
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-spaces", "drop", "-restarts", "11", "-refine", "1", "-o", output,
		"-cipher", programtest.File(t, "cipher", strings.Join(lines, "\n\n")))
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r := programtest.Report[report](t, out); r.Accuracy != nil {
		t.Errorf("accuracy %v without a text to compare with", *r.Accuracy)
	}
	found, err := os.ReadFile(output)
	if err != nil || !strings.HasPrefix(string(found), "thelighthousestoodattheendofalongspit") {
		t.Errorf("deciphered: %s, %v", found, err)
	}
}

// TestShort deciphers 400 letters without spaces: a third of the length that the bigrams alone
// need. EM alone has 93 to 98 % of the letters right.
func TestShort(t *testing.T) {
	plain, err := os.ReadFile("plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	var short []byte
	for n := 0; n < 400; n++ {
		i := bytes.IndexFunc(plain, unicode.IsLetter) + 1
		short, plain = append(short, plain[:i]...), plain[i:]
	}
	var stderr bytes.Buffer
	status, out := run(t.Context(), &stderr, "-json", "-spaces", "drop", "-refine", "2", "-test", programtest.File(t, "short", string(short)))
	if status != 0 {
		t.Fatal(stderr.String())
	}
	if r := programtest.Report[report](t, out); *r.Accuracy < .99 {
		t.Errorf("%.4f of letters right", *r.Accuracy)
	}
}

// TestMend: no two letters of a mended key can be swapped to make the text more probable.
func TestMend(t *testing.T) {
	english, err := keepSpaces.load("", english.Text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSolver(english)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	cipher := english[:2]
	probability := func(k *key) float64 { return logProb(s.english[3], cipher, k) }
	k := randomKey(rng)
	before := probability(k)
	after := mend(s.english[3], cipher, k)
	if after <= before || after != probability(k) {
		t.Errorf("ln p %g, mended %g, and that of its text is %g", before, after, probability(k))
	}
	for a := 1; a <= letters; a++ {
		for b := range a {
			swapped := *k
			swapped[a], swapped[b] = k[b], k[a]
			if b > 0 && probability(&swapped) > after {
				t.Errorf("swapping %d and %d raises ln p", a, b)
			}
		}
	}
	own := 0.0 // for the plain texts, with the identity key
	same := key{space: space}
	for c := range int32(letters) {
		same[1+c] = 1 + c
	}
	for _, p := range cipher {
		own += s.english[3].LogProb(p)
	}
	if got := probability(&same); got != own {
		t.Errorf("ln p %g, want %g", got, own)
	}
}

// TestSavedKey: a saved key can be loaded, and an invalid one is an error.
func TestSavedKey(t *testing.T) {
	k := randomKey(rand.New(rand.NewPCG(4, 4)))
	var b bytes.Buffer
	if err := (&solver{solution: solution{key: k}}).save(&b); err != nil {
		t.Fatal(err)
	}
	saved := b.String()
	if got, err := loadKey(&b); err != nil || *got != *k {
		t.Errorf("%v, %v; want %v", got, err, k)
	}
	const line = "Étude, No. 7: Quick Zebra"
	if got := k.line(line); len(got) != len(line) || strings.EqualFold(got[2:], line[2:]) || !strings.HasPrefix(got, "É") || !unicode.IsUpper(rune(got[8])) || !strings.Contains(got, ". 7: ") {
		t.Errorf("%q became %q", line, got)
	}
	for _, bad := range []string{
		"", "{}", strings.Replace(saved, " 1", " 2", 1),
		strings.Replace(saved, "abc", "ab", 1), strings.Replace(saved, "abc", "abb", 1),
		strings.Replace(saved, `"Plain":"`, `"Plain":"`+text([]int32{k[2]}), 1),
	} {
		if _, err := loadKey(strings.NewReader(bad)); err == nil {
			t.Errorf("%s is taken for a key", bad)
		}
	}
}

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestUse deciphers a text with an unknown key, and then further lines.
func TestUse(t *testing.T) {
	paragraphs, err := keepSpaces.load("", plainText)
	if err != nil {
		t.Fatal(err)
	}
	k := randomKey(rand.New(rand.NewPCG(6, 6)))
	var cipher []string
	for _, s := range k.apply(paragraphs) {
		cipher = append(cipher, text(s))
	}
	want := []string{"Meet me at noon, by the LIGHTHOUSE!", "12 boats came"}
	var lines []string
	for _, w := range want {
		lines = append(lines, k.line(w))
	}
	got := programtest.Check(t, newProgram, programtest.Use{
		Train: "-cipher cipher.txt -restarts 7 -refine 1",
		Files: []string{"cipher.txt", strings.Join(cipher, "\n\n")},
		Lines: lines,
	})
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFlags(t *testing.T) {
	empty := programtest.File(t, "empty", "1\n\n2\n")
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-cipher", "a", "-test", "b"}, 2, "want no -test"},
		{[]string{"-refine", "0"}, 2, "-refine 0: want at least 1"},
		{[]string{"-load", empty}, 2, "-load: want -apply as well"},
		{[]string{"-load", empty, "-apply", empty}, 1, "no saved key"},
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

// TestInterrupt: an interrupt ends the search for the key.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	status, out := run(ctx, programtest.Trigger{Text: "training 40/", Call: cancel}, "-json", "-restarts", "1", "-refine", "1")
	if r := programtest.Report[report](t, out); status != 130 || r.Status != "canceled" {
		t.Errorf("status %d, %+v", status, r)
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
		t.Fatalf("%v is not a key", *k)
	}
	// a accounts for some of e's counts, but e comes first and takes all.
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
