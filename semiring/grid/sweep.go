package grid

import "example.org/pathsum/semiring/internal/rows"

// kernel computes rows of a grid from their neighbours, as numbers W. Its methods return
// false if the numbers do not do.
type kernel[W any] interface {
	// first sets row to α of row 0, the sums of the paths from the start to its nodes.
	first(row []W) bool
	// ahead sets α of the rows of the segment at hand, given that of its first row.
	ahead(rows []W) bool
	// last sets row to β of row n, the sums of the paths from its nodes to the end.
	last(row []W) bool
	// back sets β of the rows of the segment at hand, given that of its last row.
	back(rows []W) bool
}

// lines holds α or β of the rows lo, …, hi of a segment, and a copy of each segment's
// first row, or last, from which the segment is computed again.
type lines[W any] struct{ rows, marks []W }

// row returns row i.
func (l *lines[W]) row(p *pair, i int) []W { return rowOf(p, l.rows, i) }

// grow makes room for p, and for marks if it has several segments.
func (l *lines[W]) grow(p *pair) {
	l.rows = rows.Resized(l.rows, (min(p.segment, p.n)+1)*p.width)
	if n := p.segments(); n > 1 {
		l.marks = rows.Resized(l.marks, (n+1)*p.width)
	}
}

// forward computes α of all rows, and leaves the last segment at hand. It returns false
// as soon as the kernel does.
func (l *lines[W]) forward(k kernel[W], p *pair) bool {
	l.grow(p)
	for segment := range p.segments() {
		lo, _ := p.bounds(segment)
		if segment > 0 { // the last row of the segment before, which is no shorter
			copy(l.rows[:p.width], l.rows[p.segment*p.width:])
		}
		p.enter(segment)
		if segment == 0 && !k.first(l.row(p, 0)) {
			return false
		}
		if p.segments() > 1 {
			copy(l.marks[segment*p.width:], l.row(p, lo))
		}
		if !k.ahead(l.rows) {
			return false
		}
	}
	return true
}

// backward computes β of all rows, and leaves the first segment at hand. It returns false
// as soon as the kernel does.
func (l *lines[W]) backward(k kernel[W], p *pair) bool {
	l.grow(p)
	for segment := p.segments() - 1; segment >= 0; segment-- {
		lo, hi := p.bounds(segment)
		last := l.rows[(hi-lo)*p.width:][:p.width]
		if hi < p.n {
			copy(last, l.rows[:p.width]) // the first row of the segment after
		}
		p.enter(segment)
		if hi == p.n && !k.last(last) {
			return false
		}
		if p.segments() > 1 {
			copy(l.marks[(segment+1)*p.width:], last)
		}
		if !k.back(l.rows) {
			return false
		}
	}
	return true
}

// forwardAgain makes the rows of the segment at hand those of α, from their mark.
func (l *lines[W]) forwardAgain(k kernel[W], p *pair, segment int) {
	if p.segments() > 1 {
		copy(l.row(p, p.lo), l.marks[segment*p.width:][:p.width])
		k.ahead(l.rows)
	}
}

// backwardAgain makes the rows of the segment at hand those of β, from their mark.
func (l *lines[W]) backwardAgain(k kernel[W], p *pair, segment int) {
	if p.segments() > 1 {
		copy(l.row(p, p.hi), l.marks[(segment+1)*p.width:][:p.width])
		k.back(l.rows)
	}
}
