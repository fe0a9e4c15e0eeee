package tapes

import (
	"math"

	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring/expr"
)

// Composer composes lattices on a tree, one after the other in the same storage. It belongs to
// one goroutine.
type Composer struct {
	tree   Tree
	edges  []Edge    // of the tree, over space
	states []float64 // per edge: the product of its machines' numbers of states
	arena  machines.Arena[expr.W]
	space  *expr.Space
	within fst.Options           // the limit for states and arcs
	chain  []fst.Machine[expr.W] // scratch

	// State of the current lattice. A node is a tape, or one end of an edge if the string of the
	// tape was observed.
	sides  []Side             // per tape
	node   []int              // per tape: its last node
	ends   [][2]int           // per edge, the nodes of From and To
	known  []*fst.FST[expr.W] // per node, an acceptor of its strings; nil: all strings
	degree []int              // per node: the number of its remaining edges
	done   []bool             // per edge
	parts  []fst.Machine[expr.W]
}

// NewComposer returns a Composer for a tree that Check has passed, with weights over space.
func NewComposer(tree Tree, space *expr.Space) *Composer {
	n := len(tree.Edges)
	c := &Composer{
		tree: tree, edges: make([]Edge, n), states: make([]float64, n), arena: machines.Exprs.NewArena(space),
		node: make([]int, n+1), ends: make([][2]int, n), done: make([]bool, n),
	}
	for i, e := range tree.Edges {
		c.edges[i] = Edge{From: e.From, To: e.To}
		c.states[i] = 1
		for _, m := range e.Machines {
			c.states[i] *= float64(m.NumStates())
		}
	}
	return c
}

// Begin begins with lattices over space, of which the tree's Space must be a prefix.
func (c *Composer) Begin(space *expr.Space) {
	c.space = space
	c.arena.SetSemiring(space)
	for i := range c.edges {
		e := &c.edges[i]
		e.Machines = e.Machines[:0]
		for _, m := range c.tree.Edges[i].Machines {
			e.Machines = append(e.Machines, m.WithSemiring(space))
		}
	}
}

// Machines returns the machines of an edge, over the space of the last Begin.
func (c *Composer) Machines(edge int) []*fst.FST[expr.W] { return c.edges[edge].Machines }

// Ends returns acceptors of the sides of an edge, or nil for all strings. They
// are valid until the next lattice. The error is as in Lattice.
func (c *Composer) Ends(edge int, sides []Side, limit int) (from, to *fst.FST[expr.W], err error) {
	c.arena.Reset()
	c.within.Limit = limit
	e := c.edges[edge]
	if from, err = c.acceptor(sides[e.From]); err != nil {
		return nil, nil, nested.Errorf("%s: %w", c.tree.Tape(e.From), err)
	}
	if to, err = c.acceptor(sides[e.To]); err != nil {
		return nil, nil, nested.Errorf("%s: %w", c.tree.Tape(e.To), err)
	}
	return from, to, nil
}

// acceptor returns the acceptor of a side, or nil for all strings. It returns an error for a soft
// string with more states and arcs than the limit.
func (c *Composer) acceptor(s Side) (*fst.FST[expr.W], error) {
	switch {
	case s.String:
		return c.arena.String(s.Labels), nil
	case s.Soft() != nil:
		return soft.Acceptor(s.Soft(), c.space, c.within.Limit)
	case s.Set != nil:
		return Acceptor(s.Set).WithSemiring(c.space), nil
	}
	return nil, nil
}

// Lattice returns the lattice of all derivations of the sides. It may have
// states that are on no path. If an intermediate product has more states and arcs than limit, the
// error wraps semiring.ErrLimit. The lattice is valid until the next one.
func (c *Composer) Lattice(sides []Side, limit int) (*fst.FST[expr.W], error) {
	c.arena.Reset()
	c.sides, c.within.Limit = append(c.sides[:0], sides...), limit
	m, err := c.derivations()
	if err != nil {
		return nil, err
	}
	return c.arena.Expand(m, &c.within)
}

// derivations returns the lattice, which may be lazy. It is the concatenation of the lattices of
// independent parts.
func (c *Composer) derivations() (fst.Machine[expr.W], error) {
	if err := c.cut(); err != nil {
		return nil, err
	}
	if err := c.eliminate(); err != nil {
		return nil, err
	}
	if len(c.parts) == 1 {
		return c.parts[0], nil
	}
	for i, m := range c.parts {
		f, err := c.arena.Expand(m, &c.within)
		if err != nil {
			return nil, err
		}
		c.parts[i] = f.WithSymbols(nil, nil) // their tapes differ
	}
	return machines.Exprs.Concat(c.parts[0], c.parts[1:]...), nil
}

// Given returns the acceptor of a tape's strings given the sides and the machines:
// each string has the weight of all derivations of the part of the tree that contains the tape.
// The lattices of the other parts follow it. Limit and error are as in Lattice.
func (c *Composer) Given(sides []Side, tape, limit int) ([]fst.Machine[expr.W], error) {
	c.arena.Reset()
	c.sides, c.within.Limit = append(c.sides[:0], sides...), limit
	if s := c.sides[tape]; s.String {
		c.sides[tape] = Side{Set: c.arena.String(s.Labels)} // a set does not cut
	}
	if err := c.cut(); err != nil {
		return nil, err
	}
	n := c.node[tape]
	c.degree[n]++ // as if by an edge that is never eliminated
	if err := c.eliminate(); err != nil {
		return nil, err
	}
	all := []fst.Machine[expr.W]{c.known[n]}
	for _, m := range c.parts {
		f, err := c.arena.Expand(m, &c.within)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// cut creates the nodes.
func (c *Composer) cut() error {
	clear(c.done)
	c.known, c.degree, c.parts = c.known[:0], c.degree[:0], c.parts[:0]
	for t := range c.node {
		c.node[t] = -1
	}
	for i, e := range c.edges {
		for end, t := range [2]int{e.From, e.To} {
			n := c.node[t]
			if n < 0 || c.sides[t].String {
				known, err := c.acceptor(c.sides[t])
				if err != nil {
					return nested.Errorf("%s: %w", c.tree.Tape(t), err)
				}
				n = len(c.known)
				c.known, c.degree = append(c.known, known), append(c.degree, 0)
			}
			c.node[t], c.ends[i][end] = n, n
			c.degree[n]++
		}
	}
	return nil
}

// eliminate eliminates all edges. The last edge of each part appends its lattice to parts.
func (c *Composer) eliminate() error {
	for range c.edges {
		i := c.next()
		from, to := c.ends[i][0], c.ends[i][1]
		m, err := c.between(c.known[from], c.edges[i].Machines, c.known[to])
		if err == nil {
			switch {
			case c.degree[from] == 1 && c.degree[to] == 1:
				c.parts = append(c.parts, m)
			case c.degree[to] == 1:
				c.known[from], err = c.project(m, machines.Exprs.ProjectIn)
			default:
				c.known[to], err = c.project(m, machines.Exprs.ProjectOut)
			}
		}
		if err != nil {
			return nested.Errorf("%s: %w", c.tree.Edge(i), err)
		}
		c.done[i] = true
		c.degree[from]--
		c.degree[to]--
	}
	return nil
}

// next returns the edge to be eliminated next, one with a leaf. It prefers an edge with a known
// end, and among those the smallest product, by an estimate.
func (c *Composer) next() int {
	best, open, least := -1, true, math.Inf(1)
	for i, ends := range c.ends {
		if c.done[i] || c.degree[ends[0]] > 1 && c.degree[ends[1]] > 1 {
			continue
		}
		l, r := c.known[ends[0]], c.known[ends[1]]
		size, unknown := c.states[i]*states(l)*states(r), l == nil && r == nil
		if best < 0 || open && !unknown || open == unknown && size < least {
			best, open, least = i, unknown, size
		}
	}
	return best
}

// states returns the number of states of an acceptor, 1 for nil.
func states(known *fst.FST[expr.W]) float64 {
	if known == nil {
		return 1
	}
	return float64(known.NumStates())
}

// project returns a projection of m, without states that are on no path.
func (c *Composer) project(m fst.Machine[expr.W], to func(fst.Machine[expr.W]) fst.Machine[expr.W]) (*fst.FST[expr.W], error) {
	f, err := c.arena.Expand(m, &c.within)
	if err != nil {
		return nil, err
	}
	if f, err = machines.Exprs.Connect(f, nil); err != nil {
		return nil, err
	}
	return machines.Exprs.Expand(to(f), nil)
}
