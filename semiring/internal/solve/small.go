package solve

import (
	"math"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// smallStates is the size up to which a component is solved as a dense matrix if
// its numbers are of moderate magnitude.
const smallStates = 16

// small solves components of few states in rings of numbers, together with what they
// get from outside: one is read, computed in float64 and written in few calls of the
// kernel, which per state would cost more than the terms.
type small struct {
	g   *problem
	use *usage

	inside, outside smallArcs
	end             [smallStates]int // of the outside arcs of each state
	smallSystem
}

// smallArcs are arcs that states take values by.
type smallArcs struct {
	arc    []int32
	from   []int32   // the states at their other ends
	at     []uint8   // the place in the matrix, or the row
	number []float64 // the weight, or the value taken
}

func (a *smallArcs) grow(n int) {
	a.arc, a.from, a.at, a.number = rows.Resized(a.arc, n), rows.Resized(a.from, n), rows.Resized(a.at, n), rows.Resized(a.number, n)
}

// pull replaces the sums x, which hold the start or final weights at the states of positions
// lo … hi−1, and elsewhere what is known of other states, by the sum over all paths. It
// returns false, having done nothing, unless the states are few, no weight inside is
// negative, and the range of float64 suffices whatever happens. Besides, the arcs inside
// that leave each state, or the arcs that enter each, must have a mass below 1.
func (m *small) pull(lo, hi int, from rows.Adjacency) bool {
	if hi-lo > smallStates {
		return false
	}
	m.find(lo, hi, from)
	return m.replace(lo, hi)
}

// solve is pull without what comes from outside, which the sums hold already.
func (m *small) solve(lo, hi int, from rows.Adjacency) bool {
	if hi-lo > smallStates {
		return false
	}
	m.find(lo, hi, from)
	m.outside.grow(0)
	m.end = [smallStates]int{}
	return m.replace(lo, hi)
}

// replace is pull for the arcs found.
func (m *small) replace(lo, hi int) bool {
	states := m.g.topology.Components().States[lo:hi]
	exp, any, ok := m.readOutside(states)
	if !ok || !m.readInside(states) {
		return false
	}
	if !any {
		return true
	}
	m.eliminate(len(states))
	unit := semiring.ScaledFloat{Mant: 1, Exp: exp}
	m.g.setNumbers(sums, 0, states, m.b[:len(states)], unit)
	return true
}

// find lists the arcs inside and those from outside.
func (m *small) find(lo, hi int, from rows.Adjacency) {
	c := m.g.topology.Components()
	position, states, room := c.Position, c.States[lo:hi], 0
	for _, s := range states {
		room += int(from.Row[s+1] - from.Row[s])
	}
	in, out := &m.inside, &m.outside
	in.grow(room)
	out.grow(room)
	i, o, n := 0, 0, uint(len(states))
	for p, s := range states {
		begin := from.Row[s]
		if m.use.skips(s) {
			m.end[p] = o
			continue
		}
		for k, t := range from.Other[begin:from.Row[s+1]] {
			arc, q := from.ArcAt(begin+int32(k)), uint(int(position[t])-lo)
			if q >= n {
				out.arc[o], out.from[o], out.at[o] = arc, t, uint8(p)
				o++
			} else if !m.use.skips(t) {
				in.arc[i], in.at[i] = arc, uint8(p*smallStates)+uint8(q)
				i++
			}
		}
		m.end[p] = o
	}
	in.grow(i)
	out.grow(o)
}

// readOutside sets b, in units of 2^(512·exp), and reports whether any of it is not 0.
// It returns false if a number is out of range in these units.
func (m *small) readOutside(states []int32) (exp int64, any, ok bool) {
	out, b := &m.outside, m.b[:len(states)]
	exp = m.g.readSums(b, states, out.number, out.arc, out.from)
	for k, p := range out.at {
		m.b[p%smallStates] += out.number[k]
	}
	for p, y := range b {
		if size := math.Abs(y); size >= tiny && size <= 1/tiny {
			any = true
		} else if y != 0 || !m.isZero(p, states[p]) {
			return 0, false, false
		}
	}
	return exp, any, true
}

// isZero reports whether all terms of b[p], of state s, are Zero.
func (m *small) isZero(p int, s int32) bool {
	begin := 0
	if p > 0 {
		begin = m.end[p-1]
	}
	out := &m.outside
	for k := begin; k < m.end[p]; k++ {
		if !m.g.isZero(sumOf(out.from[k])) && !m.g.isZero(arcAt(out.arc[k])) {
			return false
		}
	}
	return m.g.isZero(sumOf(s))
}

// readInside sets the matrix, and what leaks from rows or columns if some hardly do. It
// returns false unless all rows or all columns have a mass below 1 by more than the
// rounding of the arcs and of their sum can be.
func (m *small) readInside(states []int32) bool {
	in, n, cut := &m.inside, len(states), false
	m.g.readArcs(in.number, 0, in.arc)
	// A path through all states has a weight of at least least^n.
	least := math.Ldexp(1, -500/(n+1))
	m.clear(n)
	var rows, columns [smallStates]float64
	for k, at := range in.at {
		w := in.number[k]
		if !(w >= least) {
			if w != 0 || !m.g.isZero(arcAt(in.arc[k])) {
				return false
			}
			cut = true
		}
		m.a[at] += w
		rows[at/smallStates] += w
		columns[at%smallStates] += w
	}
	// Without the arcs of weight Zero, not all states need be in use.
	if cut && m.use.find != nil {
		m.use.known()
		if slices.ContainsFunc(states, m.use.skips) {
			return false
		}
	}
	// Weights lie above 2^-250: as logarithms they were rounded to 250 units.
	limit := 1 - 4*rounding*float64(250+len(in.at))
	if !m.g.exact {
		limit = 1 - 0x1p-9 // the leaks are inaccurate: how much is for others to say
	}
	m.leaking = nil
	switch {
	case allBelow(few, rows[:n]) || allBelow(few, columns[:n]):
	case allBelow(limit, rows[:n]):
		m.leak(n, 4)
		m.leaking = (*smallSystem).leaksOfRow
	case allBelow(limit, columns[:n]):
		m.leak(n, 0)
		m.leaking = (*smallSystem).leaksOfColumn
	default:
		return false
	}
	return true
}

// few is the mass up to which 1 − a loses no more than some bits.
const few = 1 - 0x1p-6

// leak sets what rows (shift 4) or columns (0) lack to 1, as accurately as if in twice
// the precision.
func (m *small) leak(n, shift int) {
	var low [smallStates]float64
	sum := &m.leaks
	for i := range n {
		sum[i] = 1
	}
	number := m.inside.number
	for k, at := range m.inside.at[:len(number)] {
		i, w := at>>shift%smallStates, number[k]
		next := sum[i] - w
		shift := next - sum[i]
		low[i] += (sum[i] - (next - shift)) - (w + shift)
		sum[i] = next
	}
	for i := range n {
		sum[i] += low[i]
	}
}

func allBelow(limit float64, sums []float64) bool {
	for _, sum := range sums {
		if !(sum < limit) {
			return false
		}
	}
	return true
}

// smallSystem is x = A·x + b, with rows of smallStates numbers in a.
type smallSystem struct {
	a [smallStates * smallStates]float64
	b [smallStates]float64
	// leaks is what rows or columns of A lack to 1. With leaking, elimination does
	// without subtraction (see leaky): it says how much leaves state k for those not
	// yet eliminated and for good, and shares its leak among them.
	leaks   [smallStates]float64
	leaking func(m *smallSystem, k int) float64
}

func (m *smallSystem) clear(n int) { clear(m.a[:n*smallStates]) }

func (m *smallSystem) row(p int) *[smallStates]float64 {
	return (*[smallStates]float64)(m.a[p*smallStates:])
}

// eliminate replaces b by the solution, the last state first, then the others.
func (m *smallSystem) eliminate(n int) {
	for k := n - 1; k >= 0; k-- {
		row := m.row(k)
		pivot := 1 - row[k]
		if m.leaking != nil {
			pivot = m.leaking(m, k)
		}
		inv := 1 / pivot
		for q := range row[:k] {
			row[q] *= inv
		}
		m.b[k] *= inv
		for p := range k {
			other := m.row(p)
			f := other[k]
			if f == 0 {
				continue
			}
			for q, y := range row[:k] {
				other[q] += f * y
			}
			m.b[p] += f * m.b[k]
		}
	}
	for p := 1; p < n; p++ {
		m.b[p] += floatDot(m.row(p)[:p], m.b[:p])
	}
}

// leaksOfRow is leaking for the leaks of rows.
func (m *smallSystem) leaksOfRow(k int) float64 {
	pivot := m.leaks[k]
	for _, y := range m.row(k)[:k] {
		pivot += y
	}
	for p := range k {
		m.leaks[p] += m.row(p)[k] * (m.leaks[k] / pivot)
	}
	return pivot
}

// leaksOfColumn is leaking for the leaks of columns.
func (m *smallSystem) leaksOfColumn(k int) float64 {
	pivot := m.leaks[k]
	for p := range k {
		pivot += m.row(p)[k]
	}
	for q, y := range m.row(k)[:k] {
		m.leaks[q] += y * (m.leaks[k] / pivot)
	}
	return pivot
}

func floatDot(a, b []float64) float64 {
	sum := 0.0
	b = b[:len(a)]
	for q, x := range a {
		sum += x * b[q]
	}
	return sum
}
