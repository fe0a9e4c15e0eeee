package synchronous

import (
	"slices"
	"strings"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/forests"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/grammar/treebank"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// Derivation is a derivation of a pair of sentences.
type Derivation struct {
	Root           *Node
	Source, Target []string // the words of the two sentences
	Links          []Link   // pairs of words derived together, from left to right in the source
	LogProb        float64  // ln of the probability of the derivation, and of the paths of lattices

	brackets string
}

// String returns the derivation in the notation of Wu (1997): [a b] for two parts in the same order
// on both sides, ⟨a b⟩ for two in reverse order, x/y for words. The parts are in the order of the
// source.
func (d *Derivation) String() string { return d.brackets }

// Link is a word of the source and a word of the target, by index, that a rule derives together.
type Link struct{ Source, Target int }

// Node is the use of a rule, which derives the words in Source and Target.
type Node struct {
	Rule           int // its index in Grammar.Rules
	Symbol         string
	Source, Target treebank.Span
	Children       []*Node // the symbols of the rule, in the order of the source
}

// Predictor parses and translates with a grammar at fixed probabilities. It is safe for concurrent
// use.
type Predictor struct {
	g      *Grammar
	charts sync.Pool // of *deduction
	theta  []semiring.ScaledFloat
	values []semiring.ScaledFloat // by handle of the Space; NaN: not used by a rule
}

// Predictor returns a predictor with the current Theta. The error wraps em.ErrParameter for an
// invalid Theta.
func (g *Grammar) Predictor() (*Predictor, error) {
	if err := g.Params.Check(g.Theta); err != nil {
		return nil, nested.Errorf("synchronous: %w", err)
	}
	used := g.Params.Space().NewSubset()
	used.Add(g.weight...)
	theta := g.Params.Estimate(g.Theta)
	values, err := used.Evaluate(nil, theta, 1)
	if err != nil {
		return nil, nested.Errorf("synchronous: %w", err)
	}
	return &Predictor{g: g, charts: sync.Pool{New: func() any { return newDeduction(g) }}, theta: theta, values: values}, nil
}

// chart returns the chart of an example, its forest over a ring of probabilities, and a bound of
// the number of factors of a derivation.
func (p *Predictor) chart(x Example, ring semiring.Semiring[semiring.ScaledFloat]) (*forest.Chart[item, expr.W], *forest.Forest[semiring.ScaledFloat], int, error) {
	in, err := p.g.input(x)
	if err != nil {
		return nil, nil, 0, nested.Errorf("synchronous: %w", err)
	}
	d := p.charts.Get().(*deduction)
	defer p.charts.Put(d)
	c, err := d.run(in)
	if err != nil {
		return nil, nil, 0, nested.Errorf("synchronous: %w", err)
	}
	values, err := p.valuesOf(c.Forest.Weights())
	if err != nil {
		return nil, nil, 0, err
	}
	factors := 2 * (in.source.states + in.target.states)
	return c, forest.Map(c.Forest, ring, func(w expr.W) semiring.ScaledFloat { return values[w] }), factors, nil
}

// valuesOf returns values that include the expressions ws, which rules may not use.
func (p *Predictor) valuesOf(ws []expr.W) ([]semiring.ScaledFloat, error) {
	known := true
	for _, w := range ws {
		if int(w) >= len(p.values) {
			return nil, nested.Errorf("synchronous: %w: a lattice has weights that were made after the predictor: expand it before Grammar.Predictor", ErrInvalid)
		}
		known = known && !p.values[w].IsNaN()
	}
	if known {
		return p.values, nil
	}
	used := p.g.Params.Space().NewSubset()
	used.Add(ws...)
	values, err := used.Evaluate(nil, p.theta, 1)
	if err != nil {
		return nil, nested.Errorf("synchronous: a lattice: %w", err)
	}
	return values, nil
}

// LogProb returns ln of the probability of an example, the sum over derivations and over all
// sentences of an uncertain side. It is −Inf if there is no derivation. The error wraps ErrInvalid
// for an example with two unknown sides or more than MaxCells, semiring.ErrLimit for too large a
// forest, semiring.ErrDiverges, or the error of a lattice. It also wraps ErrInvalid for a lattice
// whose weights were created after the Predictor.
func (p *Predictor) LogProb(x Example) (float64, error) {
	_, f, factors, err := p.chart(x, semiring.Scaled{})
	if err != nil {
		return 0, err
	}
	total, err := forests.TreeSum(f)
	if err != nil {
		return 0, nested.Errorf("synchronous: %w", err)
	}
	return clamp.LogProb(total.Log(), factors), nil
}

// Best returns the most probable derivation of an example, including the words of an unknown side
// or a lattice. Errors are as for LogProb; if there is no derivation, the error wraps
// em.ErrUnderivable.
func (p *Predictor) Best(x Example) (*Derivation, error) {
	c, f, factors, err := p.chart(x, semiring.Viterbi{})
	if err != nil {
		return nil, err
	}
	best, err := forests.BestTree(f)
	switch {
	case err != nil:
		return nil, nested.Errorf("synchronous: %w", err)
	case best.Root < 0:
		return nil, nested.Errorf("synchronous: %w of the example", em.ErrUnderivable)
	}
	top := forest.Fold(f, best.Edges, func(e int32, below []*subtree) *subtree { return p.g.subtree(c, e, below) })
	d := &Derivation{Source: make([]string, top.source), Target: make([]string, top.target),
		LogProb: clamp.LogProb(best.Weight.Log(), factors), brackets: p.g.brackets(top)}
	d.Root = p.g.lay(top, 0, 0, d)[0]
	return d, nil
}

// Translate returns the target of the most probable derivation of a source. It need not be the most
// probable target, which may have many derivations. To translate from target to source, use Best
// with an Example whose Target is known. Errors are as for Best.
func (p *Predictor) Translate(source []string) ([]string, error) {
	d, err := p.Best(Example{Source: Words(source...)})
	if err != nil {
		return nil, err
	}
	return d.Target, nil
}

// subtree is the result of an edge of a derivation.
type subtree struct {
	rule           int32 // −1: a part of a rule
	words          pair  // of a leaf
	order          order
	source, target int // numbers of words
	below          []*subtree
}

// subtree returns the subtree of an edge. It is nil for words of lattices and their ends.
func (g *Grammar) subtree(c *forest.Chart[item, expr.W], e int32, below []*subtree) *subtree {
	head := c.Head(e)
	if head.kind == whole {
		return below[0]
	}
	if head.kind != derived {
		return nil
	}
	if p, ok := g.wordsOf[head.x]; ok {
		t := &subtree{rule: -1, words: p}
		if p.source != fst.Epsilon {
			t.source = 1
		}
		if p.target != fst.Epsilon {
			t.target = 1
		}
		return t
	}
	t := &subtree{rule: -1, below: slices.Clone(below)}
	if c.Rule(e) == ruleNames[inverted] {
		t.order = inverted
	}
	if i, ok := g.ruleOf[c.Forest.Weights()[e]]; ok {
		t.rule = i
	}
	for _, b := range below {
		t.source += b.source
		t.target += b.target
	}
	return t
}

// lay writes the words of t into d, starting at i and k, and returns the topmost uses of rules in
// it.
func (g *Grammar) lay(t *subtree, i, k int, d *Derivation) []*Node {
	if len(t.below) == 0 {
		if t.source > 0 {
			d.Source[i], _ = g.words.Name(t.words.source)
		}
		if t.target > 0 {
			d.Target[k], _ = g.words.Name(t.words.target)
		}
		if t.source > 0 && t.target > 0 {
			d.Links = append(d.Links, Link{i, k})
		}
		return nil
	}
	var nodes []*Node
	from, to := i, k
	if t.order == inverted {
		to += t.target
	}
	for _, b := range t.below {
		if t.order == inverted {
			to -= b.target
		}
		nodes = append(nodes, g.lay(b, from, to, d)...)
		from += b.source
		if t.order == straight {
			to += b.target
		}
	}
	if t.rule < 0 {
		return nodes
	}
	return []*Node{{Rule: int(t.rule), Symbol: g.rules[t.rule].Left, Children: nodes,
		Source: treebank.Span{I: i, J: i + t.source}, Target: treebank.Span{I: k, J: k + t.target}}}
}

// brackets returns t in the format of Derivation.String.
func (g *Grammar) brackets(t *subtree) string {
	var parts []string
	for _, b := range t.below {
		parts = append(parts, g.brackets(b))
	}
	switch {
	case len(parts) == 0:
		name := func(label int32) string {
			if label == fst.Epsilon {
				return "ε"
			}
			s, _ := g.words.Name(label)
			return s
		}
		return name(t.words.source) + "/" + name(t.words.target)
	case len(parts) == 1:
		return parts[0]
	case t.order == inverted:
		return "⟨" + strings.Join(parts, " ") + "⟩"
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// Phrase is a span of the source and a span of the target that a symbol derives, with probability
// P.
type Phrase struct {
	Symbol         string
	Source, Target treebank.Span
	P              float64
}

// Posteriors are expectations over the derivations of a pair of sentences.
type Posteriors struct {
	// Phrases hold the expected number of times that a symbol makes two spans: a probability
	// unless the symbol may become itself. Those of probability 0 are left out. Smaller
	// phrases come before those that are made of them.
	Phrases []Phrase
	// Links[i][k] is the probability that words i of the source and k of the target are
	// linked.
	Links [][]float64
}

// Posteriors returns the expectations of a pair of sentences. Errors are as for Best.
func (p *Predictor) Posteriors(source, target []string) (*Posteriors, error) {
	c, f, _, err := p.chart(Example{Source: Words(source...), Target: Words(target...)}, semiring.Scaled{})
	if err != nil {
		return nil, err
	}
	post, err := forests.Posteriors(f)
	switch {
	case err != nil:
		return nil, nested.Errorf("synchronous: %w", err)
	case post.Total.IsZero():
		return nil, nested.Errorf("synchronous: %w of the example", em.ErrUnderivable)
	}
	all := &Posteriors{Links: make([][]float64, len(source))}
	for i := range all.Links {
		all.Links[i] = make([]float64, len(target))
	}
	for v, x := range c.Items {
		switch {
		case x.kind != derived || post.Node[v] == 0:
		case int(x.x) < len(p.g.names):
			all.Phrases = append(all.Phrases, Phrase{p.g.names[x.x], treebank.Span{I: int(x.i), J: int(x.j)}, treebank.Span{I: int(x.k), J: int(x.l)}, post.Node[v]})
		case x.i < x.j && x.k < x.l && p.g.isPair(x.x):
			all.Links[x.i][x.k] += post.Node[v]
		}
	}
	for _, row := range all.Links {
		if err := clamp.Probabilities(row); err != nil {
			return nil, nested.Errorf("synchronous: %w", err)
		}
	}
	return all, nil
}

// isPair reports whether a symbol is a pair of words.
func (g *Grammar) isPair(x int32) bool { _, ok := g.wordsOf[x]; return ok }
