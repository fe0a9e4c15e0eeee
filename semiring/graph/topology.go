package graph

import "sync"

// topology is what a graph is apart from its weights, with what follows from it,
// computed once on first use.
type topology struct {
	row, to []int32

	transposeOnce  sync.Once
	transpose      *transpose
	componentsOnce sync.Once
	scc            *components
	planOnce       sync.Once
	elimination    *plan
	planErr        error
}

// incoming returns the arcs by target state.
func (t *topology) incoming() *transpose {
	t.transposeOnce.Do(func() { t.transpose = transposed(t.row, t.to) })
	return t.transpose
}

// components returns the strongly connected components.
func (t *topology) components() *components {
	t.componentsOnce.Do(func() { t.scc = findComponents(t.row, t.to) })
	return t.scc
}

// plan returns the order of elimination.
func (t *topology) plan() (*plan, error) {
	t.planOnce.Do(func() { t.elimination, t.planErr = newPlan(t.row, t.to, t.components()) })
	return t.elimination, t.planErr
}

func (t *topology) numStates() int { return len(t.row) - 1 }

// transpose is a graph by target state: the arcs into state t are arc[n] from
// state from[n] for n = row[t], …, row[t+1]−1, in increasing order of arcs.
type transpose struct{ row, from, arc []int32 }

// transposed returns the transpose of the compressed rows (row, to).
func transposed(row, to []int32) *transpose {
	targets := len(row) - 1
	in := &transpose{make([]int32, targets+1), make([]int32, len(to)), make([]int32, len(to))}
	for _, t := range to {
		in.row[t+1]++
	}
	for t := range targets {
		in.row[t+1] += in.row[t]
	}
	// row[t] is the next free slot of t while the slots are filled, and then
	// the end of t, that is, the start of t+1.
	for s, begin := range row[:len(row)-1] {
		for e := begin; e < row[s+1]; e++ {
			slot := &in.row[to[e]]
			in.from[*slot], in.arc[*slot] = int32(s), e
			*slot++
		}
	}
	copy(in.row[1:], in.row[:targets])
	in.row[0] = 0
	return in
}

// Incoming returns the arcs by target state: the arcs into state t are arc[n]
// from state from[n] for n = row[t], …, row[t+1]−1, in increasing order of arcs.
// The slices are shared and not to be modified.
func (g *Graph[W]) Incoming() (row, from, arc []int32) {
	in := g.topology.incoming()
	return in.row, in.from, in.arc
}

// TopologicalOrder returns the states so that every arc goes from an earlier
// state to a later one, or false if there is a cycle. An arc counts whatever its
// weight.
func (g *Graph[W]) TopologicalOrder() ([]int32, bool) {
	c := g.topology.components()
	if c.cyclic() {
		return nil, false
	}
	order := make([]int32, g.NumStates())
	for p := range order {
		order[p] = c.state(p)
	}
	return order, true
}

// Components returns the number of the strongly connected component of every
// state, and how many there are; arcs between components go from lower to higher
// numbers. An arc counts whatever its weight.
func (g *Graph[W]) Components() (component []int32, n int) {
	c := g.topology.components()
	component = make([]int32, g.NumStates())
	for i := range c.len() {
		lo, hi := c.bounds(i)
		for p := lo; p < hi; p++ {
			component[c.state(p)] = int32(i)
		}
	}
	return component, c.len()
}
