package solve

import (
	"math"
	"slices"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// denseStates is the greatest number of states of a component that is solved as a dense matrix,
// if its numbers are of moderate magnitude.
const denseStates = 16

// denseSolver solves components of few states in rings of numbers, together with the terms from
// outside. A component is read, computed in float64 and written in few calls of the kernel; calls
// per state would cost more than the terms.
type denseSolver struct {
	*problem
	numbers numbers

	inside, outside denseArcs
	end             [denseStates]int // per state: the end of its outside arcs
	denseSystem
}

// denseArcs are arcs by which states get terms.
type denseArcs struct {
	arc    []int32
	from   []int32   // the states at their other ends
	at     []uint8   // the index in the matrix, or the row
	number []float64 // the weight, or the term
}

func (a *denseArcs) grow(n int) {
	a.arc, a.from, a.at, a.number = rows.Resized(a.arc, n), rows.Resized(a.from, n), rows.Resized(a.at, n), rows.Resized(a.number, n)
}

// pull replaces the sums x by the sum over all paths. At positions lo … hi−1 x contains the start
// or final weights, and elsewhere the known sums of other states. The states must be few, weights
// inside must not be negative, and the range of float64 must suffice in any case. In addition,
// the arcs inside that leave each state, or the arcs inside that enter each, must have a mass
// below 1. Otherwise pull returns false and leaves x unchanged.
func (m *denseSolver) pull(lo, hi int, from rows.Adjacency) bool {
	if hi-lo > denseStates {
		return false
	}
	m.find(lo, hi, from)
	return m.replace(lo, hi)
}

// solve is pull without the terms from outside, which the sums already include.
func (m *denseSolver) solve(lo, hi int, from rows.Adjacency) bool {
	if hi-lo > denseStates {
		return false
	}
	m.find(lo, hi, from)
	m.outside.grow(0)
	m.end = [denseStates]int{}
	return m.replace(lo, hi)
}

// replace is pull for the arcs found.
func (m *denseSolver) replace(lo, hi int) bool {
	states := m.components.States[lo:hi]
	exp, any, ok := m.readOutside(states)
	if !ok || !m.readInside(states) {
		return false
	}
	if !any {
		return true
	}
	m.eliminate(len(states))
	unit := semiring.ScaledFloat{Mant: 1, Exp: exp}
	m.numbers.setSums(states, m.b[:len(states)], unit)
	return true
}

// find lists the arcs inside and the arcs from outside.
func (m *denseSolver) find(lo, hi int, from rows.Adjacency) {
	c := m.components
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
				in.arc[i], in.at[i] = arc, uint8(p*denseStates)+uint8(q)
				i++
			}
		}
		m.end[p] = o
	}
	in.grow(i)
	out.grow(o)
}

// readOutside sets b, in units of 2^(512·exp), and reports whether a part of it is not 0. It
// returns false if a number is out of range in these units.
func (m *denseSolver) readOutside(states []int32) (exp int64, any, ok bool) {
	out, b := &m.outside, m.b[:len(states)]
	exp = m.numbers.readSums(b, states, out.number, out.arc, out.from)
	for k, p := range out.at {
		m.b[p%denseStates] += out.number[k]
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
func (m *denseSolver) isZero(p int, s int32) bool {
	begin := 0
	if p > 0 {
		begin = m.end[p-1]
	}
	out := &m.outside
	for k := begin; k < m.end[p]; k++ {
		if !m.numbers.isZeroSum(out.from[k]) && !m.numbers.isZeroArc(out.arc[k]) {
			return false
		}
	}
	return m.numbers.isZeroSum(s)
}

// readInside sets the matrix and, if some rows or columns leak very little, their leaks. It
// returns false unless all rows or all columns have a mass below 1 by more than the possible
// rounding error of the arcs and of their sum.
func (m *denseSolver) readInside(states []int32) bool {
	in, n, cut := &m.inside, len(states), false
	m.numbers.readArcs(in.number, 0, in.arc)
	// A path through all states has a weight of at least least^n.
	least := math.Ldexp(1, -500/(n+1))
	m.clear(n)
	var rows, columns [denseStates]float64
	for k, at := range in.at {
		w := in.number[k]
		if !(w >= least) {
			if w != 0 || !m.numbers.isZeroArc(in.arc[k]) {
				return false
			}
			cut = true
		}
		m.a[at] += w
		rows[at/denseStates] += w
		columns[at%denseStates] += w
	}
	// Because of arcs of weight Zero, some states may not be in use.
	if cut && m.use.find != nil {
		m.use.known()
		if slices.ContainsFunc(states, m.use.skips) {
			return false
		}
	}
	// Weights lie above 2^-250: as logarithms they were rounded to 250 units.
	limit := 1 - 4*rounding*float64(250+len(in.at))
	if !m.exact {
		limit = 1 - 0x1p-9 // the leaks are inaccurate: other methods compute their error
	}
	m.leaking = nil
	switch {
	case allBelow(few, rows[:n]) || allBelow(few, columns[:n]):
	case allBelow(limit, rows[:n]):
		m.leak(n, 4)
		m.leaking = (*denseSystem).leaksOfRow
	case allBelow(limit, columns[:n]):
		m.leak(n, 0)
		m.leaking = (*denseSystem).leaksOfColumn
	default:
		return false
	}
	return true
}

// few is the mass up to which 1 − a loses only some bits.
const few = 1 - 0x1p-6

// leak sets the differences of 1 and the sums of rows (shift 4) or columns (0), as accurately as
// in twice the precision.
func (m *denseSolver) leak(n, shift int) {
	var low [denseStates]float64
	sum := &m.leaks
	for i := range n {
		sum[i] = 1
	}
	number := m.inside.number
	for k, at := range m.inside.at[:len(number)] {
		i, w := at>>shift%denseStates, number[k]
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

// denseSystem is x = A·x + b, with rows of denseStates numbers in a.
type denseSystem struct {
	a [denseStates * denseStates]float64
	b [denseStates]float64
	// leaks are the differences of 1 and the sums of rows or columns of A. If leaking is set,
	// elimination avoids subtraction (see leakElimination): leaking returns the mass that leaves
	// state k to remaining states and for good, and distributes its leak among these states.
	leaks   [denseStates]float64
	leaking func(m *denseSystem, k int) float64
}

func (m *denseSystem) clear(n int) { clear(m.a[:n*denseStates]) }

func (m *denseSystem) row(p int) *[denseStates]float64 {
	return (*[denseStates]float64)(m.a[p*denseStates:])
}

// eliminate replaces b by the solution, first for the last state, then for the others.
func (m *denseSystem) eliminate(n int) {
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
func (m *denseSystem) leaksOfRow(k int) float64 {
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
func (m *denseSystem) leaksOfColumn(k int) float64 {
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
