package forest

import (
	"iter"
	"slices"

	"example.org/pathsum/semiring/internal/derivation"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/solve"
)

// cycle is a set of nodes that are all derived from each other and from themselves: a strongly
// connected component of tails and heads. Its inside weights solve polynomial equations x = F(x)
// with an unknown per node. The derivatives F' at any x are the arcs of a graph, from every head
// to every tail within the set; a path sum over this graph solves linear equations.
type cycle struct {
	lo, hi int // positions lo, …, hi−1 of the nodes in the order; a node's place is its position − lo
	// The edges with tails in the set, by their heads, are recursive. Number n is edge
	// recursive[n], its arcs are arc[n], …, arc[n+1]−1, one per such tail from left to right. The
	// edges that derive the node at place p have the numbers row[p], …, row[p+1]−1.
	recursive, arc, row []int32
	graph               rows.Topology // states are places
	plans               solve.Plans
	linear              bool // no edge has two tails in the set
	rightmost           bool // every such tail is the last tail of its edge
}

// sortCyclic is sort for a cyclic forest.
func (t *topology) sortCyclic() {
	dependencies := rows.Topology{Row: t.tailRows(), To: t.tails}
	c := dependencies.Components() // heads first
	t.order, t.position = make([]int32, 0, c.N), make([]int32, c.N)
	for i := c.Len() - 1; i >= 0; i-- {
		lo, hi := c.Bounds(i)
		first := len(t.order)
		for p := lo; p < hi; p++ {
			t.position[c.State(p)] = int32(len(t.order))
			t.order = append(t.order, c.State(p))
		}
		if c.Loop[i] {
			t.cycles = append(t.cycles, &cycle{lo: first, hi: len(t.order)})
		}
	}
	for _, c := range t.cycles {
		t.link(c)
	}
}

// link fills in c, except for its bounds.
func (t *topology) link(c *cycle) {
	c.linear, c.rightmost = true, true
	c.arc, c.row, c.graph.Row = []int32{0}, []int32{0}, []int32{0}
	for at := c.lo; at < c.hi; at++ {
		v := t.order[at]
		for e := t.edge[v]; e < t.edge[v+1]; e++ {
			tails, inside := t.tails[t.tail[e]:t.tail[e+1]], 0
			for i, u := range tails {
				if p, ok := t.place(c, u); ok {
					c.graph.To = append(c.graph.To, p)
					c.rightmost = c.rightmost && i == len(tails)-1
					inside++
				}
			}
			if inside > 0 {
				c.recursive, c.arc = append(c.recursive, e), append(c.arc, int32(len(c.graph.To)))
				c.linear = c.linear && inside == 1
			}
		}
		c.row = append(c.row, int32(len(c.recursive)))
		c.graph.Row = append(c.graph.Row, int32(len(c.graph.To)))
	}
}

// place returns the place of node v in c, and whether it has one.
func (t *topology) place(c *cycle, v int32) (int32, bool) {
	p := int(t.position[v])
	return int32(p - c.lo), c.lo <= p && p < c.hi
}

// cycleOf returns the cycle that node v is on, nil if v is on no cycle.
func (t *topology) cycleOf(v int32) *cycle {
	if t.position == nil {
		return nil
	}
	p := int(t.position[v])
	n, _ := slices.BinarySearchFunc(t.cycles, p, func(c *cycle, p int) int {
		return c.hi - 1 - p // the first cycle that ends after p
	})
	if n < len(t.cycles) && t.cycles[n].lo <= p {
		return t.cycles[n]
	}
	return nil
}

// nodesOf returns the nodes of c, by their places.
func (t *topology) nodesOf(c *cycle) []int32 { return t.order[c.lo:c.hi] }

// stretch is a run of positions lo … hi−1 of the order. cycle is the number of a cycle, or −1 for
// nodes that are on no cycle.
type stretch struct{ lo, hi, cycle int }

// upward yields the stretches of the order, tails first.
func (t *topology) upward() iter.Seq[stretch] {
	return func(yield func(stretch) bool) {
		lo := 0
		for n, c := range t.cycles {
			if lo < c.lo && !yield(stretch{lo, c.lo, -1}) || !yield(stretch{c.lo, c.hi, n}) {
				return
			}
			lo = c.hi
		}
		if lo < t.numNodes() {
			yield(stretch{lo, t.numNodes(), -1})
		}
	}
}

// downward yields the stretches of the order, heads first.
func (t *topology) downward() iter.Seq[stretch] {
	return func(yield func(stretch) bool) {
		for _, p := range slices.Backward(slices.Collect(t.upward())) {
			if !yield(p) {
				return
			}
		}
	}
}

// structure returns t as the topology of derivations.
func (t *topology) structure() derivation.Structure {
	s := derivation.Structure{Row: t.edge, Tail: t.tail, Tails: t.tails, Order: t.order}
	for _, c := range t.cycles {
		s.Cycles = append(s.Cycles, derivation.Span{Lo: c.lo, Hi: c.hi})
	}
	return s
}

// derivable returns, per node, whether it has a derivation; weighs reports whether an edge has a
// weight ≠ 0̄.
func (t *topology) derivable(weighs func(e int32) bool) []bool {
	derived := make([]bool, t.numNodes())
	if len(t.cycles) == 0 {
		for at := range derived {
			v := t.node(at)
			for e := t.edge[v]; e < t.edge[v+1] && !derived[v]; e++ {
				derived[v] = weighs(e) && !slices.ContainsFunc(t.tails[t.tail[e]:t.tail[e+1]], func(u int32) bool { return !derived[u] })
			}
		}
		return derived
	}
	missing := make([]int32, len(t.tail)-1)
	uses, ready := t.uses(), make([]int32, 0, t.numNodes())
	for v := range int32(t.numNodes()) {
		for e := t.edge[v]; e < t.edge[v+1]; e++ {
			missing[e] = t.tail[e+1] - t.tail[e]
			if missing[e] == 0 && !derived[v] && weighs(e) {
				derived[v] = true
				ready = append(ready, v)
			}
		}
	}
	for len(ready) > 0 {
		u := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for n := uses.row[u]; n < uses.row[u+1]; n++ {
			e, v := uses.edge[n], uses.head[n]
			if missing[e]--; missing[e] == 0 && !derived[v] && weighs(e) {
				derived[v] = true
				ready = append(ready, v)
			}
		}
	}
	return derived
}
