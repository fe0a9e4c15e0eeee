// Package rows holds the topology of graphs in compressed rows, independent of the weights of
// their arcs. It finds the arcs on either side of a state, the components of states on common
// cycles, and the order in which sums visit them.
package rows

import "sync"

// Topology is a graph without its weights: the arcs out of state s are Row[s], …, Row[s+1]−1, and
// arc e goes to state To[e]. Row and To are set once, before any method is called. Derived data
// is computed on first use and cached. Several goroutines may call methods at once; results are
// shared and must not be modified.
type Topology struct {
	Row, To []int32

	inOnce         sync.Once
	arcsIn         Adjacency
	componentsOnce sync.Once
	scc            *Components
	reverseOnce    sync.Once
	reverse        []int32
	crossingOnce   sync.Once
	entered, left  []bool
	componentOnce  sync.Once
	component      []int32
}

// NumStates returns the number of states.
func (t *Topology) NumStates() int { return len(t.Row) - 1 }

// Components returns the strongly connected components.
func (t *Topology) Components() *Components {
	t.componentsOnce.Do(func() { t.scc = findComponents(t.Row, t.To) })
	return t.scc
}

// ComponentOf returns the component of every state.
func (t *Topology) ComponentOf() []int32 {
	t.componentOnce.Do(func() {
		c := t.Components()
		t.component = make([]int32, c.N)
		for i := range c.Len() {
			lo, hi := c.Bounds(i)
			for p := lo; p < hi; p++ {
				t.component[c.State(p)] = int32(i)
			}
		}
	})
	return t.component
}

// Crossing returns which states of a cyclic graph arcs enter from other components, and which
// states arcs leave for other components.
func (t *Topology) Crossing() (entered, left []bool) {
	t.crossingOnce.Do(func() { t.entered, t.left = t.Components().crossing(t.Row, t.To) })
	return t.entered, t.left
}

// ReverseOrder returns the states in reverse topological order, component by component if there
// are cycles.
func (t *Topology) ReverseOrder() []int32 {
	t.reverseOnce.Do(func() {
		c := t.Components()
		t.reverse = make([]int32, c.N)
		for p := range t.reverse {
			t.reverse[p] = c.State(c.N - 1 - p)
		}
	})
	return t.reverse
}

// Adjacency lists the arcs on one side of every state. State s has the arcs Arc[n], or n
// if Arc is nil, with the states Other[n] at their other ends, for n = Row[s], …,
// Row[s+1]−1.
type Adjacency struct{ Row, Other, Arc []int32 }

// Out lists the arcs that leave each state. β of a state is a sum over them.
func (t *Topology) Out() Adjacency { return Adjacency{t.Row, t.To, nil} }

// In lists the arcs that enter each state, in increasing order. α of a state is a sum
// over them.
func (t *Topology) In() Adjacency {
	t.inOnce.Do(func() { t.arcsIn = Transposed(t.Row, t.To) })
	return t.arcsIn
}

// IsOut reports whether the arcs leave their states.
func (a Adjacency) IsOut() bool { return a.Arc == nil }

// ArcAt returns the n-th arc.
func (a Adjacency) ArcAt(n int32) int32 {
	if a.Arc == nil {
		return n
	}
	return a.Arc[n]
}

// Transposed returns the arcs that enter each state, for arcs that leave states in the compressed
// rows (row, to).
func Transposed(row, to []int32) Adjacency {
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
	return Adjacency{begin[:targets+1], from, arc}
}
