package grid

import (
	"math"

	"example.org/pathsum/semiring/internal/rows"
)

// pair is a machine and two strings: n symbols of x to be read and m of y to be written. Step i
// of the grid leads from row i to row i+1, the rows of nodes at which i and i+1 symbols were
// read. A row has m+1 cells with a node for each state.
type pair struct {
	*Machine
	n, m, width int // width is the number of nodes of a row

	xs, ys []int32 // numbers of the symbols
	// Rows of arcs: per step, arcs that only read; per j, arcs that only write; see findRows.
	remove, insert []int32

	segment int     // steps of every segment except the last
	lo, hi  int     // the current segment has the steps lo, …, hi−1
	cells   []int32 // rows of arcs that read and write, per step and j; see prepare
	// cells holds the rows of the steps preparedFrom, …, preparedTo−1.
	preparedFrom, preparedTo int
}

// take makes p the pair of x and y. It returns false if a symbol is unknown.
func (p *pair) take(m *Machine, x, y []int32) bool {
	p.Machine, p.n, p.m, p.width = m, len(x), len(y), (len(y)+1)*m.states
	p.lo, p.hi, p.preparedFrom, p.preparedTo = 0, 0, 0, 0
	var ok bool
	if p.xs, ok = m.x.read(p.xs[:0], x); !ok {
		return false
	}
	if p.ys, ok = m.y.read(p.ys[:0], y); !ok {
		return false
	}
	p.segment = max(1, p.n)
	if p.n*p.width > m.mostNodes {
		p.segment = int(math.Ceil(math.Sqrt(float64(p.n))))
	}
	return true
}

// findRows sets remove and insert.
func (p *pair) findRows() {
	p.insert = rows.Resized(p.insert, p.m)
	p.rows.rowsOf(p.insert, 0, p.ys)
	p.remove = rows.Resized(p.remove, p.n)
	for step, x := range p.xs {
		p.remove[step] = p.rows.row(x, 0)
	}
}

// segments returns the number of segments: one if there is no step.
func (p *pair) segments() int { return max(1, (p.n+p.segment-1)/p.segment) }

// bounds returns the steps of a segment.
func (p *pair) bounds(segment int) (lo, hi int) {
	return segment * p.segment, min((segment+1)*p.segment, p.n)
}

// enter makes a segment the current one.
func (p *pair) enter(segment int) { p.lo, p.hi = p.bounds(segment) }

// prepare finds the rows of arcs of the current segment unless cells already holds them.
func (p *pair) prepare() {
	if p.preparedFrom == p.lo && p.preparedTo == p.hi {
		return
	}
	p.preparedFrom, p.preparedTo = p.lo, p.hi
	p.cells = rows.Resized(p.cells, (p.hi-p.lo)*p.m)
	for step := p.lo; step < p.hi; step++ {
		p.rows.rowsOf(p.both(step), p.xs[step], p.ys)
	}
}

// both returns the rows of arcs that read and write in a step, per j. The step must be prepared.
func (p *pair) both(step int) []int32 { return p.cells[(step-p.lo)*p.m:][:p.m] }
