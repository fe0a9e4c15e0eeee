package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/stdintest"
)

type report struct {
	AER         *float64 `json:"aer"`
	Combination string   `json:"combination"`
}

var run = programtest.Reporting[report](programtest.New(newProgram))

// TestSymmetrize: alignment files are combined by package align, and scored.
func TestSymmetrize(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	f, b := "0-0 1-1 2-1\n\n0-0:.9 1-0:.2\n", "0-0 1-1 1-2\t-3\t-4\n0-0\n0-0:.8\n"
	for name, text := range map[string]string{"f": f, "b": b, "gold": "0-0 1-1 2?1\n\n0-0\n", "short": "0-0\n", "bad": "0:0\n\n\n", "p": "0-0:2\n\n\n"} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, of := range symmetrizations {
		status, r, out := run(t, t.Context(), io.Discard, "-links", at("f"), "-reverse", at("b"), "-combine", name, "-threshold", ".5", "-o", at("out"), "-test-gold", at("gold"))
		text, err := os.ReadFile(at("out"))
		var want strings.Builder
		for i, l := range strings.Split(strings.TrimSuffix(f, "\n"), "\n") {
			x, _ := parseLinks(l, .5)
			y, _ := parseLinks(strings.Split(b, "\n")[i], .5)
			fmt.Fprintln(&want, of(x, y))
		}
		if status != 0 || err != nil || string(text) != want.String() || r.Combination != name || !(*r.AER < .5) || !strings.Contains(out, name+", 3 lines: AER ") {
			t.Errorf("%s: status %d, %q, want %q; %+v", name, status, text, &want, r)
		}
	}
	stdintest.Set(t, f)
	status, r, out := run(t, t.Context(), io.Discard, "-links", "-", "-invert", "-threshold", ".5")
	if status != 0 || !strings.HasPrefix(out, "0-0 1-1 1-2\n\n0-0\n{") || r.Combination != "forward" {
		t.Errorf("inverted: %d, %q", status, out)
	}
	// AER = 1 - (3+3)/(3+3), as 2-1 is possible.
	if status, r, _ := run(t, t.Context(), io.Discard, "-links", at("f"), "-threshold", ".5", "-test-gold", at("gold")); status != 0 || math.Abs(*r.AER-(1-7./7)) > 1e-12 {
		t.Errorf("scored: %d, %+v", status, r)
	}
	for _, test := range []struct {
		status int
		args   []string
		want   string
	}{
		{1, []string{"-links", at("f"), "-reverse", at("short")}, at("short") + ":2: no such line"},
		{1, []string{"-links", at("short"), "-reverse", at("f")}, at("short") + ":2: no such line"},
		{1, []string{"-links", at("f"), "-test-gold", at("short")}, at("short") + ":2: no such line"},
		{1, []string{"-links", at("short"), "-test-gold", at("gold")}, at("short") + ":2: no such line"},
		{1, []string{"-links", at("bad")}, at("bad") + ":1: bad link"},
		{1, []string{"-links", at("p")}, at("p") + `:1: bad link "0-0:2": posterior "2"`},
		{2, []string{"-links", at("f"), "-reverse", at("b"), "-combine", "product"}, "-combine product: want one of grow-diag-final-and, grow-diag-final, grow-diag"},
		{2, []string{"-links", at("f"), "-combine", "union"}, "-combine union: want -reverse"},
		{2, []string{"-reverse", at("f")}, "-reverse: want -links as well"},
		{2, nil, "-links: want a file of alignments"},
	} {
		var stderr bytes.Buffer
		if status, _, _ := run(t, t.Context(), &stderr, test.args...); status != test.status || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%v: status %d, %s, want %s", test.args, status, &stderr, test.want)
		}
	}
}

// TestGoldFrom: with -gold-from, references that count from 1 give the same error rate as
// references that count from 0; the alignment here has two of three sure links and one
// possible.
func TestGoldFrom(t *testing.T) {
	text := func(name, content string) string { return programtest.File(t, name, content) }
	links := text("links", "0-0 1-0\n2-2\n")
	const want = 1 - float64(2+3)/(3+3) // |A∩S| = 2, |A∩P| = 3, |A| = 3, |S| = 3
	for _, test := range []struct {
		gold, from string
		aer        float64
		says       string
	}{
		{"0-0 1?0 1-1\n2-2\n", "auto", want, ""},
		{"0-0 1p0 1-1\n2-2\n", "auto", want, ""},
		{"1-1 2p1 2-2\n3-3\n", "1", want, ""},
		{"1-1 2?1 2-2\n3-3\n", "auto", 1, "no position is 0, and they are taken to count from 0; if they count from 1, give -gold-from 1"},
	} {
		var stderr bytes.Buffer
		status, r, _ := run(t, t.Context(), &stderr, "-links", links, "-test-gold", text("gold", test.gold), "-gold-from", test.from, "-quiet")
		if status != 0 || r.AER == nil || *r.AER < test.aer-1e-12 || *r.AER > test.aer+1e-12 || !strings.Contains(stderr.String(), test.says) || test.says == "" && stderr.Len() > 0 {
			t.Errorf("%q, %s: status %d, %+v, %s", test.gold, test.from, status, r.AER, stderr.String())
		}
	}
	var stderr bytes.Buffer
	if status, _, _ := run(t, t.Context(), &stderr, "-links", links, "-test-gold", text("gold", "0-0\n\n"), "-gold-from", "1"); status != 1 || !strings.Contains(stderr.String(), "reference 1: link out of range: 0-0, want positions from 1") {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}
