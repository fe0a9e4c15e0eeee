package synchronous

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/grammar/treebank"
)

// pattern is a node of a side of a rule of a transducer: a symbol, a word, or a label with nodes
// below.
type pattern struct {
	name  string
	state bool
	below []*pattern
}

// text returns the pattern as Pattern reads it.
func (p *pattern) text() string {
	if len(p.below) == 0 {
		return p.name
	}
	s := "(" + p.name
	for _, b := range p.below {
		s += " " + b.text()
	}
	return s + ")"
}

// filled returns the tree of a pattern with trees, in its order, in the place of states.
func (p *pattern) filled(trees []*treebank.Tree) (*treebank.Tree, []*treebank.Tree) {
	if p.state {
		return trees[0], trees[1:]
	}
	t := &treebank.Tree{Label: p.name}
	for _, b := range p.below {
		if !b.state && len(b.below) == 0 {
			t.Word = b.name
			continue
		}
		var c *treebank.Tree
		c, trees = b.filled(trees)
		t.Children = append(t.Children, c)
	}
	return t, trees
}

// states returns the states of a pattern.
func (p *pattern) states() (list []string) {
	if p.state {
		return []string{p.name}
	}
	for _, b := range p.below {
		list = append(list, b.states()...)
	}
	return list
}

// draw returns a pattern over states of a level, of one or two levels of nodes.
func draw(rng *rand.Rand, states []string, nested bool) *pattern {
	if len(states) == 0 {
		return &pattern{name: []string{"K", "L"}[rng.IntN(2)], below: []*pattern{{name: sources[rng.IntN(2)]}}}
	}
	p := &pattern{name: []string{"M", "N"}[rng.IntN(2)]}
	for n := range 1 + rng.IntN(3) {
		if nested && n < 2 && rng.IntN(4) == 0 {
			p.below = append(p.below, draw(rng, states, false))
			continue
		}
		p.below = append(p.below, &pattern{name: states[rng.IntN(len(states))], state: true})
	}
	return p
}

// made is a pair that a transducer makes.
type made struct {
	source, target *treebank.Tree
	words          []string
	p              float64
}

// transducer has rules by their states, each with both sides; targets of strings are words and
// symbols.
type transducer struct {
	rules  []Rule
	source []*pattern
	target []*pattern // nil: strings
}

// randomTransducer returns one of three levels of states, from q2 down to q0, which make finitely
// many pairs.
func randomTransducer(rng *rand.Rand, toTrees bool) *transducer {
	x := new(transducer)
	seen := map[string]bool{}
	for level, left := range [][]string{{"q0"}, {"q1"}, {"q2"}} {
		below := [][]string{nil, {"q0"}, {"q1", "q0"}}[level]
		for len(x.rules) < 2*(level+1) {
			s := draw(rng, below, level == 2)
			states := s.states()
			r := Rule{Left: left[0], Weight: .2 + rng.Float64()}
			for i := 0; i < 1 || !possible(r.Order); i++ {
				r.Order = rng.Perm(len(states))
			}
			other := make([]string, len(states))
			for n, i := range r.Order {
				other[n] = states[i]
			}
			r.Source, _ = Pattern(s.text())
			var t *pattern
			if toTrees {
				t = &pattern{name: "T"}
				for i, q := range other {
					leaf := &pattern{name: q, state: true}
					if i == 1 { // a level more
						leaf = &pattern{name: "U", below: []*pattern{leaf}}
					}
					t.below = append(t.below, leaf)
				}
				if len(other) == 0 {
					t.below = []*pattern{{name: targets[rng.IntN(2)]}}
				}
				r.Target, _ = Pattern(t.text())
			} else {
				r.Target = other
				for range rng.IntN(2) {
					r.Target = slices.Insert(slices.Clone(r.Target), rng.IntN(len(r.Target)+1), targets[rng.IntN(2)])
				}
			}
			if seen[fmt.Sprintf("%q %q %q", r.Left, r.Source, r.Target)] {
				continue
			}
			seen[fmt.Sprintf("%q %q %q", r.Left, r.Source, r.Target)] = true
			x.rules, x.source, x.target = append(x.rules, r), append(x.source, s), append(x.target, t)
		}
	}
	return x
}

// possible reports whether brackets make an order of up to six symbols.
func possible(order []int) bool {
	for a := range order {
		for b := a + 1; b < len(order); b++ {
			for c := b + 1; c < len(order); c++ {
				for d := c + 1; d < len(order); d++ {
					w, x, y, z := order[a], order[b], order[c], order[d]
					if y < w && w < z && z < x || x < z && z < w && w < y {
						return false
					}
				}
			}
		}
	}
	return true
}

// all returns what a state makes.
func (x *transducer) all(state string, weights []Rule) (list []made) {
	for n, r := range x.rules {
		if r.Left != state {
			continue
		}
		some := [][]made{nil} // what is below, in the order of the source
		for _, q := range x.source[n].states() {
			var next [][]made
			for _, b := range x.all(q, weights) {
				for _, s := range some {
					next = append(next, append(slices.Clone(s), b))
				}
			}
			some = next
		}
		for _, below := range some {
			m := made{p: weights[n].Weight}
			var trees, other []*treebank.Tree
			for i, b := range below {
				m.p *= b.p
				trees, other = append(trees, b.source), append(other, below[r.Order[i]].target)
			}
			m.source, _ = x.source[n].filled(trees)
			if x.target[n] != nil {
				m.target, _ = x.target[n].filled(other)
			} else {
				i := 0
				for _, w := range r.Target {
					if strings.HasPrefix(w, "q") {
						m.words = append(m.words, below[r.Order[i]].words...)
						i++
					} else {
						m.words = append(m.words, w)
					}
				}
			}
			list = append(list, m)
		}
	}
	return list
}

// TestTreeTransducers compares transducers of trees to strings, and to trees, with all pairs that
// they make, written down from the rules as trees: both sides known, and either.
func TestTreeTransducers(t *testing.T) {
	for seed := range trials.Seeds(10) {
		rng := rand.New(rand.NewPCG(seed, 9))
		toTrees := seed%2 == 0
		x := randomTransducer(rng, toTrees)
		g, err := New("q2", x.rules, em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := g.Predictor()
		if err != nil {
			t.Fatal(err)
		}
		list := x.all("q2", g.Rules())
		side := func(m made) Side {
			if toTrees {
				return Tree(m.target)
			}
			return Words(m.words...)
		}
		var data []Example
		total := 0.0
		sourceText, targetText := make([]string, len(list)), make([]string, len(list))
		for n, m := range list {
			total += m.p
			sourceText[n], targetText[n] = m.source.String(), side(m).String()
		}
		if !near(total, 1) {
			t.Fatalf("seed %d: all pairs have the probability %v", seed, total)
		}
		for range 8 {
			drawn := rng.IntN(len(list))
			m := list[drawn]
			both, source, target := 0.0, 0.0, 0.0
			best := 0.0
			for n, o := range list {
				a, b := sourceText[n] == sourceText[drawn], targetText[n] == targetText[drawn]
				if a {
					source += o.p
				}
				if b {
					target += o.p
				}
				if a && b {
					both, best = both+o.p, max(best, o.p)
				}
			}
			for _, y := range []struct {
				Example
				want float64
			}{
				{Example{Source: Tree(m.source), Target: side(m)}, both},
				{Example{Source: Tree(m.source)}, source},
				{Example{Target: side(m)}, target},
			} {
				got, err := p.LogProb(y.Example)
				if err != nil || !near(got, math.Log(y.want)) {
					t.Errorf("seed %d: ln P(%v / %v) is %v, %v, want %v", seed, y.Source, y.Target, got, err, math.Log(y.want))
				}
				data = append(data, y.Example)
			}
			d, err := p.Best(Example{Source: Tree(m.source), Target: side(m)})
			if err != nil || !near(d.LogProb, math.Log(best)) {
				t.Errorf("seed %d: the best of %v / %v is %v, %v, want ln P = %v", seed, m.source, side(m), d, err, math.Log(best))
			}
			d, err = p.Best(Example{Target: side(m)})
			if err != nil {
				t.Fatal(err)
			}
			if tree, err := ParseTree(d.Source); err != nil || !slices.Contains(sourceText, tree.String()) {
				t.Errorf("seed %d: the best source is %v, %v", seed, tree, err)
			}
		}
		l, err := g.Likelihood(Data{Examples: data})
		if err != nil {
			t.Fatal(err)
		}
		differences(t, l, g.Theta)
		r, err := g.Fit(context.Background(), Data{Examples: data}, nil)
		if err != nil {
			t.Fatal(err)
		}
		monotone(t, r)
	}
}

// A tree of twice as many nodes has a forest of about twice as many edges.
func TestTreesAreLinear(t *testing.T) {
	var rules []Rule
	for _, source := range []string{"(A S S)", "(B b)"} {
		words, err := Pattern(source)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, Rule{Left: "S", Source: words, Target: slices.DeleteFunc(slices.Clone(words), func(w string) bool { return class(w) > 0 }), Weight: 1})
	}
	g, err := New("S", rules, em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	edges := func(n int) float64 {
		tree := &treebank.Tree{Label: "B", Word: "b"}
		for range n {
			tree = &treebank.Tree{Label: "A", Children: []*treebank.Tree{tree, {Label: "B", Word: "b"}}}
		}
		in, err := g.input(Example{Source: Tree(tree)})
		if err != nil {
			t.Fatal(err)
		}
		c, err := newDeduction(g).run(in)
		if err != nil {
			t.Fatal(err)
		}
		return float64(c.Forest.NumEdges())
	}
	if small, large := edges(500), edges(1000); large > 2.01*small {
		t.Errorf("%v edges for 500 nodes and %v for 1000", small, large)
	}
}

func TestBrackets(t *testing.T) {
	got, err := Pattern("(VP V(NP the N))")
	if want := strings.Fields("(VP V (NP the N ) )"); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, text := range []string{"(A", "A)", ")A(", "(A (B c)"} {
		if _, err := Pattern(text); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: error %v", text, err)
		}
	}
	for _, text := range []string{"(A b)", "(S (A b) (C (D e)))", "( (A b))"} {
		words, err := Pattern(text)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := ParseTree(words)
		if err != nil || tree.String() != text || !slices.Equal(Tree(tree).words, words) {
			t.Errorf("%v, %v, want %s", tree, err, text)
		}
	}
	for _, text := range []string{"", "a", "(A b) (C d)", "(A b c)", "(A)", "(A b (C d))", "(A (C d) b)", "(A b"} {
		if tree, err := ParseTree(strings.Fields(strings.ReplaceAll(text, ")", " )"))); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v, error %v", text, tree, err)
		}
	}
	g := random(rand.New(rand.NewPCG(1, 1)), false)
	p, err := g.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range []*treebank.Tree{{}, {Label: "A", Word: "(b"}, {Label: "A B", Word: "c"}, {Label: "A", Word: "b", Children: []*treebank.Tree{{Label: "C", Word: "d"}}}} {
		if _, err := p.LogProb(Example{Source: Tree(tree)}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%v: error %v", tree, err)
		}
	}
}
