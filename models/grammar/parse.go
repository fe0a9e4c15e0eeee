package grammar

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/clamp"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/grammar/treebank"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/batch"
	"example.org/pathsum/semiring/expr"
)

// Parse is the structure that a model finds in a sentence.
type Parse struct {
	// Spans are the constituents of two words or more of a binary tree, sorted.
	Spans []treebank.Span
	// Heads contains the index of each word's head, −1 for the root; nil in a CCM.
	Heads []int
	// LogProb is ln of the probability of the sentence and this structure
	// (see Model.Likelihood), in nats.
	LogProb float64
}

// Decoding selects the criterion for the best tree.
type Decoding int

const (
	// MostProbable is the tree of the greatest probability (Viterbi).
	MostProbable Decoding = iota
	// MostBrackets is the tree with the greatest expected number of correct constituents. For a
	// Product it is the most probable tree with these constituents, since constituents alone do not
	// determine heads. A DMV has no constituents of its own: its error wraps ErrInvalid.
	MostBrackets
	// MostHeads is the tree with the greatest expected number of words with the correct head,
	// including the root. It is not available for a CCM.
	MostHeads
)

// String returns the name of the decoding.
func (d Decoding) String() string {
	return named.One(d, "Decoding", "most probable", "most brackets", "most heads")
}

// Predictor parses sentences with a model at fixed parameters. It is safe for concurrent use.
type Predictor struct {
	model    *Model
	decoding Decoding
	values   values
	pool     sync.Pool // of *worker
}

// worker is the storage of a call.
type worker struct {
	scratch batch.Scratch
	args    []expr.W
	table   []semiring.ScaledFloat
	tree    []int32
}

// Predictor returns a parser with the current Theta and the given decoding. The error wraps
// em.ErrParameter for an invalid Theta, or ErrInvalid for a decoding that the model does not
// support.
func (m *Model) Predictor(d Decoding) (*Predictor, error) {
	if err := m.Params.Check(m.Theta); err != nil {
		return nil, nested.Errorf("grammar: %w", err)
	}
	if d < MostProbable || d > MostHeads || d == MostBrackets && !m.kind.hasContext() || d == MostHeads && !m.kind.hasHeads() {
		return nil, nested.Errorf("grammar: %w: decoding %d of a %v", ErrInvalid, d, m.kind)
	}
	p := &Predictor{model: m, decoding: d, values: values{space: m.Params.Space(), theta: m.Params.Estimate(m.Theta)}}
	p.pool.New = func() any { return new(worker) }
	return p, nil
}

// Best returns the best tree of a sentence of tags. The error wraps ErrInvalid if the
// sentence is empty or too long or has an unknown tag, and em.ErrUnderivable if it has no tree
// of positive probability.
func (p *Predictor) Best(sentence []string) (*Parse, error) {
	w := p.pool.Get().(*worker)
	defer p.pool.Put(w)
	c, values, err := p.chart(w, sentence)
	if err != nil {
		return nil, err
	}
	gains := values
	if p.decoding != MostProbable {
		if gains, err = p.gains(w, c, values); err != nil {
			return nil, nested.Errorf("grammar: %w", err)
		}
	}
	tree, total, err := c.batch.Best(0, gains, w.tree[:0], &w.scratch)
	w.tree = tree
	switch {
	case err != nil:
		return nil, nested.Errorf("grammar: %w", err)
	case total.IsZero():
		return nil, nested.Errorf("grammar: %w: no tree of the sentence has positive probability", em.ErrUnderivable)
	}
	if p.decoding == MostBrackets && p.model.kind.hasHeads() {
		if tree, _, err = c.batch.Best(0, c.within(tree, values), nil, &w.scratch); err != nil {
			return nil, nested.Errorf("grammar: %w", err)
		}
	}
	return c.parse(tree, values, p.model.kind)
}

// LogProb returns ln of the sum over the trees of a sentence, its term in Likelihood: of a DMV ln
// P(tags), of a CCM ln P(tags, all spans), of a Product ln of the sum of products. It is −Inf if no
// tree is possible. The error wraps ErrInvalid for a sentence that is empty or too long, or has an
// unknown tag.
func (p *Predictor) LogProb(sentence []string) (float64, error) {
	w := p.pool.Get().(*worker)
	defer p.pool.Put(w)
	c, values, err := p.chart(w, sentence)
	if err != nil {
		return 0, err
	}
	total, err := c.batch.Sum(0, values, &w.scratch)
	if err != nil {
		return 0, nested.Errorf("grammar: %w", err)
	}
	return clamp.LogProb(total.Log(), len(sentence)), nil
}

// chart returns the chart of a sentence, and the values of its expressions in the storage of w.
func (p *Predictor) chart(w *worker, sentence []string) (*chart, []semiring.ScaledFloat, error) {
	tags, err := p.model.tags.numbers(sentence)
	if err != nil {
		return nil, nil, nested.Errorf("grammar: %w", err)
	}
	c, err := p.model.charts.get(len(tags))
	if err != nil {
		return nil, nil, nested.Errorf("grammar: %w", err)
	}
	values, err := p.evaluate(w, c, tags)
	if err != nil {
		return nil, nil, nested.Errorf("grammar: %w", err)
	}
	return c, values, nil
}

// evaluate returns the values of the expressions of c in a sentence.
func (p *Predictor) evaluate(w *worker, c *chart, tags []int32) ([]semiring.ScaledFloat, error) {
	w.args = p.model.weights(w.args[:0], c.parts, tags)
	w.table = append(w.table[:0], semiring.ScaledFloat{}, semiring.NewScaled(1))
	numbers := p.values.upTo(slices.Max(w.args))
	for i, arg := range w.args {
		x := numbers[arg]
		if x.IsNaN() {
			return nil, fmt.Errorf("%w: the words %d to %d were never seen as a distituent, and there is no smoothing", ErrInvalid, c.parts[i].x+1, c.parts[i].y)
		}
		w.table = append(w.table, x)
	}
	var err error
	w.table, err = c.space.Evaluate(w.table, nil)
	return w.table, err
}

// gains returns, for each expression, e to the power of the expected gain of a tree that uses it.
func (p *Predictor) gains(w *worker, c *chart, values []semiring.ScaledFloat) ([]semiring.ScaledFloat, error) {
	count := make([]float64, len(values))
	if _, err := c.batch.Counts(0, values, 1, count, &w.scratch); err != nil {
		return nil, err
	}
	// The head is the same for attachments of a first and of a later argument.
	expected := map[part]float64{}
	gained := func(w expr.W) (part, bool) {
		x := c.says(w)
		x.adjacent = false
		return x, x.what != nothing && (x.what == yieldRatio) == (p.decoding == MostBrackets)
	}
	for w, n := range count {
		if x, ok := gained(expr.W(w)); ok {
			expected[x] += n
		}
	}
	gains := make([]semiring.ScaledFloat, len(values))
	for w := range gains {
		x, ok := gained(expr.W(w))
		switch {
		case values[w].IsZero():
		case ok:
			gains[w] = semiring.NewScaled(math.Exp(expected[x]))
		default:
			gains[w] = semiring.NewScaled(1)
		}
	}
	return gains, nil
}

// within returns the values with all constituents outside a tree made impossible. All trees are
// binary, so the remaining trees have the same constituents.
func (c *chart) within(tree []int32, values []semiring.ScaledFloat) []semiring.ScaledFloat {
	own := map[part]bool{}
	for _, w := range tree {
		own[c.says(expr.W(w))] = true
	}
	some := slices.Clone(values)
	for w := range some {
		if x := c.says(expr.W(w)); x.what == yieldRatio && !own[x] {
			some[w] = semiring.ScaledFloat{}
		}
	}
	return some
}

// parse returns the structure that the weights of a tree's edges stand for.
func (c *chart) parse(tree []int32, values []semiring.ScaledFloat, k Kind) (*Parse, error) {
	x, p := &Parse{Spans: []treebank.Span{}}, semiring.NewScaled(1)
	if k.hasHeads() {
		x.Heads = slices.Repeat([]int{-1}, c.n)
	}
	for _, w := range tree {
		p = p.Mul(values[w])
		switch says := c.says(expr.W(w)); says.what {
		case attach:
			x.Heads[says.y] = int(says.x)
		case yieldRatio:
			x.Spans = append(x.Spans, treebank.Span{I: int(says.x), J: int(says.y)})
		}
	}
	x.LogProb = clamp.LogProb(p.Log(), c.n)
	var err error
	switch {
	case k.hasHeads(): // spans are computed from the heads
		x.Spans, err = treebank.BinarySpans(x.Heads)
	case c.n > 1:
		x.Spans = append(x.Spans, treebank.Span{I: 0, J: c.n})
		slices.SortFunc(x.Spans, treebank.Span.Compare)
	}
	return x, err
}
