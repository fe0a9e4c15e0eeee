package linegrammar

import (
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Definitions for tests with the grammars of examples/normalize.
const (
	End     = end
	Longest = longest
	Kind    = kindGroup
)

// Kinds returns the kinds of tokens, and the model with marks of them on its input.
func (g *Grammar) Kinds() ([]string, *fst.FST[expr.W], error) {
	probabilities, kinds := g.kinds()
	m, err := marked(g.Params.Space(), g.Model, probabilities, fst.Input)
	return kinds, m, err
}

// Trainable returns the model with marks if there are contexts.
func (g *Grammar) Trainable() *fst.FST[expr.W] { return g.trainable }

// Strengths returns the strengths in theta of words before and after tokens.
func (g *Grammar) Strengths(theta []float64) (before, after []float64) {
	return g.contexts.before.In(theta), g.contexts.after.In(theta)
}

// Marks returns a line with marks, with their probabilities at theta.
func (g *Grammar) Marks(theta []float64, line string) (*fst.FST[float64], error) {
	w := weights[float64]{ring: semiring.Real{}}
	for i, x := range g.contexts.before.In(theta) {
		w.before = append(w.before, math.Exp(x))
		w.after = append(w.after, math.Exp(g.contexts.after.In(theta)[i]))
	}
	return marks(g.contexts, w, g.Encode(line))
}

// Likelihood returns the objective of training.
func (g *Grammar) Likelihood(examples []Example) (em.Likelihood, error) {
	return g.likelihood(examples)
}
