package pcfg

import (
	"fmt"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/forests"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/grammar/treebank"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// MaxWords is the length of the longest sentence.
const MaxWords = 1000

// cell is the item “symbol x derives the words i … j−1”; x is −1 for an unknown word.
type cell struct {
	x    int32
	i, j int16
}

// deduction makes charts sentence by sentence.
type deduction struct {
	g *Grammar
	*forest.Deduction[cell, expr.W]
}

func newDeduction(g *Grammar) *deduction {
	d := &deduction{g, forest.NewDeduction[cell](g.Params.Space())}
	d.Rule("unary", func(a cell) {
		for _, p := range g.unary[a.x] {
			d.Derive(cell{p.left, a.i, a.j}, p.weight, a)
		}
	})
	forest.Join(d.Deduction, "binary",
		func(a cell) (int16, bool) { return a.j, true },
		func(b cell) (int16, bool) { return b.i, true },
		func(a, b cell) {
			for _, p := range g.binary[[2]int32{a.x, b.x}] {
				d.Derive(cell{p.left, a.i, b.j}, p.weight, a, b)
			}
		})
	return d
}

// run returns the chart of a sentence.
func (d *deduction) run(words []string) (*forest.Chart[cell, expr.W], error) {
	if n := len(words); n < 1 || n > MaxWords {
		return nil, fmt.Errorf("%w: %d words, want 1 to %d", ErrInvalid, n, MaxWords)
	}
	for i, w := range words {
		x, ok := d.g.number[w]
		if !ok || !d.g.word[x] {
			x = -1
		}
		d.Derive(cell{x, int16(i), int16(i + 1)}, expr.One)
	}
	return d.Run(cell{d.g.start, 0, int16(len(words))})
}

// Predictor parses sentences with a grammar at fixed probabilities. It is safe for concurrent use.
type Predictor struct {
	g      *Grammar
	charts sync.Pool // of *deduction
	theta  []semiring.ScaledFloat
	values []semiring.ScaledFloat // by handle of the Space; NaN: not used by a rule
}

// Predictor returns a parser with the current Theta. The error wraps em.ErrParameter for an invalid
// Theta.
func (g *Grammar) Predictor() (*Predictor, error) {
	if err := g.Params.Check(g.Theta); err != nil {
		return nil, nested.Errorf("pcfg: %w", err)
	}
	used := g.Params.Space().NewSubset()
	used.Add(g.weight...)
	theta := g.Params.Estimate(g.Theta)
	values, err := used.Evaluate(nil, theta, 1)
	if err != nil {
		return nil, nested.Errorf("pcfg: %w", err)
	}
	return &Predictor{g: g, charts: sync.Pool{New: func() any { return newDeduction(g) }}, theta: theta, values: values}, nil
}

// chart returns the chart of a sentence and its forest over a ring of probabilities.
func (p *Predictor) chart(words []string, ring semiring.Semiring[semiring.ScaledFloat]) (*forest.Chart[cell, expr.W], *forest.Forest[semiring.ScaledFloat], error) {
	d := p.charts.Get().(*deduction)
	defer p.charts.Put(d)
	c, err := d.run(words)
	if err != nil {
		return nil, nil, nested.Errorf("pcfg: %w", err)
	}
	return c, forest.Map(c.Forest, ring, func(w expr.W) semiring.ScaledFloat { return p.values[w] }), nil
}

// LogProb returns ln of the probability of a sentence, −Inf if it has no derivation. The error
// wraps ErrInvalid for an empty or too long sentence.
func (p *Predictor) LogProb(words []string) (float64, error) {
	_, f, err := p.chart(words, semiring.Scaled{})
	if err != nil {
		return 0, err
	}
	total, err := forests.TreeSum(f)
	if err != nil {
		return 0, nested.Errorf("pcfg: %w", err)
	}
	return clamp.LogProb(total.Log(), len(words)), nil
}

// Best returns the most probable derivation of a sentence, and ln of its probability. A symbol
// rewritten as a word is the tag of a leaf; other words are leaves with themselves as the tag. The
// error wraps ErrInvalid, or em.ErrUnderivable if there is no derivation.
func (p *Predictor) Best(words []string) (*treebank.Tree, float64, error) {
	c, f, err := p.chart(words, semiring.Viterbi{})
	if err != nil {
		return nil, 0, err
	}
	best, err := forests.BestTree(f)
	if err != nil {
		return nil, 0, nested.Errorf("pcfg: %w", err)
	}
	if best.Root < 0 {
		return nil, 0, nested.Errorf("pcfg: %w of the sentence", em.ErrUnderivable)
	}
	tree := forest.Fold(f, best.Edges, func(e int32, below []*treebank.Tree) *treebank.Tree {
		head := c.Head(e)
		name := p.g.names[head.x]
		switch {
		case len(below) == 0:
			return &treebank.Tree{Label: name, Word: name}
		case len(below) == 1 && p.g.word[c.Items[f.Tails(e)[0]].x]:
			return &treebank.Tree{Label: name, Word: below[0].Word}
		}
		return &treebank.Tree{Label: name, Children: append([]*treebank.Tree(nil), below...)}
	})
	return tree, clamp.LogProb(best.Weight.Log(), len(words)), nil
}

// valuesOf returns values that include the expressions ws, which rules may not use.
func (p *Predictor) valuesOf(ws []expr.W) ([]semiring.ScaledFloat, error) {
	if !slices.ContainsFunc(ws, func(w expr.W) bool { return p.values[w].IsNaN() }) {
		return p.values, nil
	}
	used := p.g.Params.Space().NewSubset()
	used.Add(ws...)
	return used.Evaluate(nil, p.theta, 1)
}

// Decode returns the most probable path of a lattice (see Data) with its derivation, whose leaves
// are the words of the path, and ln of the probability of both. The error wraps ErrInvalid, or
// em.ErrUnderivable if there is no derivation, or comes from a lattice that could not be made or
// from cfg.Grammar.Parse. It also wraps ErrInvalid for a lattice whose weights were created after
// the Predictor; a lazy lattice creates its weights when it is expanded.
func (p *Predictor) Decode(lattice cascade.Stage) (*treebank.Tree, float64, error) {
	f, err := frozen(lattice)
	if err != nil {
		return nil, 0, nested.Errorf("pcfg: %w", err)
	}
	c, err := p.g.network.Parse(f, nil)
	if err != nil {
		return nil, 0, nested.Errorf("pcfg: %w", err)
	}
	for _, w := range c.Forest.Weights() {
		if int(w) >= len(p.values) {
			return nil, 0, nested.Errorf("pcfg: %w: the lattice has weights that were made after the predictor: expand it before Grammar.Predictor", ErrInvalid)
		}
	}
	values, err := p.valuesOf(c.Forest.Weights())
	if err != nil {
		return nil, 0, nested.Errorf("pcfg: the lattice: %w", err)
	}
	best, err := forests.BestTree(forest.Map(c.Forest, semiring.Viterbi{}, func(w expr.W) semiring.ScaledFloat { return values[w] }))
	switch {
	case err != nil:
		return nil, 0, nested.Errorf("pcfg: %w", err)
	case best.Root < 0:
		return nil, 0, nested.Errorf("pcfg: %w of the lattice", em.ErrUnderivable)
	}
	return p.bracket(c.Tree(best.Edges)), clamp.LogProb(best.Weight.Log(), len(best.Edges)), nil
}

// bracket returns a derivation in the form of Best.
func (p *Predictor) bracket(n *cfg.Node) *treebank.Tree {
	name := p.g.names[n.Label-1]
	switch {
	case n.Terminal:
		return &treebank.Tree{Label: name, Word: name}
	case len(n.Children) == 1 && n.Children[0].Terminal:
		return &treebank.Tree{Label: name, Word: p.g.names[n.Children[0].Label-1]}
	}
	t := &treebank.Tree{Label: name}
	for _, c := range n.Children {
		t.Children = append(t.Children, p.bracket(c))
	}
	return t
}

// Constituent is the probability that a symbol derives a span of a sentence.
type Constituent struct {
	Symbol string
	treebank.Span
	P float64
}

// Posteriors returns, for all symbols and spans of a sentence, the expected number of times that
// the symbol derives the span in a random derivation: a probability unless the symbol may derive
// itself. Constituents of probability 0 are left out; children come before their parents. Errors
// are as for Best.
func (p *Predictor) Posteriors(words []string) ([]Constituent, error) {
	c, f, err := p.chart(words, semiring.Scaled{})
	if err != nil {
		return nil, err
	}
	post, err := forests.Posteriors(f)
	if err != nil {
		return nil, nested.Errorf("pcfg: %w", err)
	}
	if post.Total.IsZero() {
		return nil, nested.Errorf("pcfg: %w of the sentence", em.ErrUnderivable)
	}
	var list []Constituent
	for v, x := range c.Items {
		if post.Node[v] > 0 && !p.g.word[x.x] {
			list = append(list, Constituent{p.g.names[x.x], treebank.Span{I: int(x.i), J: int(x.j)}, post.Node[v]})
		}
	}
	return list, nil
}
