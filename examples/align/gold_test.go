package main

import (
	"bytes"
	"strings"
	"testing"

	"example.org/pathsum/internal/programtest"
)

// TestGoldFrom: references that count from 1 give the error rate of those that count from
// 0, where their numbers show it or -gold-from says it; the alignment here has two of three
// sure links and one possible.
func TestGoldFrom(t *testing.T) {
	text := func(name, content string) string { return programtest.File(t, name, content) }
	e, f := text("e", "a b\nc d e\n"), text("f", "x y\nz w v\n")
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
	// With the sentences their numbers of words show it: word 3 of 3 is the last one.
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
	var stderr bytes.Buffer
	if status, _, _ := run(t, t.Context(), &stderr, "-links", links, "-test-gold", text("gold", "0-0\n\n"), "-gold-from", "1"); status != 1 || !strings.Contains(stderr.String(), "reference 1: link out of range: 0-0, want positions from 1") {
		t.Errorf("status %d, %s", status, stderr.String())
	}
}
