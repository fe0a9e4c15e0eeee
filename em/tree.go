package em

import (
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
)

// Edge is a cascade of machines between two tapes of a tree: the first machine reads the
// string of the tape From, the last one writes that of the tape To.
type Edge struct {
	From, To int
	Machines []*fst.FST[expr.W]
}

// tree returns all edges of a problem. Those of the short forms are between X, which is
// tape 0, Y, tape 1, and a tape for each branch.
func (p Problem) tree() []Edge {
	if len(p.Edges) > 0 {
		return p.Edges
	}
	edges := make([]Edge, 0, 1+len(p.Branches))
	edges = append(edges, Edge{0, 1, p.Cascade})
	for b, ms := range p.Branches {
		edges = append(edges, Edge{1, 2 + b, ms})
	}
	return edges
}

// sides appends what x says of each tape of the tree.
func (p Problem) sides(dst []Side, x *Example) []Side {
	if len(p.Edges) == 0 {
		return append(append(dst, x.X, x.Y), x.Branches...)
	}
	dst = append(dst, x.Tapes...)
	for range len(p.Edges) + 1 - len(x.Tapes) {
		dst = append(dst, Side{})
	}
	return dst
}

// tape returns what users call a tape of the tree.
func (p Problem) tape(t int) string {
	switch {
	case len(p.Edges) > 0:
		return fmt.Sprintf("tape %d", t)
	case t < 2:
		return [2]string{"X", "Y"}[t]
	}
	return fmt.Sprintf("branch %d", t-2)
}

// edge returns what users call an edge of the tree.
func (p Problem) edge(i int) string {
	switch {
	case len(p.Edges) > 0:
		return fmt.Sprintf("edge %d (tape %d to %d)", i, p.Edges[i].From, p.Edges[i].To)
	case i == 0:
		return "the cascade"
	}
	return fmt.Sprintf("branch %d", i-1)
}

// checkTree returns an error unless the edges connect the tapes 0, 1, … in one way each.
func (p Problem) checkTree() error {
	tapes := len(p.Edges) + 1
	part := make([]int, tapes) // tapes that are connected have the same number
	for t := range part {
		part[t] = t
	}
	for i, e := range p.Edges {
		if e.From < 0 || e.From >= tapes || e.To < 0 || e.To >= tapes {
			return fmt.Errorf("em: %w: %s: a tree of %d edges has the tapes 0 to %d", ErrInvalid, p.edge(i), tapes-1, tapes-1)
		}
		from, to := part[e.From], part[e.To]
		if from == to {
			return fmt.Errorf("em: %w: %s: its tapes are connected without it, want a tree", ErrInvalid, p.edge(i))
		}
		for t := range part {
			if part[t] == to {
				part[t] = from
			}
		}
	}
	return nil
}

// elimination is how the lattice of an example comes from a tree: leaf by leaf. What is known
// of a leaf is composed with the machines of its edge. The projection to the other end is an
// acceptor of what is then known there. The string of a tape that was observed cuts the tree
// there: the parts are independent.
type elimination struct {
	edges  []Edge    // with machines over the Space of a shard
	states []float64 // per edge: the product of its machines' numbers of states
	sides  []Side    // of the example, per tape

	// A node is a tape, or one end of an edge where the string of a tape was observed.
	node   []int              // per tape: the last one
	ends   [][2]int           // per edge, the nodes of From and To
	known  []*fst.FST[expr.W] // per node, an acceptor of what is known of it; nil: nothing
	degree []int              // per node: edges that are left there
	done   []bool             // per edge
	parts  []fst.Machine[expr.W]
}

// begin takes the edges of a problem, over space.
func (e *elimination) begin(edges []Edge, space *expr.Space) {
	if e.edges == nil {
		n := len(edges)
		e.edges, e.states = make([]Edge, n), make([]float64, n)
		e.node, e.ends, e.done = make([]int, n+1), make([][2]int, n), make([]bool, n)
		for i, edge := range edges {
			e.states[i] = 1
			for _, m := range edge.Machines {
				e.states[i] *= float64(m.NumStates())
			}
		}
	}
	for i, edge := range edges {
		e.edges[i] = Edge{edge.From, edge.To, over(space, e.edges[i].Machines, edge.Machines)}
	}
}

// next returns the edge to be done next, which has a leaf: that of the smallest product,
// by an estimate, and one of which nothing is known at either end last.
func (e *elimination) next() int {
	best, open, least := -1, true, math.Inf(1)
	for i, ends := range e.ends {
		if e.done[i] || e.degree[ends[0]] > 1 && e.degree[ends[1]] > 1 {
			continue
		}
		l, r := e.known[ends[0]], e.known[ends[1]]
		size, unknown := e.states[i]*states(l)*states(r), l == nil && r == nil
		if best < 0 || open && !unknown || open == unknown && size < least {
			best, open, least = i, unknown, size
		}
	}
	return best
}

// states returns the number of states of an acceptor, 1 for that of all strings.
func states(known *fst.FST[expr.W]) float64 {
	if known == nil {
		return 1
	}
	return float64(known.NumStates())
}
