package tapes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// between returns left ∘ T₁ ∘ … ∘ Tₙ ∘ right. An end may be nil, unknown. All
// machines but the first are composed with right first, which restricts them, so that these
// products are small. The composition of left and the first machine is then composed lazily with
// the product, so that only states that both allow are visited. If right is the larger end and no
// string, everything is composed lazily from the left.
func (c *Composer) between(left *fst.FST[expr.W], ms []*fst.FST[expr.W], right *fst.FST[expr.W]) (fst.Machine[expr.W], error) {
	all := c.chain[:0]
	if left != nil {
		all = append(all, left)
	}
	head := len(all) + 1
	for _, m := range ms {
		all = append(all, m)
	}
	if right != nil {
		all = append(all, right)
	}
	c.chain = all
	if right == nil || left != nil && right.NumArcs() >= right.NumStates() && states(right) > states(left) {
		return c.left(all), nil
	}
	var product fst.Machine[expr.W] = right
	for _, m := range slices.Backward(all[head : len(all)-1]) {
		var err error
		if product, err = c.compose(m, product); err != nil {
			return nil, err
		}
	}
	return c.arena.Compose(c.left(all[:head]), product), nil
}

// compose returns l ∘ r, expanded.
func (c *Composer) compose(l, r fst.Machine[expr.W]) (*fst.FST[expr.W], error) {
	return c.arena.Expand(c.arena.Compose(l, r), &c.within)
}

// left composes ms lazily from the left.
func (c *Composer) left(ms []fst.Machine[expr.W]) fst.Machine[expr.W] {
	m := ms[0]
	for _, next := range ms[1:] {
		m = c.arena.Compose(m, next)
	}
	return m
}

// Explain returns err, the error of the last Lattice or Given. If err reports too many states or
// arcs, Explain adds the sizes of the factors of the lattice: the machines of each edge, composed
// with the acceptor of a tape that only this edge has, and the acceptors of the other tapes.
// The machines of a single edge are split at the last composition.
func (c *Composer) Explain(err error) error {
	if !errors.Is(err, semiring.ErrLimit) {
		return err
	}
	c.arena.Reset()
	f := factors{Composer: c}
	if len(c.edges) == 1 {
		e := c.edges[0]
		from, errFrom := c.acceptor(c.sides[e.From])
		to, errTo := c.acceptor(c.sides[e.To])
		if errFrom != nil || errTo != nil {
			return err // err reports this
		}
		f.add(c.tree.Tape(e.From)+" and the first machine", from, e.Machines[:1], nil)
		if rest := e.Machines[1:]; len(rest) > 0 {
			f.add("the other machines and "+c.tree.Tape(e.To), nil, rest, to)
		} else if to != nil {
			f.add(c.tree.Tape(e.To), to, nil, nil)
		}
	} else {
		f.addTree()
	}
	if len(f.sizes) < 2 {
		return err
	}
	return nested.Errorf("%w: the lattice is the product of %s", err, strings.Join(f.sizes, ", "))
}

// factors collects the sizes of the factors of a lattice.
type factors struct {
	*Composer
	sizes []string
}

// add adds left ∘ ms ∘ right.
func (f *factors) add(name string, left *fst.FST[expr.W], ms []*fst.FST[expr.W], right *fst.FST[expr.W]) {
	size := name + " with more" // or with another error, but one is already reported
	if m, err := f.between(left, ms, right); err == nil {
		if g, err := f.arena.Expand(m, &f.within); err == nil {
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
	known := make([]*fst.FST[expr.W], len(f.sides))
	for t, s := range f.sides {
		var err error
		if known[t], err = f.acceptor(s); err != nil {
			return // the error to be explained reports this
		}
	}
	for i, e := range f.edges {
		var left, right *fst.FST[expr.W]
		if edges[e.From] == 1 {
			left = known[e.From]
		} else if edges[e.To] == 1 {
			right = known[e.To]
		}
		f.add(f.tree.Edge(i), left, e.Machines, right)
	}
	for t, m := range known {
		if edges[t] > 1 && m != nil {
			f.add(f.tree.Tape(t), m, nil, nil)
		}
	}
}
