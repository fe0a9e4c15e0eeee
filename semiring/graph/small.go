package graph

import (
	"math"

	"example.org/pathsum/semiring"
)

// smallStates is the size up to which a component is solved as a dense matrix if
// its numbers are of moderate magnitude.
const smallStates = 16

// smallRow is the length of a row of small.
const smallRow = smallStates + 1

// small is a component of few states.
type small struct {
	a [smallStates * smallRow]float64 // rows of the matrix, with b after the last column
	b [smallStates]semiring.ScaledFloat
	// The arcs inside, their weights, and where these belong in a.
	arcs, at []int32
	weight   []float64
}

// solveSmall replaces x like closure. It returns false, having done nothing, unless
// no weight is negative, the arcs leaving each state, or those entering each, have
// a mass below 1, and the range of float64 suffices whatever happens.
func (l *linear[W]) solveSmall(x []W, lo, hi int, from reading) bool {
	c, m, n := l.g.topology.components(), &l.small, hi-lo
	scale := semiring.ScaledFloat{}
	for p := range n {
		m.b[p] = l.mass.of(x[c.state(lo+p)])
		if m.b[p].Cmp(scale) > 0 {
			scale = m.b[p]
		}
	}
	if !scale.IsFinite() || scale.IsZero() {
		return false
	}
	for p, b := range m.b[:n] {
		row := m.row(p, n)
		clear(row)
		if row[n] = b.Div(scale).Float64(); !(row[n] >= tiny) && !b.IsZero() {
			return false
		}
	}
	if !l.readSmall(lo, hi, from) || !m.substochastic(n) {
		return false
	}
	m.eliminate(n)
	for p := range n {
		x[c.state(lo+p)] = l.mass.weight(semiring.NewScaled(m.row(p, n)[n]).Mul(scale))
	}
	return true
}

// readSmall adds the arcs to the matrix. It returns false if a weight is too small
// or too large.
func (l *linear[W]) readSmall(lo, hi int, from reading) bool {
	c, m, n := l.g.topology.components(), &l.small, hi-lo
	states, room := c.states[lo:hi], 0
	for _, s := range states {
		room += int(from.row[s+1] - from.row[s])
	}
	arcs, at, found := resized(m.arcs, room), resized(m.at, room), 0
	for p, s := range states {
		if l.use != nil && !l.use[s] {
			continue
		}
		begin := from.row[s]
		for k, t := range from.other[begin:from.row[s+1]] {
			q := int(c.position[t]) - lo
			if uint(q) >= uint(n) || l.use != nil && !l.use[t] {
				continue
			}
			arcs[found], at[found] = from.arcAt(begin+int32(k)), int32(p*smallRow+q)
			found++
		}
	}
	arcs, at = arcs[:found], at[:found]
	m.arcs, m.at, m.weight = arcs, at, resized(m.weight, found)
	l.numbers.read(m.weight, l.g.weight, arcs)
	// A path through all states has a weight of at least least^n.
	least := math.Ldexp(1, -500/(n+1))
	for k, w := range m.weight {
		if !(w >= least && w < mantHigh) {
			if w == 0 && l.g.ring.IsZero(l.g.weight[arcs[k]]) {
				continue
			}
			return false
		}
		m.a[at[k]] += w
	}
	return true
}

// row returns row p of the n rows, with b.
func (m *small) row(p, n int) []float64 { return m.a[p*smallRow : p*smallRow+n+1] }

// substochastic reports whether all rows or all columns have a mass below 1 by more
// than the rounding of the arcs and of their sum can be.
func (m *small) substochastic(n int) bool {
	// Weights lie above 2^-250: as logarithms they were rounded to 250 units.
	limit := 1 - 4*rounding*float64(250+len(m.arcs))
	return m.rowsBelow(n, limit) || m.columnsBelow(n, limit)
}

func (m *small) rowsBelow(n int, limit float64) bool {
	for p := range n {
		sum := 0.0
		for _, x := range m.row(p, n)[:n] {
			sum += x
		}
		if !(sum < limit) {
			return false
		}
	}
	return true
}

func (m *small) columnsBelow(n int, limit float64) bool {
	var sums [smallStates]float64
	for p := range n {
		for q, x := range m.row(p, n)[:n] {
			sums[q] += x
		}
	}
	for _, sum := range sums[:n] {
		if !(sum < limit) {
			return false
		}
	}
	return true
}

// eliminate replaces b by the solution of x = A·x + b.
func (m *small) eliminate(n int) {
	for k := range n {
		row := m.row(k, n)
		inv := 1 / (1 - row[k])
		row = row[k+1:]
		for q := range row {
			row[q] *= inv
		}
		for p := k + 1; p < n; p++ {
			other := m.row(p, n)
			f := other[k]
			if f == 0 {
				continue
			}
			other = other[k+1:]
			other = other[:len(row)]
			for q, x := range row {
				other[q] += f * x
			}
		}
	}
	for k := n - 2; k >= 0; k-- {
		row := m.row(k, n)
		sum := row[n]
		for q := k + 1; q < n; q++ {
			sum += row[q] * m.a[q*smallRow+n]
		}
		row[n] = sum
	}
}
