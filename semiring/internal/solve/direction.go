package solve

import "example.org/pathsum/semiring/internal/rows"

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
