package pcfg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/grammar/treebank"
)

// randomRules returns rules over the symbols A, B, C, of which a unary rule has the later
// one on the right, and the words x, y.
func randomRules(r *rand.Rand) []Rule {
	symbols, words := []string{"A", "B", "C"}, []string{"x", "y"}
	var rules []Rule
	for i, left := range symbols {
		for j, right := range symbols {
			if j > i && r.IntN(2) == 0 {
				rules = append(rules, Rule{left, []string{right}, r.Float64()})
			}
			for _, other := range append(words[:1:1], symbols...) {
				if r.IntN(8) == 0 {
					rules = append(rules, Rule{left, []string{right, other}, r.Float64()})
				}
			}
		}
		for _, w := range words {
			if r.IntN(3) > 0 || w == "x" {
				rules = append(rules, Rule{left, []string{w}, .1 + r.Float64()})
			}
		}
	}
	return rules
}

// derivation is a tree with the rules that it uses.
type derivation struct {
	tree  *treebank.Tree
	p     float64
	rules []int
	of    []Constituent // without P
}

// derivations lists all derivations of the words i … j−1 from a symbol.
func derivations(rules []Rule, symbol string, words []string, i, j int) (all []derivation) {
	known := false
	for k, r := range rules {
		if r.Left != symbol {
			continue
		}
		known = true
		add := func(below ...derivation) {
			d := derivation{tree: &treebank.Tree{Label: symbol}, p: r.Weight, rules: []int{k}, of: []Constituent{{symbol, treebank.Span{I: i, J: j}, 0}}}
			for _, b := range below {
				d.tree.Children = append(d.tree.Children, b.tree)
				d.p *= b.p
				d.rules, d.of = append(d.rules, b.rules...), append(d.of, b.of...)
			}
			if len(below) == 1 && below[0].of == nil {
				d.tree.Children, d.tree.Word = nil, below[0].tree.Word
			}
			all = append(all, d)
		}
		if len(r.Right) == 1 {
			for _, b := range derivations(rules, r.Right[0], words, i, j) {
				add(b)
			}
			continue
		}
		for m := i + 1; m < j; m++ {
			for _, b := range derivations(rules, r.Right[0], words, i, m) {
				for _, c := range derivations(rules, r.Right[1], words, m, j) {
					add(b, c)
				}
			}
		}
	}
	if !known && j == i+1 && words[i] == symbol {
		all = []derivation{{tree: &treebank.Tree{Label: symbol, Word: symbol}, p: 1}}
	}
	return all
}

// TestFit: a grammar learns which of two attachments its sentences have, and the
// likelihood never falls.
func TestFit(t *testing.T) {
	g, err := New("S", []Rule{
		{"S", []string{"S", "S"}, 1}, {"S", []string{"a"}, 2}, {"S", []string{"b"}, 1},
	}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	sentences := [][]string{{"a", "a", "b"}, {"a"}, {"a", "a"}, {"c"}}
	if _, err := g.Fit(context.Background(), Data{Sentences: sentences, Underivable: em.Fail}, nil); !errors.Is(err, em.ErrUnderivable) || !strings.Contains(err.Error(), "sentence 4") {
		t.Errorf("error %v, want that sentence 4 has no derivation", err)
	}
	r, err := g.Fit(context.Background(), Data{Sentences: sentences, Underivable: em.Skip}, nil)
	if err != nil || len(r.Skipped) != 1 {
		t.Fatal(r, err)
	}
	// Six words, three branchings: one word of six is b.
	for i, want := range []float64{3. / 9, 5. / 9, 1. / 9} {
		if got := g.Rules()[i]; math.Abs(got.Weight-want) > 1e-9 {
			t.Errorf("%v %v, want %v", got, got.Weight, want)
		}
	}
}
