package pcfg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
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

// TestDerivations compares with all derivations, listed one by one.
func TestDerivations(t *testing.T) {
	checked := 0
	for seed := range trials.Seeds(150) {
		r := rand.New(rand.NewPCG(seed, 0))
		g, err := New("A", randomRules(r), em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		words := make([]string, 1+r.IntN(4))
		for i := range words {
			words[i] = []string{"x", "y"}[r.IntN(2)]
		}
		rules := g.Rules()
		total, best := 0.0, derivation{}
		uses, spans := make([]float64, len(rules)), map[Constituent]float64{}
		all := derivations(rules, "A", words, 0, len(words))
		for _, d := range all {
			total += d.p
			if d.p > best.p {
				best = d
			}
			for _, k := range d.rules {
				uses[k] += d.p
			}
			for _, c := range d.of {
				spans[c] += d.p
			}
		}
		logp, err := p.LogProb(words)
		if err != nil || math.Abs(logp-math.Log(total)) > 1e-10 {
			t.Fatalf("seed %d: ln probability %v, %v, want %v", seed, logp, err, math.Log(total))
		}
		tree, top, err := p.Best(words)
		list, err2 := p.Posteriors(words)
		l, err3 := g.Likelihood(Data{Sentences: [][]string{words}, Underivable: em.Skip})
		if err3 != nil {
			t.Fatal(err3)
		}
		e, err3 := l.Expect(context.Background(), em.Query{Theta: g.Theta})
		if err3 != nil {
			t.Fatal(err3)
		}
		if total == 0 {
			if !errors.Is(err, em.ErrUnderivable) || !errors.Is(err2, em.ErrUnderivable) || len(e.Skipped) != 1 {
				t.Fatalf("seed %d: errors %v, %v, skipped %v for a sentence without a derivation", seed, err, err2, e.Skipped)
			}
			continue
		}
		checked++
		if err != nil || math.Abs(top-math.Log(best.p)) > 1e-10 {
			t.Fatalf("seed %d: best %v, %v, want %v", seed, top, err, math.Log(best.p))
		}
		found := false
		for _, d := range all { // there may be several as good
			found = found || d.tree.String() == tree.String() && math.Abs(d.p/best.p-1) < 1e-10
		}
		if !found {
			t.Fatalf("seed %d: best tree %v, want %v", seed, tree, best.tree)
		}
		if err2 != nil || len(list) != len(spans) {
			t.Fatalf("seed %d: %d constituents, %v, want %d", seed, len(list), err2, len(spans))
		}
		for _, c := range list {
			if want := spans[Constituent{c.Symbol, c.Span, 0}] / total; math.Abs(c.P-want) > 1e-10 {
				t.Fatalf("seed %d: %v, want %v", seed, c, want)
			}
		}
		for k := range rules {
			if got, want := e.Counts[g.index[k]], uses[k]/total; math.Abs(got-want) > 1e-10 {
				t.Fatalf("seed %d: %v is used %v times, want %v", seed, rules[k], got, want)
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d sentences have a derivation", checked)
	}
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

func TestErrors(t *testing.T) {
	ab := func(left string, right ...string) Rule { return Rule{left, right, 1} }
	for _, x := range []struct {
		rules []Rule
		want  string
	}{
		{nil, "the start symbol A has none"},
		{[]Rule{ab("B", "x")}, "the start symbol A has none"},
		{[]Rule{ab("A")}, "rule 1, A →, has 0 symbols on the right"},
		{[]Rule{ab("A", "x"), ab("A", "x", "y", "z")}, "rule 2, A → x y z, has 3 symbols"},
		{[]Rule{ab("A", "x"), ab("A", "x")}, "rule 2, A → x, is there twice"},
		{[]Rule{{"A", []string{"x"}, -1}}, "rule 1, A → x, has weight -1"},
		{[]Rule{{"A", []string{"x"}, math.NaN()}}, "weight NaN"},
		{[]Rule{{"A", []string{"x"}, 0}}, "the weights of the rules of A sum to 0"},
	} {
		_, err := New("A", x.rules, em.Multinomial{})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(fmt.Sprint(err), x.want) {
			t.Errorf("error %v, want %q", err, x.want)
		}
	}
	g, err := New("A", []Rule{ab("A", "x")}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{nil, make([]string, MaxWords+1)} {
		_, err1 := p.LogProb(words)
		_, _, err2 := p.Best(words)
		_, err3 := p.Posteriors(words)
		_, err4 := g.Likelihood(Data{Sentences: [][]string{{"x"}, words}, Underivable: em.Skip})
		for _, err := range []error{err1, err2, err3, err4} {
			if !errors.Is(err, ErrInvalid) {
				t.Errorf("error %v, want ErrInvalid", err)
			}
		}
	}
	if _, err := g.Likelihood(Data{Underivable: em.Skip}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("error %v, want ErrInvalid", err)
	}
	g.Theta = []float64{2}
	if _, err := g.Predictor(); !errors.Is(err, em.ErrParameter) {
		t.Errorf("error %v, want ErrParameter", err)
	}
}

// TestConcurrent: one predictor gives many goroutines what it gives one.
func TestConcurrent(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	g, err := New("A", randomRules(r), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	sentences := make([][]string, 40)
	for i := range sentences {
		for range 1 + r.IntN(7) {
			sentences[i] = append(sentences[i], []string{"x", "y"}[r.IntN(2)])
		}
	}
	ask := func(p *Predictor, words []string) string {
		logProb, err := p.LogProb(words)
		list, err2 := p.Posteriors(words)
		tree, best, err3 := p.Best(words)
		return fmt.Sprint(logProb, err, list, err2, tree, best, err3)
	}
	shared, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	want := make([]string, len(sentences))
	for i, words := range sentences {
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		want[i] = ask(p, words)
	}
	var group sync.WaitGroup
	for k := range 8 {
		group.Go(func() {
			for n := range sentences {
				i := (n + 5*k) % len(sentences)
				if got := ask(shared, sentences[i]); got != want[i] {
					t.Errorf("sentence %d: %s, want %s", i, got, want[i])
				}
			}
		})
	}
	group.Wait()
}
