package forest_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

// A symbol is a nonterminal 0, 1, …, of which 0 is the start symbol, or the terminal w as
// −1−w.
type symbol int32

// production rewrites a nonterminal as one or more symbols.
type production struct {
	child []symbol
	p     float64
}

// cfg is a grammar by nonterminal.
type cfg [][]production

// earley is an item. Wanted: x is wanted from i on. Active: of the rule-th production
// of x the first dot children derive the words i … j−1. Complete: x does.
// Prefix: x derives something that begins with the words from i on.
type earley struct {
	kind      kind
	x         symbol
	rule, dot int32
	i, j      int32
}

type kind uint8

const (
	wanted kind = iota
	active
	complete
	prefix
)

// next returns the symbol after the dot, false at the end.
func (g cfg) next(a earley) (symbol, bool) {
	child := g[a.x][a.rule].child
	if int(a.dot) == len(child) {
		return 0, false
	}
	return child[a.dot], true
}

// earley returns Earley's algorithm for a sentence.
func (g cfg) earley(words []int) *forest.Deduction[earley, float64] {
	d := forest.NewDeduction[earley](semiring.Real{})
	reads := func(s symbol, j int32) bool { return int(j) < len(words) && s == symbol(-1-words[j]) }
	d.Rule("predict", func(a earley) {
		if a.kind == wanted { // a side condition: however often x is wanted, it costs p once
			for r, rule := range g[a.x] {
				d.Derive(earley{active, a.x, int32(r), 0, a.i, a.i}, rule.p)
			}
		}
	})
	d.Rule("advance", func(a earley) {
		if a.kind != active {
			return
		}
		switch next, ok := g.next(a); {
		case !ok:
			d.Derive(earley{kind: complete, x: a.x, i: a.i, j: a.j}, 1, a)
		case next >= 0:
			d.Derive(earley{kind: wanted, x: next, i: a.j}, 1)
		case reads(next, a.j):
			d.Derive(earley{active, a.x, a.rule, a.dot + 1, a.i, a.j + 1}, 1, a)
		}
	})
	type need struct {
		x symbol
		i int32
	}
	forest.Join(d, "complete",
		func(a earley) (need, bool) {
			if a.kind != active {
				return need{}, false
			}
			next, ok := g.next(a)
			return need{next, a.j}, ok
		},
		func(b earley) (need, bool) { return need{b.x, b.i}, b.kind == complete },
		func(a, b earley) { d.Derive(earley{active, a.x, a.rule, a.dot + 1, a.i, b.j}, 1, a, b) })
	d.Rule("prefix", func(a earley) {
		if a.kind != active {
			return
		}
		switch next, ok := g.next(a); {
		case !ok:
		case next >= 0:
			d.Derive(earley{kind: prefix, x: a.x, i: a.i}, 1, a, earley{kind: prefix, x: next, i: a.j})
		case int(a.j) == len(words)-1 && reads(next, a.j):
			d.Derive(earley{kind: prefix, x: a.x, i: a.i}, 1, a)
		}
	})
	d.Derive(earley{kind: wanted, x: 0, i: 0}, 1)
	return d
}

// randomCFG returns a grammar without cycles of unary productions. If it is stratified,
// all nonterminals among the children of a nonterminal are larger.
func randomCFG(r *rand.Rand, nonterminals, terminals int, stratified bool) cfg {
	g := make(cfg, nonterminals)
	rules, longest := 5, 4
	if stratified {
		rules, longest = 3, 3
	}
	for x := range g {
		left := 1.
		for range 1 + r.IntN(rules) {
			rule := production{p: left * r.Float64()}
			left -= rule.p
			arity := 1 + r.IntN(longest)
			for range arity {
				smallest := 0
				if stratified || arity == 1 {
					smallest = x + 1
				}
				if smallest == nonterminals || r.IntN(2) == 0 {
					rule.child = append(rule.child, symbol(-1-r.IntN(terminals)))
				} else {
					rule.child = append(rule.child, symbol(smallest+r.IntN(nonterminals-smallest)))
				}
			}
			g[x] = append(g[x], rule)
		}
		g[x][0].p += left
	}
	return g
}

// binarized returns an equivalent grammar of at most binary rules.
func (g cfg) binarized(terminals int) *cnf {
	n := len(g) + terminals // a nonterminal for every terminal; then those for rests of rules
	for _, rules := range g {
		for _, r := range rules {
			n += len(r.child)
		}
	}
	b := newCNF(n, terminals)
	of := func(s symbol) int {
		if s < 0 {
			return len(g) - 1 - int(s)
		}
		return int(s)
	}
	for w := range terminals {
		b.lexical[len(g)+w][w] = 1
	}
	fresh := len(g) + terminals
	for x, rules := range g {
		for _, r := range rules {
			parent, p := int32(x), r.p
			for len(r.child) > 2 {
				b.binary[of(r.child[0])][fresh] = append(b.binary[of(r.child[0])][fresh], rewrite{parent, p})
				parent, p = int32(fresh), 1
				r.child = r.child[1:]
				fresh++
			}
			first := of(r.child[0])
			if len(r.child) == 1 {
				b.unary[first] = append(b.unary[first], rewrite{parent, p})
				continue
			}
			second := of(r.child[1])
			b.binary[first][second] = append(b.binary[first][second], rewrite{parent, p})
		}
	}
	return b
}

// Earley's algorithm against the CKY loops of the binarized grammar.
func TestDeductionEarley(t *testing.T) {
	parsed := 0
	for seed := range trials.Seeds(1000) {
		r := graphtest.Rand(seed)
		terminals := 1 + r.IntN(2)
		g := randomCFG(r, 1+r.IntN(4), terminals, false)
		words := sentence(r, 1+r.IntN(6), terminals)
		goal := earley{kind: complete, x: 0, i: 0, j: int32(len(words))}
		c, err := g.earley(words).Run(goal)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		in := g.binarized(terminals).inside(words)
		want := in[0][len(words)][0]
		if got := must(forest.TreeSum(c.Forest)); !agrees(got, want) {
			t.Fatalf("seed %d: total %v, want %v", seed, got, want)
		}
		if want != 0 {
			parsed++
		}
		for v, got := range must(forest.Inside(c.Forest)) {
			if item := c.Items[v]; item.kind == complete && !agrees(got, in[item.i][item.j][item.x]) {
				t.Fatalf("seed %d: %+v has the probability %v, want %v", seed, item, got, in[item.i][item.j][item.x])
			}
		}
	}
	if parsed < 200 {
		t.Errorf("only %d sentences parsed", parsed)
	}
}

// Prefix probabilities against the whole language of a grammar that has a finite one.
func TestDeductionPrefix(t *testing.T) {
	tested := 0
	for seed := range trials.Seeds(500) {
		r := graphtest.Rand(seed)
		g := randomCFG(r, 1+r.IntN(4), 2, true)
		language := g.language()
		words := sentence(r, 1+r.IntN(5), 2)
		c, err := g.earley(words).Run(earley{kind: prefix, x: 0, i: 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want, sum := 0., 0.
		for s, p := range language {
			sum += p
			if strings.HasPrefix(s, letters(words)) {
				want += p
			}
		}
		if !agrees(sum, 1) {
			t.Fatalf("seed %d: the language has the probability %v", seed, sum)
		}
		if got := must(forest.TreeSum(c.Forest)); !agrees(got, want) {
			t.Fatalf("seed %d: prefix %v of probability %v, want %v", seed, words, got, want)
		}
		if want != 0 {
			tested++
		}
	}
	if tested < 100 {
		t.Errorf("only %d prefixes of something", tested)
	}
}

// The prefix of a left-recursive nonterminal depends on itself: its sum is that of a
// geometric series, over how often S is predicted within S.
func TestDeductionLeftRecursion(t *testing.T) {
	g := cfg{{{[]symbol{0, -1}, .5}, {[]symbol{-1}, .5}}} // S → S a | a
	c, err := g.earley([]int{0, 0}).Run(earley{kind: prefix})
	if err != nil {
		t.Fatal(err)
	}
	if got := must(forest.TreeSum(c.Forest)); !c.Forest.Cyclic() || !near(got, .5) {
		t.Errorf("strings that begin with aa have the probability %v, want .5", got)
	}
	c, err = g.earley([]int{0, 0}).Run(earley{kind: complete, j: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := must(forest.TreeSum(c.Forest)); got != .25 {
		t.Errorf("total %v, want .25", got)
	}
}

func letters(words []int) string {
	var s strings.Builder
	for _, w := range words {
		s.WriteByte('a' + byte(w))
	}
	return s.String()
}

// language returns the probability of every string of a stratified grammar.
func (g cfg) language() map[string]float64 {
	of := make([]map[string]float64, len(g))
	for x := len(g) - 1; x >= 0; x-- {
		of[x] = make(map[string]float64)
		for _, rule := range g[x] {
			sofar := map[string]float64{"": rule.p}
			for _, s := range rule.child {
				child := map[string]float64{letters([]int{int(-1 - s)}): 1}
				if s >= 0 {
					child = of[s]
				}
				longer := make(map[string]float64)
				for a, p := range sofar {
					for b, q := range child {
						longer[a+b] += p * q
					}
				}
				sofar = longer
			}
			for s, p := range sofar {
				of[x][s] += p
			}
		}
	}
	return of[0]
}
