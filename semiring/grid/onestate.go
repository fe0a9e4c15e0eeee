package grid

import "example.org/pathsum/semiring/internal/rows"

// table holds the arcs of a machine by their symbols. Only a machine of one state without
// parallel arcs, whose row index is a table, has one.
type table struct {
	arc []int32 // its number in the argument of New
}

// newTable returns the table of m, nil if it has none.
func newTable(m *Machine) *table {
	if rows := len(m.start) - 2; m.states > 1 || rows < m.NumArcs() || m.rows.table == nil {
		return nil
	}
	t := &table{arc: make([]int32, len(m.rows.table))}
	for at, k := range m.rows.table {
		t.arc[at] = m.arc[k]
	}
	return t
}

// oneState is the kernel for a machine with a table. Within a row, a cell depends on the others
// only through insertions.
type oneState[T number] struct {
	*forwardBackward[T]
	insert []T // per j: the weight of the arc that writes only
	sums   []T // per j: uses of this arc, divided by its weight
}

// take prepares s as the kernel of f.
func (s *oneState[T]) take(f *forwardBackward[T]) {
	s.forwardBackward = f
	s.insert, s.sums = rows.Resized(s.insert, f.m), rows.Resized(s.sums, f.m)
	insertions(f.pair, s.insert, f.table)
	clear(s.sums)
}

// insertions sets insert to the weights of the arcs that write only, per j.
func insertions[T number](p *pair, insert, table []T) {
	inserts := ofSymbol(p, table, 0)
	for j, y := range p.ys {
		insert[j] = inserts[y]
	}
}

// ofSymbol returns the part of a table for the arcs that read x, by the symbol written.
func ofSymbol[T any](p *pair, table []T, x int32) []T {
	return table[int(x)*p.rows.width:][:p.rows.width]
}

func (s *oneState[T]) first(row []T) bool {
	firstOneState(row, s.initial[0], s.insert)
	return s.settle(alphas, row, sumOf(row), 0, 0)
}

// firstOneState sets row to α of row 0.
func firstOneState[T number](row []T, initial T, insert []T) {
	z := initial
	row[0] = z
	for j, w := range insert {
		z *= w
		row[j+1] = z
	}
}

func (s *oneState[T]) ahead(rows []T) bool {
	for i := s.lo; i < s.hi; i++ {
		before, row := rowOf(s.pair, rows, i), rowOf(s.pair, rows, i+1)
		var sum T
		if s.loops != nil {
			sum = s.loops.aheadOneState(row, before, s.insert, s.of(s.xs[i]), s.ys)
		} else {
			sum = aheadOneState(row, before, s.insert, s.of(s.xs[i]), s.ys)
		}
		if !s.settle(alphas, row, sum, s.scale[0][i], i+1) {
			return false
		}
	}
	return true
}

// aheadOneState sets row to α, given α of the row before. insert holds the weights of the arcs
// that insert, and w the weights of the arcs that read a symbol, by the symbol written. It
// returns the sum of row.
func aheadOneState[T number](row, before, insert, w []T, ys []int32) (sum T) {
	remove := w[0]
	z := before[0] * remove
	row[0] = z
	sum = z
	ys = ys[:len(insert)]
	above, left, right := before[1:][:len(insert)], before[:len(insert)], row[1:][:len(insert)]
	for j, v := range insert {
		z = above[j]*remove + left[j]*w[ys[j]] + z*v
		right[j] = z
		sum += z
	}
	return sum
}

func (s *oneState[T]) last(row []T) bool {
	z := s.final[0]
	row[s.m] = z
	for j := s.m - 1; j >= 0; j-- {
		z *= s.insert[j]
		row[j] = z
	}
	return s.settle(betas, row, sumOf(row), 0, s.n)
}

func (s *oneState[T]) back(rows []T) bool {
	for i := s.hi - 1; i >= s.lo; i-- {
		row, after := rowOf(s.pair, rows, i), rowOf(s.pair, rows, i+1)
		var sum T
		if s.loops != nil {
			sum = s.loops.backOneState(row, after, s.insert, s.of(s.xs[i]), s.ys)
		} else {
			sum = backOneState(row, after, s.insert, s.of(s.xs[i]), s.ys)
		}
		if !s.settle(betas, row, sum, s.scale[1][i+1], i) {
			return false
		}
	}
	return true
}

// backOneState is aheadOneState for β, given β of the row after.
func backOneState[T number](row, after, insert, w []T, ys []int32) (sum T) {
	remove, m := w[0], len(insert)
	z := after[m] * remove
	row[m] = z
	sum = z
	ys = ys[:m]
	left, below, right := row[:m], after[:m], after[1:][:m]
	for j := m - 1; j >= 0; j-- {
		z = below[j]*remove + right[j]*w[ys[j]] + z*insert[j]
		left[j] = z
		sum += z
	}
	return sum
}

// of returns the weights of the arcs that read x, by the symbol written.
func (s *oneState[T]) of(x int32) []T { return ofSymbol(s.pair, s.table, x) }

func (s *oneState[T]) count(sum, alpha, beta []T) {
	p := s.pair
	for i := s.lo; i < s.hi; i++ {
		arc := ofSymbol(p, s.single.arc, s.xs[i])
		a, b, after, w := rowOf(p, alpha, i), rowOf(p, beta, i), rowOf(p, beta, i+1), s.of(s.xs[i])
		if s.loops != nil {
			s.loops.countOneState(sum, s.sums, a, b, after, s.unit[i], s.step[i], w, arc, s.ys)
		} else {
			countOneState(sum, s.sums, a, b, after, s.unit[i], s.step[i], w, arc, s.ys)
		}
	}
	if s.hi < s.n {
		return
	}
	addProducts(s.sums, rowOf(p, alpha, s.n), rowOf(p, beta, s.n)[1:], s.unit[s.n])
	addInserted(p, sum, s.sums, s.insert)
}

// addInserted adds to sum the posteriors of the arcs that write only, given the weights of these
// arcs, per j, and the posteriors divided by these weights.
func addInserted[T number](p *pair, sum, inserted, insert []T) {
	arc := ofSymbol(p, p.single.arc, 0)
	for j, y := range p.ys {
		sum[arc[y]] += inserted[j] * insert[j]
	}
}

// countOneState adds to sum the posteriors of the arcs that lead to the next row, given α, β, and
// β of the next row; and to inserted the posteriors of the arcs that insert, divided by their
// weights.
func countOneState[T number](sum, inserted, alpha, beta, after []T, unit, step T, w []T, arc, ys []int32) {
	m := len(ys)
	inserted = inserted[:m]
	a, right, below, across := alpha[:m], beta[1:][:m], after[:m], after[1:][:m]
	var removed T
	for j, y := range ys {
		visits := a[j]
		inserted[j] += visits * unit * right[j]
		visits *= step
		removed += visits * below[j]
		sum[arc[y]] += visits * (w[y] * across[j])
	}
	removed += alpha[m] * step * after[m]
	sum[arc[0]] += removed * w[0]
}
