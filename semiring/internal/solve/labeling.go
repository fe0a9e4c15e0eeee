package solve

import "example.org/pathsum/semiring/internal/rows"

// labeling is the closure of selective rings, where a sum over paths is the
// weight of one of them. Inside a component labels are set once each if no arc is
// better than the empty path (Dijkstra 1959, O(arcs · log states)), or corrected
// until none changes (Bellman 1958, O(arcs · states) at worst).
type labeling struct {
	g    *problem
	ways ways

	// arc and from are, per state, the arc inside its component by which it got
	// its label, and the state at the arc's other end; −1: it has the label from
	// outside. Backward, that is the next arc of a best path.
	arc, from []int32
	queue     *rows.Queue[struct{}] // nil: not needed yet
	push      func(s, t, arc int32) // called for a state with a better label, if there is a queue

	active, improved []int32 // of label correction
	queued           []bool
	improve          func(s, t, arc int32) // push of label correction
	walk             []int32               // of labelCycle: the walk that first came by a state
}

func newLabeling(g *problem, use []bool) *labeling {
	n := g.topology.NumStates()
	l := &labeling{g: g, ways: ways{g: g, use: use}, arc: make([]int32, n), from: make([]int32, n)}
	for s := range n {
		l.arc[s], l.from[s] = -1, -1
	}
	return l
}

func (l *labeling) forward(lo, hi int) error {
	return l.solve(lo, hi, l.ways.forward())
}

func (l *labeling) backward(lo, hi int) error {
	return l.solve(lo, hi, l.ways.backward())
}

func (l *labeling) solve(lo, hi int, d *spread) error {
	for _, s := range l.g.topology.Components().States[lo:hi] {
		l.arc[s], l.from[s] = -1, -1 // of an earlier right-hand side
	}
	if l.noArcImproves(lo, hi, d) {
		l.setLabels(lo, hi, d)
		return nil
	}
	return l.correctLabels(lo, hi, d)
}

// noArcImproves reports whether no path gets better by an arc of the component at
// positions lo … hi−1.
func (l *labeling) noArcImproves(lo, hi int, d *spread) bool {
	for _, s := range l.g.topology.Components().States[lo:hi] {
		if l.g.improves(s, d) {
			return false
		}
	}
	return true
}

func (l *labeling) setLabels(lo, hi int, d *spread) {
	if l.queue == nil {
		// The keys are the labels themselves: one that changes is pushed anew at once.
		l.queue = new(rows.Queue[struct{}])
		l.queue.Init(len(l.arc), l.g.precedes())
		l.push = func(s, t, arc int32) {
			l.arc[t], l.from[t] = arc, s
			l.queue.Push(t, struct{}{})
		}
	}
	q := l.queue
	for _, s := range l.g.topology.Components().States[lo:hi] {
		if !l.g.isZero(sumOf(s)) {
			q.Push(s, struct{}{})
		}
	}
	for !q.Empty() {
		l.g.improve(q.Pop().Item, d, l.push)
	}
}

func (l *labeling) correctLabels(lo, hi int, d *spread) error {
	if l.queued == nil {
		l.queued, l.walk = make([]bool, len(l.arc)), make([]int32, len(l.arc))
		l.improve = func(s, t, arc int32) {
			l.arc[t], l.from[t] = arc, s
			l.follow(t)
		}
	}
	l.active, l.improved = l.active[:0], l.improved[:0]
	for _, s := range l.g.topology.Components().States[lo:hi] {
		if !l.g.isZero(sumOf(s)) {
			l.follow(s)
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
			l.g.improve(s, d, l.improve)
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

// follow makes t a state whose arcs are to be followed in the next round.
func (l *labeling) follow(t int32) {
	if !l.queued[t] {
		l.queued[t] = true
		l.improved = append(l.improved, t)
	}
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
