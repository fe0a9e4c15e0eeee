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
	*engine[W]
	order semiring.Ordered[W]

	// arc and from are, per state, the arc inside its component by which it got
	// its label, and the state at the arc's other end; −1: it has the label from
	// outside. Backward, that is the next arc of a best path.
	arc, from []int32
	queue     *rows.Queue[struct{}] // nil: not needed yet

	active, improved []int32 // of label correction
	queued           []bool
	walk             []int32 // of labelCycle: the walk that first came by a state
}

func newLabeling[W any](e *engine[W], order semiring.Ordered[W]) *labeling[W] {
	n := e.topology.NumStates()
	l := &labeling[W]{engine: e, order: order, arc: make([]int32, n), from: make([]int32, n)}
	for s := range n {
		l.arc[s], l.from[s] = -1, -1
	}
	return l
}

// closeByLabels makes labels the closure of an engine.
func closeByLabels[W any](e *engine[W], order semiring.Ordered[W]) {
	e.use.known()
	l := newLabeling(e, order)
	e.closure, e.inner = l, l.arc
}

func (l *labeling[W]) forward(lo, hi int) error  { return l.solve(lo, hi, l.direction(false)) }
func (l *labeling[W]) backward(lo, hi int) error { return l.solve(lo, hi, l.direction(true)) }

func (l *labeling[W]) solve(lo, hi int, d *direction) error {
	for _, s := range l.components.States[lo:hi] {
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
func (l *labeling[W]) noArcImproves(lo, hi int, d *direction) bool {
	for _, s := range l.components.States[lo:hi] {
		for n := d.Row[s]; n < d.Row[s+1]; n++ {
			if d.component[d.Other[n]] == d.component[s] && l.order.Compare(l.one, l.weight[d.ArcAt(n)]) > 0 {
				return false
			}
		}
	}
	return true
}

// improve replaces the labels of others by that of s, extended by an arc, where this is
// better, and calls better for each in turn.
func (l *labeling[W]) improve(s int32, d *direction, better func(t int32)) {
	x := l.x
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		t, arc := d.Other[n], d.ArcAt(n)
		if !d.leads(s, t) {
			continue
		}
		label, ok := extended(l.engine, x[s], arc, d)
		if ok && l.order.Compare(label, x[t]) < 0 {
			x[t], l.arc[t], l.from[t] = label, arc, s
			better(t)
		}
	}
}

func (l *labeling[W]) setLabels(lo, hi int, d *direction) {
	if l.queue == nil {
		// The keys are the labels themselves: one that changes is pushed anew at once.
		l.queue = new(rows.Queue[struct{}])
		l.queue.Init(len(l.arc), func(a, b rows.Entry[struct{}]) bool {
			c := l.order.Compare(l.x[a.Item], l.x[b.Item])
			return c < 0 || c == 0 && a.Item < b.Item
		})
	}
	q := l.queue
	push := func(t int32) { q.Push(t, struct{}{}) }
	for _, s := range l.components.States[lo:hi] {
		if !l.ring.IsZero(l.x[s]) {
			push(s)
		}
	}
	for !q.Empty() {
		l.improve(q.Pop().Item, d, push)
	}
}

func (l *labeling[W]) correctLabels(lo, hi int, d *direction) error {
	if l.queued == nil {
		l.queued, l.walk = make([]bool, len(l.arc)), make([]int32, len(l.arc))
	}
	l.active, l.improved = l.active[:0], l.improved[:0]
	for _, s := range l.components.States[lo:hi] {
		if !l.ring.IsZero(l.x[s]) {
			l.follow(s)
		}
	}
	follow, relaxed := l.follow, 0
	for len(l.improved) > 0 {
		if err := l.interrupted(); err != nil {
			return err
		}
		l.active, l.improved = l.improved, l.active[:0]
		for _, s := range l.active {
			l.queued[s] = false
			l.improve(s, d, follow)
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
func (l *labeling[W]) follow(t int32) {
	if !l.queued[t] {
		l.queued[t] = true
		l.improved = append(l.improved, t)
	}
}

// labelCycle returns a state of the component at positions lo … hi−1 whose label
// came along a cycle, if there is one.
func (l *labeling[W]) labelCycle(lo, hi int) (int32, bool) {
	c := l.components
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

// direction says how sums go along the arcs of a component: to the states at their other ends
// that are in use, unless the arc weighs Zero.
type direction struct {
	rows.Adjacency
	before    bool // an arc extends paths at their beginning
	component []int32
	use       []bool // nil: all
}

// direction returns the direction of backward or forward sums. It must be known which states
// are in use.
func (p *problem) direction(back bool) *direction {
	d, by := &p.directions[0], p.topology.Out
	if back {
		d, by = &p.directions[1], p.topology.In
	}
	if *d == nil {
		*d = &direction{by(), back, p.topology.ComponentOf(), p.use.use}
	}
	return *d
}

// leads reports whether the sum of s goes along an arc to t, if there is one.
func (d *direction) leads(s, t int32) bool {
	return d.component[t] == d.component[s] && (d.use == nil || d.use[t])
}

// extended returns x, the weight of paths, extended by an arc, false if that weighs Zero.
func extended[W any](e *engine[W], x W, arc int32, d *direction) (W, bool) {
	w := e.weight[arc]
	if e.ring.IsZero(w) {
		return w, false
	}
	if d.before {
		x, w = w, x
	}
	return e.ring.Times(x, w), true
}
