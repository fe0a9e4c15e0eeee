package em

import (
	"errors"
	"fmt"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
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
