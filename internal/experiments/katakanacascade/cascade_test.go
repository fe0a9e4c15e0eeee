package main

import (
	"math"
	"testing"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
)

func newTestCascade(t testing.TB) (*cascadeSystem, *data) {
	t.Helper()
	d, _ := known(t, "", "")
	c, err := newCascade(d)
	if err != nil {
		t.Fatal(err)
	}
	return c, d
}

func TestBestSource(t *testing.T) {
	c, d := newTestCascade(t)
	known, held := program.HoldOut(d.train, transliteration.HeldOut)
	perplexity := map[int]float64{}
	for order := searchOrder; order <= maxOrder; order++ {
		m, err := newSource(d, known, order)
		if err != nil {
			t.Fatal(err)
		}
		perplexity[order] = m.Perplexity(spellings(held))
	}
	for order, p := range perplexity {
		if p < perplexity[c.rank.Order()] || p > 26 {
			t.Errorf("order %d has perplexity %g; chosen is order %d of %g", order, p, c.rank.Order(), perplexity[c.rank.Order()])
		}
	}
	few := &data{letters: d.letters, train: d.train[:3]}
	if m, err := bestSource(few); err != nil || m.Order() != searchOrder {
		t.Errorf("with three words: %v", err)
	}
}

// TestOutcomes: the initial outcomes are the same for all letters, and the copying channel
// copies.
func TestOutcomes(t *testing.T) {
	c, _ := newTestCascade(t)
	b, _ := c.letters.Symbols.Find("b")
	x := c.table.romaji.Len() - 1
	at := c.outcomes(b, c.channel.Params.Start())
	if len(at) != 1+x+x*x || at[0] != (outcome{"", start.Delete}) || math.Abs(at[1].prob-start.One/float64(x)) > 1e-15 {
		t.Errorf("%d outcomes, the first %v", len(at), at[:2])
	}
	sum := 0.0
	seen := map[string]bool{}
	for _, o := range c.outcomes(b, c.copying()) {
		sum += o.prob
		seen[o.romaji] = true
		if want := (1-copyShare)*start.One/float64(x) + copyShare; o.romaji == "b" && math.Abs(o.prob-want) > 1e-12 {
			t.Errorf("b is copied with probability %g, want %g", o.prob, want)
		}
	}
	if math.Abs(sum-1) > 1e-12 || !seen["sh"] || !seen["-"] || len(seen) != len(at) {
		t.Errorf("outcomes sum to %g, %d are different of %d", sum, len(seen), len(at))
	}
	if err := c.channel.Params.Check(c.copying()); err != nil {
		t.Error(err)
	}
}
