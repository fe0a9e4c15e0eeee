// Package rows knows what is true of compressed rows whatever the weights of their
// arcs: who is adjacent to whom, which states lie on cycles, and in which order sums go
// through them.
package graph

import "sync"

// Topology is what a graph is apart from its weights: the arcs out of state s are
// row[s], …, row[s+1]−1, and arc e goes to state to[e]. What follows from that is
// computed once, on first use, by any goroutine.
type Topology struct {
	row, to []int32

	inOnce         sync.Once
	arcsIn         adjacency
	componentsOnce sync.Once
	scc            *components
	reverseOnce    sync.Once
	reverse        []int32
	crossingOnce   sync.Once
	entered, left  []bool
	componentOnce  sync.Once
	component      []int32
}

func (t *Topology) numStates() int { return len(t.row) - 1 }

// components returns the strongly connected components.
func (t *Topology) components() *components {
	t.componentsOnce.Do(func() { t.scc = findComponents(t.row, t.to) })
	return t.scc
}

// componentOf returns the component of every state.
func (t *Topology) componentOf() []int32 {
	t.componentOnce.Do(func() {
		c := t.components()
		t.component = make([]int32, c.n)
		for i := range c.len() {
			lo, hi := c.bounds(i)
			for p := lo; p < hi; p++ {
				t.component[c.state(p)] = int32(i)
			}
		}
	})
	return t.component
}

// crossing returns which states of a cyclic graph arcs enter from other components, and
// which they leave for others.
func (t *Topology) crossing() (entered, left []bool) {
	t.crossingOnce.Do(func() { t.entered, t.left = t.components().crossing(t.row, t.to) })
	return t.entered, t.left
}

// reverseOrder returns the states of an acyclic graph in reverse topological order.
func (t *Topology) reverseOrder() []int32 {
	t.reverseOnce.Do(func() {
		c := t.components()
		t.reverse = make([]int32, c.n)
		for p := range t.reverse {
			t.reverse[p] = c.state(c.n - 1 - p)
		}
	})
	return t.reverse
}

// adjacency lists the arcs on one side of every state. State s has the arcs arc[n], or n
// if arc is nil, with other[n] at their other ends, for n = row[s], …, row[s+1]−1.
type adjacency struct{ row, other, arc []int32 }

// out lists the arcs that leave each state. β of a state is a sum over them.
func (t *Topology) out() adjacency { return adjacency{t.row, t.to, nil} }

// in lists the arcs that enter each state, in increasing order. α of a state is a sum
// over them.
func (t *Topology) in() adjacency {
	t.inOnce.Do(func() { t.arcsIn = transposed(t.row, t.to) })
	return t.arcsIn
}

// isOut reports whether the arcs leave their states.
func (a adjacency) isOut() bool { return a.arc == nil }

// arcAt returns the n-th arc.
func (a adjacency) arcAt(n int32) int32 {
	if a.arc == nil {
		return n
	}
	return a.arc[n]
}

// transposed returns, for arcs that leave states in the compressed rows (row, to), those
// that enter each state.
func transposed(row, to []int32) adjacency {
	targets := len(row) - 1
	begin, from, arc := make([]int32, targets+2), make([]int32, len(to)), make([]int32, len(to))
	for _, t := range to {
		begin[t+2]++
	}
	for t := 2; t < len(begin); t++ {
		begin[t] += begin[t-1]
	}
	// begin[t+1] is the next free slot of t while the slots are filled, and then the
	// end of t, that is, the start of t+1.
	next := begin[1:]
	for s := range targets {
		for e, end := row[s], row[s+1]; e < end; e++ {
			slot := &next[to[e]]
			n := *slot
			*slot = n + 1
			from[n], arc[n] = int32(s), e
		}
	}
	return adjacency{begin[:targets+1], from, arc}
}
