package solve

import "example.org/pathsum/semiring/internal/rows"

// labeling is the closure of selective rings, where a sum over paths is the
// weight of one of them. Inside a component labels are set once each if no arc is
// better than the empty path (Dijkstra 1959, O(arcs · log states)), or corrected
// until none changes (Bellman 1958, O(arcs · states) at worst).
type labeling struct {
	g   *problem
	use []bool

	component []int32
	// arc and from are, per state, the arc inside its component by which it got
	// its label, and the state at the arc's other end; −1: it has the label from
	// outside. Backward, that is the next arc of a best path.
	arc, from []int32
	queue     *rows.Queue[struct{}] // nil: not needed yet

	active, improved []int32 // of label correction
	queued           []bool
	walk             []int32 // of labelCycle: the walk that first came by a state
}

// spread says how labels go along arcs: to the other ends of the arcs of a state.
type spread struct {
	rows.Adjacency
	side side
}

// spreadForward returns how labels go along the arcs of g, spreadBackward how they go
// against them.
func spreadForward(g *problem) spread  { return spread{g.topology.Out(), after} }
func spreadBackward(g *problem) spread { return spread{g.topology.In(), before} }

func newLabeling(g *problem, use []bool) *labeling {
	n := g.topology.NumStates()
	l := &labeling{g: g, use: use, component: g.topology.ComponentOf(), arc: make([]int32, n), from: make([]int32, n)}
	for s := range n {
		l.arc[s], l.from[s] = -1, -1
	}
	return l
}

func (l *labeling) forward(lo, hi int) error {
	return l.solve(lo, hi, spreadForward(l.g))
}

func (l *labeling) backward(lo, hi int) error {
	return l.solve(lo, hi, spreadBackward(l.g))
}

func (l *labeling) solve(lo, hi int, d spread) error {
	for _, s := range l.g.topology.Components().States[lo:hi] {
		l.arc[s], l.from[s] = -1, -1 // of an earlier right-hand side
	}
	if l.noArcImproves(lo, hi) {
		l.setLabels(lo, hi, d)
		return nil
	}
	return l.correctLabels(lo, hi, d)
}

// noArcImproves reports whether no path gets better by an arc of the component at
// positions lo … hi−1.
func (l *labeling) noArcImproves(lo, hi int) bool {
	t, c := l.g.topology, l.g.topology.Components()
	for p := lo; p < hi; p++ {
		s := c.State(p)
		for e := t.Row[s]; e < t.Row[s+1]; e++ {
			if l.component[t.To[e]] == l.component[s] && l.g.compare(one, arcAt(e)) > 0 {
				return false
			}
		}
	}
	return true
}

// relax spreads the label of s and calls better for every state that it improves.
func (l *labeling) relax(s int32, d spread, better func(t int32)) {
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		t, e := d.Other[n], d.ArcAt(n)
		if l.component[t] != l.component[s] || l.use != nil && !l.use[t] {
			continue
		}
		if l.g.improve(t, s, e, d.side) {
			l.arc[t], l.from[t] = e, s
			better(t)
		}
	}
}

func (l *labeling) setLabels(lo, hi int, d spread) {
	if l.queue == nil {
		// The keys are the labels themselves: one that changes is pushed anew at once.
		l.queue = new(rows.Queue[struct{}])
		l.queue.Init(len(l.arc), func(a, b rows.Entry[struct{}]) bool {
			c := l.g.compare(sumOf(a.Item), sumOf(b.Item))
			return c < 0 || c == 0 && a.Item < b.Item
		})
	}
	q := l.queue
	better := func(s int32) { q.Push(s, struct{}{}) }
	c := l.g.topology.Components()
	for p := lo; p < hi; p++ {
		if s := c.State(p); !l.g.isZero(sumOf(s)) {
			better(s)
		}
	}
	for !q.Empty() {
		l.relax(q.Pop().Item, d, better)
	}
}

func (l *labeling) correctLabels(lo, hi int, d spread) error {
	if l.queued == nil {
		l.queued, l.walk = make([]bool, len(l.arc)), make([]int32, len(l.arc))
	}
	l.active, l.improved = l.active[:0], l.improved[:0]
	improve := func(t int32) {
		if !l.queued[t] {
			l.queued[t] = true
			l.improved = append(l.improved, t)
		}
	}
	c := l.g.topology.Components()
	for p := lo; p < hi; p++ {
		if s := c.State(p); !l.g.isZero(sumOf(s)) {
			improve(s)
		}
	}
	relaxed := 0
	for len(l.improved) > 0 {
		if err := l.g.interrupted(); err != nil {
			return err
		}
		l.active, l.improved = l.improved, l.active[:0]
		for _, s := range l.active {
			l.queued[s] = false
			l.relax(s, d, improve)
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
func (l *labeling) labelCycle(lo, hi int) (int32, bool) {
	c := l.g.topology.Components()
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
