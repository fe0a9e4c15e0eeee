package grid

import (
	"math"

	"example.org/pathsum/semiring/internal/rows"
)

// table is what a machine of one state without parallel arcs has too, where the index of
// its rows is a table: weights, as numbers, and arcs by the symbols.
type table struct {
	weight []float64
	arc    []int32 // its number in the order that New was given
}

// newTable returns the table of m, nil if it has none.
func newTable(m *Machine) *table {
	if rows := len(m.start) - 2; m.states > 1 || rows < m.NumArcs() || m.rows.table == nil {
		return nil
	}
	t := &table{weight: make([]float64, len(m.rows.table)), arc: make([]int32, len(m.rows.table))}
	for at, k := range m.rows.table {
		t.arc[at] = m.arc[k]
	}
	return t
}

// single is the kernel of float64 numbers for a machine with a table. The cells of a row
// depend on each other by the insertions alone.
type single struct {
	*numbers
	*table
	insert []float64 // per j: the weight of the arc that writes only
	sums   []float64 // per j: uses of this arc, divided by its weight
}

// take makes s the kernel of the pair of f.
func (s *single) take(f *numbers) {
	s.numbers, s.table = f, f.pair.single
	s.insert, s.sums = rows.Resized(s.insert, f.m), rows.Resized(s.sums, f.m)
	for j, y := range f.ys {
		s.insert[j] = s.weight[y]
	}
	clear(s.sums)
}

func (s *single) first(row []float64) bool {
	z := s.initialNumber[0]
	row[0] = z
	for j, w := range s.insert {
		z *= w
		row[j+1] = z
	}
	s.scale[0][0] = 0
	return center(row, greatest(row), &s.scale[0][0])
}

func (s *single) ahead(rows []float64) bool {
	width, insert, scale := s.width, s.insert, s.scale[0][s.lo]
	for i := s.lo; i < s.hi; i++ {
		w := s.of(s.xs[i])
		remove := w[0]
		before, row := rows[:width], rows[width:][:width]
		z := before[0] * remove
		row[0] = z
		most := math.Float64bits(z)
		ys := s.ys[:len(insert)]
		above, left, right := before[1:][:len(insert)], before[:len(insert)], row[1:][:len(insert)]
		for j, v := range insert {
			z = above[j]*remove + left[j]*w[ys[j]] + z*v
			right[j] = z
			most = max(most, math.Float64bits(z)) // in the order of the numbers
		}
		if !center(row, math.Float64frombits(most), &scale) {
			return false
		}
		s.scale[0][i+1] = scale
		rows = rows[width:]
	}
	return true
}

func (s *single) last(row []float64) bool {
	z := s.finalNumber[0]
	row[s.m] = z
	for j := s.m - 1; j >= 0; j-- {
		z *= s.insert[j]
		row[j] = z
	}
	s.scale[1][s.n] = 0
	return center(row, greatest(row), &s.scale[1][s.n])
}

func (s *single) back(rows []float64) bool {
	width, insert, scale := s.width, s.insert, s.scale[1][s.hi]
	for i := s.hi - 1; i >= s.lo; i-- {
		w := s.of(s.xs[i])
		remove := w[0]
		both := rows[(i-s.lo)*width:][:2*width]
		row, after := both[:width], both[width:]
		z := after[s.m] * remove
		row[s.m] = z
		most := math.Float64bits(z)
		ys := s.ys[:len(insert)]
		left, below, right := row[:len(insert)], after[:len(insert)], after[1:][:len(insert)]
		for j := len(insert) - 1; j >= 0; j-- {
			z = below[j]*remove + right[j]*w[ys[j]] + z*insert[j]
			left[j] = z
			most = max(most, math.Float64bits(z))
		}
		if !center(row, math.Float64frombits(most), &scale) {
			return false
		}
		s.scale[1][i] = scale
	}
	return true
}

// of returns the weights of the arcs that read x, by what they write.
func (s *single) of(x int32) []float64 { return s.weight[int(x)*s.rows.width:][:s.rows.width] }

// count adds the posteriors of the segment at hand, given α and β; also those of the last
// row of all.
func (s *single) count(sum, alpha, beta []float64) {
	m, width, sums := s.m, s.width, s.sums
	for i := s.lo; i < s.hi; i++ {
		unit, step, x := s.unit[i], s.step[i], int(s.xs[i])*s.rows.width
		w, arc := s.weight[x:][:s.rows.width], s.arc[x:][:s.rows.width]
		at := (i - s.lo) * width
		both := beta[at:][:2*width]
		a, right, below, across := alpha[at:][:len(sums)], both[1:][:len(sums)], both[width:][:len(sums)], both[width+1:][:len(sums)]
		ys := s.ys[:len(sums)]
		removed := 0.0
		for j, y := range ys {
			visits := a[j]
			sums[j] += visits * unit * right[j]
			visits *= step
			removed += visits * below[j]
			sum[arc[y]] += visits * (w[y] * across[j])
		}
		removed += alpha[at+m] * step * both[width+m]
		sum[arc[0]] += removed * w[0]
	}
	if s.hi < s.n {
		return
	}
	last := (s.n - s.lo) * width
	addProducts(sums, alpha[last:], beta[last+1:], s.unit[s.n])
	for j, y := range s.ys {
		sum[s.arc[y]] += sums[j] * s.insert[j]
	}
}
