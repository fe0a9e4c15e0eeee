package synchronous

import (
	"context"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/grammar/treebank"
)

// translator is a grammar and its predictor.
type translator struct {
	*Grammar
	*Predictor
}

// bitext is a pair of sentences of up to 3 words.
type bitext struct {
	source, target []string
	weight         float64
}

func (x bitext) example() Example {
	return Example{Source: Words(x.source...), Target: Words(x.target...), Weight: em.Times(x.weight)}
}

// Phrases are numbered before links.
const (
	positions = 10 // more than there are in a sentence
	ofPhrases = 3 * positions * positions * positions * positions
)

func number(symbol string, s, t treebank.Span) int {
	return (((slices.Index(symbols, symbol)*positions+s.I)*positions+s.J)*positions+t.I)*positions + t.J
}

func numbers(phrases []Phrase, links []Link) (list []int) {
	for _, x := range phrases {
		list = append(list, number(x.Symbol, x.Source, x.Target))
	}
	for _, l := range links {
		list = append(list, ofPhrases+positions*l.Source+l.Target)
	}
	slices.Sort(list)
	return list
}

// phrases returns those of a derivation.
func phrases(n *Node) []Phrase {
	list := []Phrase{{n.Symbol, n.Source, n.Target, 0}}
	for _, c := range n.Children {
		list = append(list, phrases(c)...)
	}
	return list
}

func TestPromises(t *testing.T) {
	with := func(g *Grammar) *translator {
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		return &translator{g, p}
	}
	draw := func(rng *rand.Rand, _ *translator) bitext {
		return bitext{sentence(rng, sources, 3), sentence(rng, targets, 2), 1}
	}
	m := modeltest.Model[*translator, bitext]{
		New:     func(rng *rand.Rand) *translator { return with(random(rng, rng.IntN(2) == 0)) },
		Example: draw,
		Impossible: func(rng *rand.Rand, g *translator) bitext {
			x := draw(rng, g)
			x.source = append(x.source, "unheard")
			return x
		},
		Enumerate: func(g *translator, x bitext) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) {
				for _, f := range derivations(g.Rules(), x.source, x.target) {
					if !yield(numbers(f.phrases, f.links), f.p) {
						return
					}
				}
			}
		},
		LogProb: func(g *translator, x bitext) (float64, error) { return g.LogProb(x.example()) },
		Posteriors: func(g *translator, x bitext) ([]float64, error) {
			post, err := g.Posteriors(x.source, x.target)
			if err != nil {
				return nil, err
			}
			list := make([]float64, ofPhrases+positions*positions)
			for _, f := range post.Phrases {
				list[number(f.Symbol, f.Source, f.Target)] = f.P
			}
			for i, row := range post.Links {
				copy(list[ofPhrases+positions*i:], row)
			}
			return list, nil
		},
		Best: func(g *translator, x bitext) ([]int, float64, error) {
			d, err := g.Best(x.example())
			if err != nil {
				return nil, 0, err
			}
			return numbers(phrases(d.Root), d.Links), d.LogProb, nil
		},
		Likelihood: func(g *translator, data []bitext, policy em.Policy) (em.Likelihood, error) {
			return g.Likelihood(examples(data, policy))
		},
		Fit: func(ctx context.Context, g *translator, data []bitext, opts *em.Options) (*em.Result, error) {
			return g.Fit(ctx, examples(data, em.Fail), opts)
		},
		Theta: func(g *translator) []float64 { return g.Theta },
		Weigh: func(x bitext, weight float64) bitext { x.weight = weight; return x },
		Save:  func(g *translator, w io.Writer) error { return g.Save(w) },
		Load: func(r io.Reader) (*translator, error) {
			g, err := Load(r)
			if err != nil {
				return nil, err
			}
			return with(g), nil
		},
		Seeds: 40,
		Lacks: map[string]string{"Sample": "a predictor draws no derivations"},
	}
	m.Data = func(rng *rand.Rand, g *translator) bitext {
		for {
			x := draw(rng, g)
			if log, err := g.LogProb(x.example()); err == nil && !math.IsInf(log, -1) {
				return x
			}
		}
	}
	modeltest.Check(t, m)
}

func examples(data []bitext, policy em.Policy) Data {
	d := Data{Underivable: policy}
	for _, x := range data {
		d.Examples = append(d.Examples, x.example())
	}
	return d
}

// TestMessages: mistakes are refused in words that name the rule or the example.
func TestMessages(t *testing.T) {
	var all mistakes.List
	a := Pair("A", "x", "u")
	for _, x := range []struct {
		call  string
		rules []Rule
	}{
		{"no rules", nil},
		{"no rule of the start symbol", []Rule{Pair("B", "x", "u")}},
		{"nothing on both sides", []Rule{a, Pair("A", "", "")}},
		{"another symbol in the target", []Rule{a, Pair("B", "x", "u"), {Left: "A", Source: []string{"A"}, Target: []string{"B"}, Weight: 1}}},
		{"one symbol more in the source", []Rule{a, {Left: "A", Source: strings.Fields("A x A"), Target: strings.Fields("u A"), Weight: 1}}},
		{"the reverse order", []Rule{a, Pair("B", "x", "u"), {Left: "A", Source: strings.Fields("A B"), Target: strings.Fields("B A"), Weight: 1}}},
		{"a symbol that comes twice", []Rule{a, {Left: "A", Source: strings.Fields("A A"), Target: strings.Fields("A A"), Order: []int{1, 1}, Weight: 1}}},
		{"an order of one symbol more", []Rule{a, {Left: "A", Source: strings.Fields("A"), Target: strings.Fields("A u"), Order: []int{0, 1}, Weight: 1}}},
		{"an order that brackets cannot make", []Rule{a, {Left: "A", Source: strings.Fields("A A A A"), Target: strings.Fields("A A A A"), Order: []int{1, 3, 0, 2}, Weight: 1}}},
		{"an empty word", []Rule{{Left: "A", Source: []string{""}, Weight: 1}}},
		{"a rule twice", []Rule{a, a}},
		{"a negative weight", []Rule{{Left: "A", Source: []string{"x"}, Weight: -1}}},
		{"a weight that is not a number", []Rule{{Left: "A", Source: []string{"x"}, Weight: math.NaN()}}},
		{"weights that sum to 0", []Rule{{Left: "A", Source: []string{"x"}}}},
	} {
		all.Add("New: "+x.call, ErrInvalid, func() error { _, err := New("A", x.rules, em.Multinomial{}); return err })
	}
	g, err := New("A", []Rule{a, Straight("A", "A", "A")}, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	long := func(n int) Side { return Words(slices.Repeat([]string{"x"}, n)...) }
	for _, x := range []struct {
		call string
		Example
	}{
		{"nothing is known", Example{}},
		{"two sentences that are too long", Example{Source: long(22), Target: long(22)}},
		{"a sentence that is too long", Example{Source: long(1000)}},
	} {
		all.Add("LogProb: "+x.call, ErrInvalid, func() error { _, err := p.LogProb(x.Example); return err })
		all.Add("Best: "+x.call, ErrInvalid, func() error { _, err := p.Best(x.Example); return err })
		all.Add("Likelihood: "+x.call, ErrInvalid, func() error {
			_, err := g.Likelihood(Data{Examples: []Example{{Source: Words("x")}, x.Example}})
			return err
		})
	}
	all.Add("Translate: a word in no rule", em.ErrUnderivable, func() error { _, err := p.Translate([]string{"y"}); return err })
	all.Add("Likelihood: no examples", em.ErrInvalid, func() error { _, err := g.Likelihood(Data{}); return err })
	all.Add("Predictor: θ that sums to 2", em.ErrParameter, func() error {
		_, err := (&Grammar{Params: g.Params, Theta: []float64{2, 0}}).Predictor()
		return err
	})
	mistakes.Check(t, all)
}
