package grammar

import (
	"errors"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/forests"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// BestTrees returns the n best trees of a sentence of tags, or all if they are fewer, the most
// probable first. The trees are distinct and have positive probability; the first is as probable as
// the tree of Best. The order of equally probable trees depends only on the number of words and the
// kind of model. LogProb of a parse minus LogProb of the sentence is ln of the tree's probability
// given the tags. If the sentence has no tree, the list is empty and the error nil.
//
// The decoding must be MostProbable. The error wraps ErrInvalid for another decoding, for n < 1,
// and in the same cases as for Best. It takes the time and memory of the sentence's chart and, per
// tree, the time of forest.BestTrees.
func (p *Predictor) BestTrees(sentence []string, n int) ([]*Parse, error) {
	if p.decoding != MostProbable {
		return nil, nested.Errorf("grammar: %w: several trees of decoding %d, want MostProbable", ErrInvalid, p.decoding)
	}
	if n < 1 {
		return nil, nested.Errorf("grammar: %w: %d trees, want at least 1", ErrInvalid, n)
	}
	if len(sentence) < 2 { // it has only one tree
		best, err := p.Best(sentence)
		if errors.Is(err, em.ErrUnderivable) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []*Parse{best}, nil
	}
	w := p.pool.Get().(*worker)
	defer p.pool.Put(w)
	c, values, err := p.chart(w, sentence)
	if err != nil {
		return nil, err
	}
	trees, err := forests.BestTrees(forest.Map(c.forest, semiring.Viterbi{}, func(x expr.W) semiring.ScaledFloat { return values[x] }))
	if err != nil {
		return nil, nested.Errorf("grammar: %w", err)
	}
	var all []*Parse
	for t := range trees {
		if t.Weight.IsZero() {
			break
		}
		w.tree = w.tree[:0]
		for _, e := range t.Edges {
			w.tree = append(w.tree, int32(c.forest.Weights()[e]))
		}
		x, err := c.parse(w.tree, values, p.model.kind)
		if err != nil {
			return nil, err
		}
		if all = append(all, x); len(all) == n {
			break
		}
	}
	return all, nil
}
