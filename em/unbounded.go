package em

import (
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

var noValue = []error{semiring.ErrDiverges, semiring.ErrInaccurate}

// explain names the tapes that nothing bounds if that is the reason for err.
func (c *cascade) explain(i int, err error, p pass) error {
	if !isAny(err, noValue) {
		return err
	}
	for x, fault := range c.data.all() {
		if fault != nil {
			return err
		}
		if i == 0 {
			return c.blame(&x, err, p)
		}
		i--
	}
	return err
}

// blame returns err, which ended the sum of x, and the tapes that alone can be its reason.
func (c *cascade) blame(x *Example, err error, p pass) error {
	var names []string
	for t, s := range c.problem.sides(nil, x) {
		if !s.string && c.unbounded(x, t, p) {
			names = append(names, c.problem.tape(t))
		}
	}
	if len(names) == 0 {
		return err
	}
	return fmt.Errorf("%w; nothing bounds the sum over the strings of %s", err, strings.Join(names, " or "))
}

// unbounded reports whether x has no sum over the strings of a tape, but one over any
// finite set of them.
func (c *cascade) unbounded(x *Example, tape int, p pass) bool {
	b := c.maker().(*composer)
	f, _, err := b.marginal(x, tape, p)
	if err != nil {
		return false
	}
	if _, err := graph.PathSum(f.Graph()); !isAny(err, noValue) {
		return false
	}
	// Strings of a finite set go round no cycle that reads a label.
	g := f.Graph()
	weights := slices.Clone(g.Weights())
	component, _ := g.Components()
	for s := range int32(g.NumStates()) {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			if f.In()[e] != fst.Epsilon && component[s] == component[g.To()[e]] {
				weights[e] = semiring.ScaledFloat{}
			}
		}
	}
	f, err = f.WithWeights(weights, g.Starts(), g.Finals())
	if err != nil {
		return false
	}
	_, err = graph.PathSum(fst.Connect(f).Graph())
	return !isAny(err, noValue)
}
