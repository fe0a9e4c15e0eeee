package solve

import (
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// labels is the interface of labeling to the sums of an ordered ring.
type labels interface {
	isZero(s int32) bool
	// compare is negative if the label of s is better than the label of t, and 0 if they are
	// equal.
	compare(s, t int32) int
	// noArcImproves reports whether every arc of s inside its component is at most as good as
	// One.
	noArcImproves(s int32, d *direction) bool
	// improve replaces each label that is worse than the label of s extended by an arc, and calls
	// l.improved for each in turn.
	improve(s int32, d *direction, l *labeling)
}

// ordered are labels of one type.
type ordered[W any] struct {
	e     *engine[W]
	order semiring.Ordered[W]
}

func (o *ordered[W]) isZero(s int32) bool    { return o.e.ring.IsZero(o.e.x[s]) }
func (o *ordered[W]) compare(s, t int32) int { return o.order.Compare(o.e.x[s], o.e.x[t]) }

func (o *ordered[W]) noArcImproves(s int32, d *direction) bool {
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		if d.component[d.Other[n]] == d.component[s] && o.order.Compare(o.e.one, o.e.weight[d.ArcAt(n)]) > 0 {
			return false
		}
	}
	return true
}

func (o *ordered[W]) improve(s int32, d *direction, l *labeling) {
	x, ring := o.e.x, o.e.ring
	for n := d.Row[s]; n < d.Row[s+1]; n++ {
		t, arc := d.Other[n], d.ArcAt(n)
		if !d.leads(s, t) || ring.IsZero(o.e.weight[arc]) {
			continue
		}
		if label := extended(ring, x[s], o.e.weight[arc], d); o.order.Compare(label, x[t]) < 0 {
			x[t] = label
			l.improved(arc, s, t)
		}
	}
}

// labeling is the closure of selective rings, where a sum over paths is the weight of one of
// them. If every arc inside a component is at most as good as the empty path, labels are set once
// each (Dijkstra 1959, O(arcs · log states)). Otherwise they are corrected until they are stable
// (Bellman 1958, O(arcs · states) at worst).
type labeling struct {
	*problem
	labels labels

	// arc and from are, per state, the last arc inside its component that improved its label, and
	// the state at the arc's other end; −1: the label comes from outside. Backward, it is the
	// next arc of a best path.
	arc, from []int32
	once      bool                  // labels are set once each, not corrected
	queue     *rows.Queue[struct{}] // of states whose labels are not final; nil: not needed yet

	active, due []int32 // of label correction: states to follow in this round and the next
	queued      []bool
	walk        []int32 // of labelCycle: the traversal that first reached a state
}

// closeByLabels makes labeling the closure of a problem.
func closeByLabels(p *problem, by labels) {
	n := p.topology.NumStates()
	l := &labeling{problem: p, labels: by, arc: make([]int32, n), from: make([]int32, n)}
	for s := range n {
		l.arc[s], l.from[s] = -1, -1
	}
	p.closure, p.inner = l, l.arc
}

func (l *labeling) forward(lo, hi int) error  { return l.solve(lo, hi, l.direction(false)) }
func (l *labeling) backward(lo, hi int) error { return l.solve(lo, hi, l.direction(true)) }

func (l *labeling) solve(lo, hi int, d *direction) error {
	for _, s := range l.components.States[lo:hi] {
		l.arc[s], l.from[s] = -1, -1 // values of an earlier right-hand side
	}
	if l.once = l.noArcImproves(lo, hi, d); l.once {
		l.setLabels(lo, hi, d)
		return nil
	}
	return l.correctLabels(lo, hi, d)
}

// noArcImproves reports whether arcs of the component at positions lo … hi−1 never improve a
// path.
func (l *labeling) noArcImproves(lo, hi int, d *direction) bool {
	for _, s := range l.components.States[lo:hi] {
		if !l.labels.noArcImproves(s, d) {
			return false
		}
	}
	return true
}

func (l *labeling) setLabels(lo, hi int, d *direction) {
	if l.queue == nil {
		// The keys are the labels themselves: a label that changes is pushed again at once.
		l.queue = new(rows.Queue[struct{}])
		l.queue.Init(len(l.arc), func(a, b rows.Entry[struct{}]) bool {
			c := l.labels.compare(a.Item, b.Item)
			return c < 0 || c == 0 && a.Item < b.Item
		})
	}
	q := l.queue
	for _, s := range l.components.States[lo:hi] {
		if !l.labels.isZero(s) {
			q.Push(s, struct{}{})
		}
	}
	for !q.Empty() {
		l.labels.improve(q.Pop().Item, d, l)
	}
}

func (l *labeling) correctLabels(lo, hi int, d *direction) error {
	if l.queued == nil {
		l.queued, l.walk = make([]bool, len(l.arc)), make([]int32, len(l.arc))
	}
	l.active, l.due = l.active[:0], l.due[:0]
	for _, s := range l.components.States[lo:hi] {
		if !l.labels.isZero(s) {
			l.follow(s)
		}
	}
	relaxed := 0
	for len(l.due) > 0 {
		if err := l.interrupted(); err != nil {
			return err
		}
		l.active, l.due = l.due, l.active[:0]
		for _, s := range l.active {
			l.queued[s] = false
			l.labels.improve(s, d, l)
			relaxed += 1 + int(d.Row[s+1]-d.Row[s])
		}
		// A cycle that improves paths becomes a cycle of arcs that labels came from. The search
		// for it costs as much as the relaxations since the last one.
		if relaxed >= hi-lo {
			relaxed = 0
			if s, ok := l.labelCycle(lo, hi); ok {
				return diverges(s, lo, hi, "every turn improves it")
			}
		}
	}
	return nil
}

// improved records the arc, from s, of the new label of t, and schedules the arcs of t.
func (l *labeling) improved(arc, s, t int32) {
	l.arc[t], l.from[t] = arc, s
	if l.once {
		l.queue.Push(t, struct{}{})
	} else {
		l.follow(t)
	}
}

// follow schedules the arcs of t for the next round.
func (l *labeling) follow(t int32) {
	if !l.queued[t] {
		l.queued[t] = true
		l.due = append(l.due, t)
	}
}

// labelCycle returns a state of the component at positions lo … hi−1 whose label came along a
// cycle, if there is one.
func (l *labeling) labelCycle(lo, hi int) (int32, bool) {
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

// direction is the direction in which sums pass along the arcs of a component: to the states in
// use at their other ends, unless the arc has weight Zero.
type direction struct {
	rows.Adjacency
	before    bool // an arc extends paths at their beginning
	component []int32
	use       []bool // nil: all
}

// direction returns the direction of backward or forward sums. The states in use must be known.
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

// leads reports whether an arc from s to t, if there is one, passes the sum of s on.
func (d *direction) leads(s, t int32) bool {
	return d.component[t] == d.component[s] && (d.use == nil || d.use[t])
}

// extended returns x, the weight of paths, extended by an arc of weight w.
func extended[W any](ring semiring.Semiring[W], x, w W, d *direction) W {
	if d.before {
		x, w = w, x
	}
	return ring.Times(x, w)
}
