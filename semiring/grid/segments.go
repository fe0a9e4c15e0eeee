package grid

import "example.org/pathsum/semiring/internal/rows"

// keptRows holds α or β of the rows lo, …, hi of the current segment. It also holds a copy of
// each segment's first row (for α) or last row (for β), from which the segment is recomputed.
type keptRows[T number] struct{ rows, marks []T }

// row returns row i.
func (l *keptRows[T]) row(p *pair, i int) []T { return rowOf(p, l.rows, i) }

// rowOf returns row i, given the rows of the current segment.
func rowOf[T number](p *pair, rows []T, i int) []T { return rows[(i-p.lo)*p.width:][:p.width] }

// cellOf returns cell j of a row.
func cellOf[T number](p *pair, row []T, j int) []T { return row[j*p.states:][:p.states] }

// grow allocates rows for p, and marks if p has several segments.
func (l *keptRows[T]) grow(p *pair) {
	l.rows = rows.Resized(l.rows, (min(p.segment, p.n)+1)*p.width)
	if n := p.segments(); n > 1 {
		l.marks = rows.Resized(l.marks, (n+1)*p.width)
	}
}

// forward computes α of all rows. Afterwards the last segment is current. It stops and returns
// false if the kernel does.
func (l *keptRows[T]) forward(k kernel[T], p *pair) bool {
	l.grow(p)
	for segment := range p.segments() {
		lo, _ := p.bounds(segment)
		if segment > 0 { // the last row of the segment before, which has full length
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

// backward computes β of all rows. Afterwards the first segment is current. It stops and returns
// false if the kernel does.
func (l *keptRows[T]) backward(k kernel[T], p *pair) bool {
	l.grow(p)
	for segment := p.segments() - 1; segment >= 0; segment-- {
		lo, hi := p.bounds(segment)
		last := l.rows[(hi-lo)*p.width:][:p.width]
		if hi < p.n {
			copy(last, l.rows[:p.width]) // the first row of the next segment
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

// forwardAgain recomputes α of the rows of the current segment from their mark.
func (l *keptRows[T]) forwardAgain(k kernel[T], p *pair, segment int) {
	if p.segments() > 1 {
		copy(l.row(p, p.lo), l.marks[segment*p.width:][:p.width])
		k.ahead(l.rows)
	}
}

// backwardAgain recomputes β of the rows of the current segment from their mark.
func (l *keptRows[T]) backwardAgain(k kernel[T], p *pair, segment int) {
	if p.segments() > 1 {
		copy(l.row(p, p.hi), l.marks[(segment+1)*p.width:][:p.width])
		k.back(l.rows)
	}
}
