package graph

import (
	"errors"
	"sync"

	"example.org/pathsum/semiring"
)

// topology is what a graph is apart from its weights, with what follows from it,
// computed once on first use.
type topology struct {
	row, to []int32

	transposeOnce  sync.Once
	transpose      *transpose
	componentsOnce sync.Once
	scc            *components
	reverseOnce    sync.Once
	reverse        []int32
	crossingOnce   sync.Once
	entered, left  []bool
	componentOnce  sync.Once
	component      []int32
	plans          [stages]struct {
		sync.Mutex
		plan *plan
		err  error
	}
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

// crossing returns which states of a cyclic graph arcs enter from other components, and
// which they leave for others.
func (t *topology) crossing() (entered, left []bool) {
	t.crossingOnce.Do(func() { t.entered, t.left = t.components().crossing(t.row, t.to) })
	return t.entered, t.left
}

// componentOf returns the component of every state.
func (t *topology) componentOf() []int32 {
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

// reverseOrder returns the states of an acyclic graph in reverse topological order.
func (t *topology) reverseOrder() []int32 {
	t.reverseOnce.Do(func() {
		c := t.components()
		t.reverse = make([]int32, c.n)
		for p := range t.reverse {
			t.reverse[p] = c.state(c.n - 1 - p)
		}
	})
	return t.reverse
}

// plan returns the order of elimination within the budget of a stage. The error is that
// of interrupted, or wraps semiring.ErrLimit; only the last stage, in which no component
// is left open, has one of these.
func (t *topology) plan(stage int, interrupted func() error) (*plan, error) {
	p := &t.plans[stage]
	p.Lock()
	defer p.Unlock()
	if p.plan != nil || p.err != nil {
		return p.plan, p.err
	}
	if stage > 0 {
		first, err := t.plan(0, interrupted)
		if err != nil {
			return nil, err
		}
		if first.open == nil {
			p.plan = first
			return first, nil
		}
	}
	made, err := newPlan(t.row, t.to, t.components(), budgets[stage], interrupted)
	if err == nil || errors.Is(err, semiring.ErrLimit) {
		p.plan, p.err = made, err
	}
	return made, err
}

// fullPlan returns an order of elimination without open components. The error is that of
// interrupted or wraps semiring.ErrLimit.
func (t *topology) fullPlan(interrupted func() error) (*plan, error) {
	return t.plan(stages-1, interrupted)
}

func (t *topology) numStates() int { return len(t.row) - 1 }

// transpose is a graph by target state: the arcs into state t are arc[n] from
// state from[n] for n = row[t], …, row[t+1]−1, in increasing order of arcs.
type transpose struct{ row, from, arc []int32 }

// transposed returns the transpose of the compressed rows (row, to).
func transposed(row, to []int32) *transpose {
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
	return &transpose{begin[:targets+1], from, arc}
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
// numbers. An arc counts whatever its weight. The slice is shared and not to be
// modified.
func (g *Graph[W]) Components() (component []int32, n int) {
	return g.topology.componentOf(), g.topology.components().len()
}
