package solve

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// labeling is the closure of selective rings, where a sum over paths is the
// weight of one of them. Inside a component labels are set once each if no arc is
// better than the empty path (Dijkstra 1959, O(arcs · log states)), or corrected
// until none changes (Bellman 1958, O(arcs · states) at worst).
type labeling[W any] struct {
	g     *Graph[W]
	order semiring.Ordered[W]
	use   []bool

	component []int32
	// arc and from are, per state, the arc inside its component by which it got
	// its label, and the state at the arc's other end; −1: it has the label from
	// outside. Backward, that is the next arc of a best path.
	arc, from []int32
	queue     *rows.Queue[W] // nil: not needed yet

	active, improved []int32 // of label correction
	queued           []bool
	walk             []int32 // of labelCycle: the walk that first came by a state
}

// spread says how labels go along arcs: to the other ends of the arcs of a state.
type spread[W any] struct {
	rows.Adjacency
	extend func(label, weight W) W
}

// spreadForward returns how labels go along the arcs of g, spreadBackward how they go
// against them.
func spreadForward[W any](g *Graph[W]) spread[W] {
	return spread[W]{g.Topology.Out(), g.Ring.Times}
}

func spreadBackward[W any](g *Graph[W]) spread[W] {
	return spread[W]{g.Topology.In(), func(label, weight W) W { return g.Ring.Times(weight, label) }}
}

func newLabeling[W any](g *Graph[W], order semiring.Ordered[W], use []bool) *labeling[W] {
	n := g.NumStates()
	l := &labeling[W]{g: g, order: order, use: use, component: g.Topology.ComponentOf(), arc: make([]int32, n), from: make([]int32, n)}
	for s := range n {
		l.arc[s], l.from[s] = -1, -1
	}
	return l
}

func (l *labeling[W]) forward(x []W, lo, hi int) error {
	return l.solve(x, lo, hi, spreadForward(l.g))
}

func (l *labeling[W]) backward(x []W, lo, hi int) error {
	return l.solve(x, lo, hi, spreadBackward(l.g))
}

func (l *labeling[W]) solve(x []W, lo, hi int, d spread[W]) error {
	for _, s := range l.g.Topology.Components().States[lo:hi] {
		l.arc[s], l.from[s] = -1, -1 // of an earlier right-hand side
	}
	if l.noArcImproves(lo, hi) {
		l.setLabels(x, lo, hi, d)
		return nil
	}
	return l.correctLabels(x, lo, hi, d)
}

// noArcImproves reports whether no path gets better by an arc of the component at
// positions lo … hi−1.
func (l *labeling[W]) noArcImproves(lo, hi int) bool {
	t, c, one := l.g.Topology, l.g.Topology.Components(), l.g.Ring.One()
	for p := lo; p < hi; p++ {
		s := c.State(p)
		for e := t.Row[s]; e < t.Row[s+1]; e++ {
			if l.component[t.To[e]] == l.component[s] && l.order.Compare(one, l.g.Weight[e]) > 0 {
				return false
			}
		}
	}
	return true
}

// relax spreads the label of s and calls better for every state that it improves.
func (l *labeling[W]) relax(x []W, s int32, d spread[W], better func(t int32)) {
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		t, e := d.Other[n], d.ArcAt(n)
		if l.component[t] != l.component[s] || l.use != nil && !l.use[t] || l.g.Ring.IsZero(l.g.Weight[e]) {
			continue
		}
		if label := d.extend(x[s], l.g.Weight[e]); l.order.Compare(label, x[t]) < 0 {
			x[t], l.arc[t], l.from[t] = label, e, s
			better(t)
		}
	}
}

func (l *labeling[W]) setLabels(x []W, lo, hi int, d spread[W]) {
	if l.queue == nil {
		l.queue = new(rows.Queue[W])
		l.queue.Init(len(x), func(a, b rows.Entry[W]) bool {
			c := l.order.Compare(a.Key, b.Key)
			return c < 0 || c == 0 && a.Item < b.Item
		})
	}
	q := l.queue
	better := func(s int32) { q.Push(s, x[s]) }
	c := l.g.Topology.Components()
	for p := lo; p < hi; p++ {
		if s := c.State(p); !l.g.Ring.IsZero(x[s]) {
			better(s)
		}
	}
	for !q.Empty() {
		l.relax(x, q.Pop().Item, d, better)
	}
}

func (l *labeling[W]) correctLabels(x []W, lo, hi int, d spread[W]) error {
	if l.queued == nil {
		l.queued, l.walk = make([]bool, len(x)), make([]int32, len(x))
	}
	l.active, l.improved = l.active[:0], l.improved[:0]
	improve := func(t int32) {
		if !l.queued[t] {
			l.queued[t] = true
			l.improved = append(l.improved, t)
		}
	}
	c := l.g.Topology.Components()
	for p := lo; p < hi; p++ {
		if s := c.State(p); !l.g.Ring.IsZero(x[s]) {
			improve(s)
		}
	}
	relaxed := 0
	for len(l.improved) > 0 {
		if err := l.g.Interrupted(); err != nil {
			return err
		}
		l.active, l.improved = l.improved, l.active[:0]
		for _, s := range l.active {
			l.queued[s] = false
			l.relax(x, s, d, improve)
			relaxed += 1 + int(d.Row[s+1]-d.Row[s])
		}
		// A cycle that improves paths shows as one that labels came along.
		// Looking for it costs as much as the relaxations since last time.
		if relaxed >= hi-lo {
			relaxed = 0
			if s, ok := l.labelCycle(lo, hi); ok {
				return diverges(s, lo, hi, "every turn improves it")
			}
		}
	}
	return nil
}

// labelCycle returns a state of the component at positions lo … hi−1 whose label
// came along a cycle, if there is one.
func (l *labeling[W]) labelCycle(lo, hi int) (int32, bool) {
	c := l.g.Topology.Components()
	for p := lo; p < hi; p++ {
		l.walk[c.State(p)] = 0
	}
	for p := lo; p < hi; p++ {
		s, number := c.State(p), int32(p-lo+1)
		for s >= 0 && l.walk[s] == 0 {
			l.walk[s] = number
			s = l.from[s]
		}
		if s >= 0 && l.walk[s] == number {
			return s, true
		}
	}
	return 0, false
}
