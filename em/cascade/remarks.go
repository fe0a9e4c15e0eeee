package cascade

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// remarkable is the tolerance for sums of constants that were written as decimal text.
const remarkable = 1e-3

// remarks returns a remark on each constant machine of a cascade whose weights are not
// probabilities.
func (c *cascade) remarks() []string {
	c.remarkOnce.Do(func() {
		for i, e := range c.tree.Edges {
			for n, m := range e.Machines {
				if fault := unnormalized(c.problem.Params.Space(), m); fault != "" {
					c.remarked = append(c.remarked, fmt.Sprintf("machine %d of %s has constant weights that are not probabilities: %s", n, c.tree.Edge(i), fault))
				}
			}
		}
	})
	return c.remarked
}

// withRemarks returns err with the remarks, which may explain it.
func (c *cascade) withRemarks(err error) error {
	if len(c.remarks()) == 0 {
		return err
	}
	return nested.Errorf("%w; %s", err, strings.Join(c.remarks(), "; "))
}

// unnormalized returns a description of the first sum that shows that the weights of a constant
// machine are not probabilities: of pairs, of outputs given the input, or of inputs given the
// output. It returns "" if they are, or if all weights are 0 and 1, as in a relation.
func unnormalized(space *expr.Space, f *fst.FST[expr.W]) string {
	g, ok := constants(space, f.Graph())
	if !ok || isRelation(g) {
		return ""
	}
	joint := markovCheckOf(g, remarkable)
	if joint.joint(); len(joint.report.Unbalanced) == 0 {
		return ""
	}
	if _, acyclic := g.TopologicalOrder(); acyclic {
		if z, err := graph.PathSum(g); err == nil && math.Abs(z-1) <= remarkable {
			return "" // such as a list of strings, weighted at their ends
		}
	}
	if slices.Equal(f.In(), f.Out()) {
		return joint.first("input", nil)
	}
	given := markovCheckOf(g, remarkable)
	given.conditional(f.In(), ownAlphabet)
	reverse := markovCheckOf(g, remarkable)
	reverse.conditional(f.Out(), ownAlphabet)
	switch pairs, in, out := len(joint.report.Unbalanced), len(given.report.Unbalanced), len(reverse.report.Unbalanced); {
	case in == 0 || out == 0:
		return ""
	case pairs < in && pairs < out:
		return joint.first("input", nil)
	case in <= out:
		return given.first("input", f.InSymbols())
	}
	return reverse.first("output", f.OutSymbols())
}

func ownAlphabet(own []int32) []int32 { return alphabet(slices.Clone(own)) }

// first returns a description of the first choice whose weights do not sum to 1.
func (c *markovCheck) first(side string, names *fst.Symbols) string {
	all := c.report.Unbalanced
	return fmt.Sprintf("the weights of %s sum to %.6g, want 1 (the first of %d)", all[0].at(side, names), all[0].Mass, len(all))
}

// constants returns g with its weights as numbers, or false if some are not constants.
func constants(space *expr.Space, g *graph.Graph[expr.W]) (*graph.Graph[float64], bool) {
	other := func(w expr.W) bool { _, ok := space.Constant(w); return !ok }
	if slices.ContainsFunc(g.Weights(), other) || slices.ContainsFunc(g.Finals(), other) ||
		slices.ContainsFunc(g.Starts(), func(s graph.Start[expr.W]) bool { return other(s.Weight) }) {
		return nil, false
	}
	return graph.Map(g, semiring.Real{}, func(w expr.W) float64 {
		value, _ := space.Constant(w)
		return value.Float64()
	}), true
}

// isRelation reports whether all weights of g are 0 or 1.
func isRelation(g *graph.Graph[float64]) bool {
	weighty := func(w float64) bool { return w != 0 && w != 1 }
	return !slices.ContainsFunc(g.Weights(), weighty) && !slices.ContainsFunc(g.Finals(), weighty) &&
		!slices.ContainsFunc(g.Starts(), func(s graph.Start[float64]) bool { return weighty(s.Weight) })
}
