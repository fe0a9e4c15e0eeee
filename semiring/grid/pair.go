package grid

import (
	"math"

	"example.org/pathsum/semiring/internal/rows"
)

// pair is a machine and two strings: n symbols of x to be read and m of y to be written.
// Step i of the grid leads from row i to row i+1, the nodes at which i and i+1 symbols
// were read. A row has m+1 cells with a node for each state.
type pair struct {
	*Machine
	n, m, width int // width is the number of nodes of a row

	xs, ys         []int32 // numbers of the symbols
	remove, insert []int32 // rows of arcs: per step that only read, per j that only write

	segment int     // steps of a segment but the last
	lo, hi  int     // the segment at hand has the steps lo, …, hi−1
	cells   []int32 // see prepare: rows of arcs that read and write, per step and j
	// cells are those of the steps from, …, until−1.
	from, until int
}

// take makes p the pair of x and y, false if a symbol is unknown.
func (p *pair) take(m *Machine, x, y []int32) bool {
	p.Machine, p.n, p.m, p.width = m, len(x), len(y), (len(y)+1)*m.states
	p.lo, p.hi, p.from, p.until = 0, 0, 0, 0
	var ok bool
	if p.xs, ok = m.x.read(p.xs[:0], x); !ok {
		return false
	}
	if p.ys, ok = m.y.read(p.ys[:0], y); !ok {
		return false
	}
	p.insert = rows.Resized(p.insert, p.m)
	m.rows.rowsOf(p.insert, 0, p.ys)
	p.remove = rows.Resized(p.remove, p.n)
	for step, x := range p.xs {
		p.remove[step] = m.rows.row(x, 0)
	}
	p.segment = max(1, p.n)
	if p.n*p.width > m.mostNodes {
		p.segment = int(math.Ceil(math.Sqrt(float64(p.n))))
	}
	return true
}

// segments returns the number of segments: one if there is no step.
func (p *pair) segments() int { return max(1, (p.n+p.segment-1)/p.segment) }

// bounds returns the steps of a segment.
func (p *pair) bounds(segment int) (lo, hi int) {
	return segment * p.segment, min((segment+1)*p.segment, p.n)
}

// enter makes a segment that at hand.
func (p *pair) enter(segment int) { p.lo, p.hi = p.bounds(segment) }

// prepare finds the rows of arcs of the segment at hand, if that was not done.
func (p *pair) prepare() {
	if p.from == p.lo && p.until == p.hi {
		return
	}
	p.from, p.until = p.lo, p.hi
	p.cells = rows.Resized(p.cells, (p.hi-p.lo)*p.m)
	for step := p.lo; step < p.hi; step++ {
		p.rows.rowsOf(p.both(step), p.xs[step], p.ys)
	}
}

// both returns the rows of arcs that read and write in a step, per j; it was prepared.
func (p *pair) both(step int) []int32 { return p.cells[(step-p.lo)*p.m:][:p.m] }

// leaving calls visit for the arcs k that lead from the cell j of row i, if its step was
// prepared. from is the number of a node in row i, and to that of one in row
// i+down.
func (p *pair) leaving(i, j int, visit func(k int32, from, down, to int)) {
	arcs := func(r int32, down, cell int) {
		for k := p.start[r]; k < p.start[r+1]; k++ {
			visit(k, j*p.states+int(p.Machine.from[k]), down, cell*p.states+int(p.to[k]))
		}
	}
	if j < p.m {
		arcs(p.insert[j], 0, j+1)
	}
	if i == p.n {
		return
	}
	if j < p.m {
		arcs(p.both(i)[j], 1, j+1)
	}
	arcs(p.remove[i], 1, j)
}
