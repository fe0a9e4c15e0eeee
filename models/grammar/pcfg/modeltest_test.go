package pcfg

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/grammar/treebank"
)

// parser is a grammar and its predictor.
type parser struct {
	*Grammar
	*Predictor
}

// number returns that of a constituent of a sentence of up to 4 words.
func number(c Constituent) int {
	return 25*slices.Index([]string{"A", "B", "C"}, c.Symbol) + 5*c.I + c.J
}

// numbers returns the numbers of the constituents of a tree over the words from i on, and the
// position after it. Words that are leaves by themselves are none.
func numbers(t *treebank.Tree, i int) (list []int, j int) {
	if t.Label != "A" && t.Label != "B" && t.Label != "C" {
		return nil, i + 1
	}
	j = i + 1
	if len(t.Children) > 0 {
		j = i
	}
	for _, c := range t.Children {
		var below []int
		below, j = numbers(c, j)
		list = append(list, below...)
	}
	return append([]int{number(Constituent{Symbol: t.Label, Span: treebank.Span{I: i, J: j}})}, list...), j
}

func said(rng *rand.Rand) []string {
	words := make([]string, 1+rng.IntN(4))
	for i := range words {
		words[i] = []string{"x", "y"}[rng.IntN(2)]
	}
	return words
}

func TestPromises(t *testing.T) {
	const noFile = "a grammar is its rules, which Rules returns"
	m := modeltest.Model[*parser, []string]{
		New: func(rng *rand.Rand) *parser {
			g, err := New("A", randomRules(rng), em.Multinomial{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := g.Predictor()
			if err != nil {
				t.Fatal(err)
			}
			return &parser{g, p}
		},
		Example:    func(rng *rand.Rand, _ *parser) []string { return said(rng) },
		Impossible: func(rng *rand.Rand, _ *parser) []string { return append(said(rng), "z") },
		Enumerate: func(g *parser, words []string) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) {
				for _, d := range derivations(g.Rules(), "A", words, 0, len(words)) {
					list := make([]int, len(d.of))
					for i, c := range d.of {
						list[i] = number(c)
					}
					if !yield(list, d.p) {
						return
					}
				}
			}
		},
		LogProb: func(g *parser, words []string) (float64, error) { return g.LogProb(words) },
		Posteriors: func(g *parser, words []string) ([]float64, error) {
			found, err := g.Posteriors(words)
			list := make([]float64, 3*25)
			for _, c := range found {
				list[number(c)] = c.P
			}
			return list, err
		},
		Best: func(g *parser, words []string) ([]int, float64, error) {
			tree, log, err := g.Best(words)
			if err != nil {
				return nil, 0, err
			}
			list, _ := numbers(tree, 0)
			return list, log, nil
		},
		Likelihood: func(g *parser, data [][]string, policy em.Policy) (em.Likelihood, error) {
			return g.Likelihood(Data{Sentences: data, Underivable: policy})
		},
		Fit: func(ctx context.Context, g *parser, data [][]string, opts *em.Options) (*em.Result, error) {
			return g.Fit(ctx, Data{Sentences: data}, opts)
		},
		Theta: func(g *parser) []float64 { return g.Theta },
		Seeds: 40,
		Lacks: map[string]string{
			"Sample": "a predictor draws no sentences", "Weigh": "sentences have no weights",
			"Save": noFile, "Load": noFile,
		},
	}
	m.Data = func(rng *rand.Rand, g *parser) []string {
		for {
			words := said(rng)
			if log, err := g.LogProb(words); err == nil && !math.IsInf(log, -1) {
				return words
			}
		}
	}
	modeltest.Check(t, m)
}

// TestMessages: mistakes are refused in words that name the rule or the sentence.
func TestMessages(t *testing.T) {
	var all mistakes.List
	ab := func(left string, right ...string) Rule { return Rule{left, right, 1} }
	for _, x := range []struct {
		call  string
		rules []Rule
	}{
		{"no rules", nil},
		{"no rule of the start symbol", []Rule{ab("B", "x")}},
		{"nothing on the right", []Rule{ab("A")}},
		{"three symbols on the right", []Rule{ab("A", "x"), ab("A", "x", "y", "z")}},
		{"a rule twice", []Rule{ab("A", "x"), ab("A", "x")}},
		{"a negative weight", []Rule{{"A", []string{"x"}, -1}}},
		{"a weight that is not a number", []Rule{{"A", []string{"x"}, math.NaN()}}},
		{"weights that sum to 0", []Rule{{"A", []string{"x"}, 0}}},
	} {
		all.Add("New: "+x.call, ErrInvalid, func() error { _, err := New("A", x.rules, em.Multinomial{}); return err })
	}
	g, err := New("A", []Rule{ab("A", "x")}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		call  string
		words []string
	}{{"an empty sentence", nil}, {"a sentence that is too long", make([]string, MaxWords+1)}} {
		all.Add("LogProb: "+x.call, ErrInvalid, func() error { _, err := p.LogProb(x.words); return err })
		all.Add("Best: "+x.call, ErrInvalid, func() error { _, _, err := p.Best(x.words); return err })
		all.Add("Posteriors: "+x.call, ErrInvalid, func() error { _, err := p.Posteriors(x.words); return err })
		all.Add("Likelihood: "+x.call, ErrInvalid, func() error { _, err := g.Likelihood(Data{Sentences: [][]string{{"x"}, x.words}}); return err })
	}
	all.Add("Likelihood: no sentences", em.ErrInvalid, func() error { _, err := g.Likelihood(Data{}); return err })
	all.Add("Predictor: θ that sums to 2", em.ErrParameter, func() error {
		_, err := (&Grammar{Params: g.Params, Theta: []float64{2}}).Predictor()
		return err
	})
	mistakes.Check(t, all)
}
