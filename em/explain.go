package em

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// tooLarge returns err and, if the lattice of x has too many states or arcs, how many there
// are in those that it is the product of: the machines of each edge, composed with what is
// known of a tape that no other edge has, and what is known of the other tapes. Those of a
// single edge are told apart where they are composed last.
func (b *composer) tooLarge(x *Example, err error) error {
	if !errors.Is(err, semiring.ErrLimit) {
		return err
	}
	b.arena.Reset()
	f := factors{composer: b}
	p := b.of.problem
	if len(b.edges) == 1 {
		e := b.edges[0]
		from, to := b.side(b.sides[e.From]), b.side(b.sides[e.To])
		f.add(p.tape(e.From)+" and the first machine", from, e.Machines[:1], nil)
		if rest := e.Machines[1:]; len(rest) > 0 {
			f.add("the other machines and "+p.tape(e.To), nil, rest, to)
		} else if to != nil {
			f.add(p.tape(e.To), to, nil, nil)
		}
	} else {
		f.addTree()
	}
	if len(f.sizes) == 1 {
		return err
	}
	return fmt.Errorf("%w: the lattice is the product of %s", err, strings.Join(f.sizes, ", "))
}

// factors collects the sizes of what a lattice is the product of.
type factors struct {
	*composer
	sizes []string
}

// add adds left ∘ ms ∘ right.
func (f *factors) add(name string, left *fst.FST[expr.W], ms []*fst.FST[expr.W], right *fst.FST[expr.W]) {
	size := name + " with more" // or another error, of which there is one already
	if m, err := f.between(left, ms, right); err == nil {
		if g, err := f.arena.Expand(m, f.limit); err == nil {
			size = fmt.Sprintf("%s with %d states and %d arcs", name, g.NumStates(), g.NumArcs())
		}
	}
	f.sizes = append(f.sizes, size)
}

// addTree adds the factors of several edges.
func (f *factors) addTree() {
	edges := make([]int, len(f.sides)) // per tape
	for _, e := range f.edges {
		edges[e.From]++
		edges[e.To]++
	}
	p := f.of.problem
	for i, e := range f.edges {
		var left, right *fst.FST[expr.W]
		if edges[e.From] == 1 {
			left = f.side(f.sides[e.From])
		} else if edges[e.To] == 1 {
			right = f.side(f.sides[e.To])
		}
		f.add(p.edge(i), left, e.Machines, right)
	}
	for t, s := range f.sides {
		if edges[t] > 1 && !s.Absent() {
			f.add(p.tape(t), f.side(s), nil, nil)
		}
	}
}

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
