package grid

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// tangent is a pass over the weights w·(1 + i·h·v) of a pair: the real parts of its results are
// posteriors, and the imaginary parts are h times their derivatives along v.
//
// To avoid cancellation v is centred first. A number subtracted from all arcs that read or write
// one symbol, or from all starts or ends, changes the V of every path by the same amount. So it
// does not affect covariances.
type tangent struct {
	forwardBackward[complex128]
	weights arcWeights[complex128]
	sums    arcParts[complex128] // all 0 between calls
	h       float64

	v                     []float64 // per arc
	initial, value, final []float64 // v, centred: per state, per arc in the machine's order, per state
	greatest              uint64    // bits of the greatest absolute value of an arc with a weight ≠ 0
	taken                 []float64 // per symbol written: the number subtracted from v
	uses                  []rowUse  // rows of arcs that the pair may use
	machine               *Machine  // the machine for which the following fields are valid
	call                  int
	read, written         []int   // per symbol: the last call with the symbol in its string
	symbols               []int32 // the distinct symbols of the written string
	both                  []int32 // rows of arcs that read the current symbol and write these symbols
}

// rowUse is a row of arcs, its index in the table of a machine of one state, and the number that
// is subtracted from v.
type rowUse struct {
	row, place int32
	taken      float64
}

// usualH is h unless v is very large or very small.
const usualH = 0x1p-56

// take prepares t for the pair p and the direction v, which it centres.
func (t *tangent) take(p *pair, v Parts) {
	m := p.Machine
	p.findRows()
	if t.machine != m {
		t.machine, t.call = m, 0
		t.read, t.written = rows.Resized(t.read, m.x.size()), rows.Resized(t.written, m.y.size())
		clear(t.read)
		clear(t.written)
	}
	t.call++
	t.v, t.taken = v.Arc, rows.Resized(t.taken, m.y.size())
	t.weights.arc, t.weights.table = rows.Resized(t.weights.arc, len(m.arc)), rows.Resized(t.weights.table, len(m.numbers.table))
	t.uses, t.symbols, t.greatest = t.uses[:0], t.symbols[:0], 0
	for j, y := range p.ys {
		if t.written[y] == t.call {
			continue
		}
		t.written[y], t.symbols = t.call, append(t.symbols, y)
		t.taken[y] = m.meanOf(v.Arc, p.insert[j])
		t.use(p.insert[j], 0, y, t.taken[y])
	}
	t.both = rows.Resized(t.both, len(t.symbols))
	for i, x := range p.xs {
		if t.read[x] == t.call {
			continue
		}
		t.read[x] = t.call
		m.rows.rowsOf(t.both, x, t.symbols)
		center := p.remove[i] // or else the first row of arcs that read x and write
		for j := 0; j < len(t.both) && m.start[center] == m.start[center+1]; j++ {
			center = t.both[j]
		}
		taken := m.meanOf(v.Arc, center)
		t.use(p.remove[i], x, 0, taken)
		for j, y := range t.symbols {
			t.use(t.both[j], x, y, taken+t.taken[y])
		}
	}
	t.initial, t.final = centered(t.initial, v.Initial, m.initial), centered(t.final, v.Final, m.final)
}

// use records that the pair may use a row of arcs, whose symbols have the numbers x and y, and
// sets the weights of the arcs for usualH.
func (t *tangent) use(row, x, y int32, taken float64) {
	m := t.machine
	place := x*int32(m.rows.width) + y
	if row == 0 { // no arcs
		if m.single != nil {
			t.weights.table[place] = 0
		}
		return
	}
	t.uses = append(t.uses, rowUse{row, place, taken})
	lo, hi := m.start[row], m.start[row+1]
	weight, number := t.weights.arc[lo:hi], m.numbers.arc[lo:hi]
	if m.single != nil {
		weight = t.weights.table[place : place+1]
	}
	v, greatest := t.v, t.greatest
	for k, arc := range m.arc[lo:hi] {
		w, value := number[k], -taken
		if v != nil {
			value += v[arc]
		}
		if w == 0 {
			weight[k] = 0 // for any v
			continue
		}
		weight[k] = complex(w, w*(usualH*value))
		greatest = max(greatest, math.Float64bits(math.Abs(value)))
	}
	t.greatest = greatest
}

// setValues sets the values of arcs that the pair may use.
func (t *tangent) setValues() {
	m := t.machine
	t.value = rows.Resized(t.value, len(m.arc))
	for _, u := range t.uses {
		for k := m.start[u.row]; k < m.start[u.row+1]; k++ {
			t.value[k] = of(t.v, m.arc[k]) - u.taken
		}
	}
}

// meanOf returns the mean of v over the arcs of a row with weight ≠ 0, or 0 for a row without
// such arcs. The mean is rounded to 24 bits so that sums of two means are exact.
func (m *Machine) meanOf(v []float64, row int32) float64 {
	sum, n := 0.0, 0.0
	for k := m.start[row]; k < m.start[row+1]; k++ {
		if m.weight[k].Mant != 0 {
			sum, n = sum+of(v, m.arc[k]), n+1
		}
	}
	const low = 1<<29 - 1
	return math.Float64frombits(math.Float64bits(sum/max(n, 1)) &^ low)
}

// centered sets dst to v minus its mean over the states with weight ≠ 0, and to 0 for other
// states.
func centered(dst, v []float64, weight []semiring.ScaledFloat) []float64 {
	dst = rows.Resized(dst, len(weight))
	sum, n := 0.0, 0.0
	for q, w := range weight {
		if w.Mant != 0 {
			sum, n = sum+of(v, int32(q)), n+1
		}
	}
	for q, w := range weight {
		if dst[q] = 0; w.Mant != 0 {
			dst[q] = of(v, int32(q)) - sum/n
		}
	}
	return dst
}

// of returns entry k of x, 0 if x is nil.
func of(x []float64, k int32) float64 {
	if x == nil {
		return 0
	}
	return x[k]
}

// fill sets the weights. It sets h to a power of 2 that makes h·V at most 2⁻³² for every path, so
// the error of real parts is at most 2⁻⁶⁴. It returns false if there is no such h.
func (t *tangent) fill(p *pair) bool {
	m, w := p.Machine, &t.weights
	greatest := math.Float64frombits(t.greatest)
	for q := range m.states {
		greatest = max(greatest, math.Abs(t.initial[q]), math.Abs(t.final[q]))
	}
	_, e := math.Frexp(greatest * float64(p.n+p.m+2))
	if !(greatest <= math.MaxFloat64) || e < -900 || e > 900 {
		return false
	}
	t.h = usualH
	if e < -16 || e > 24 { // h·V of paths would not be from 2⁻⁷² to 2⁻³²
		t.h = math.Ldexp(1, -32-e)
		t.setWeights()
	}
	t.sums.arc = rows.Resized(t.sums.arc, len(m.arc))
	w.initial, w.final = t.allAlong(w.initial, m.numbers.initial, t.initial), t.allAlong(w.final, m.numbers.final, t.final)
	t.sums.initial, t.sums.final = rows.Resized(t.sums.initial, m.states), rows.Resized(t.sums.final, m.states)
	return true
}

// setWeights sets the weights of arcs for h.
func (t *tangent) setWeights() {
	m := t.machine
	t.setValues()
	for _, u := range t.uses {
		for k := m.start[u.row]; k < m.start[u.row+1]; k++ {
			x := along(m.numbers.arc[k], t.h, t.value[k])
			if m.single != nil {
				t.weights.table[u.place] = x
			} else {
				t.weights.arc[k] = x
			}
		}
	}
}

// along returns w·(1 + i·h·v).
func along(w, h, v float64) complex128 {
	if w == 0 {
		return 0 // for any v
	}
	return complex(w, w*(h*v))
}

// allAlong sets dst to along for all w and v.
func (t *tangent) allAlong(dst []complex128, w, v []float64) []complex128 {
	dst = rows.Resized(dst, len(w))
	for q := range dst {
		dst[q] = along(w[q], t.h, v[q])
	}
	return dst
}

// derivatives adds weight times posteriors to count, and their derivatives to change. Call take
// first. If numbers cannot represent the results, or there is no path, it returns false and
// leaves count and change unchanged.
func (t *tangent) derivatives(p *pair, weight float64, count, change Parts) (semiring.ScaledFloat, bool) {
	if !p.narrow || !t.fill(p) {
		return semiring.ScaledFloat{}, false
	}
	t.forwardBackward.take(p, t.weights)
	total, ok := t.counts(1, t.sums)
	if !ok {
		return total, false
	}
	inverse := 1 / t.h
	addSums(count.Initial, change.Initial, t.sums.initial, weight, inverse)
	addSums(count.Final, change.Final, t.sums.final, weight, inverse)
	m := p.Machine
	for _, u := range t.uses {
		for _, arc := range m.arc[m.start[u.row]:m.start[u.row+1]] {
			x := t.sums.arc[arc]
			t.sums.arc[arc] = 0
			add(count.Arc, arc, weight*real(x))
			add(change.Arc, arc, weight*(imag(x)*inverse))
		}
	}
	return total, true
}

// addSums adds weight times the real parts of sums to count, and weight times inverse times the
// imaginary parts to change. It clears sums.
func addSums(count, change []float64, sums []complex128, weight, inverse float64) {
	for q, x := range sums {
		add(count, int32(q), weight*real(x))
		add(change, int32(q), weight*(imag(x)*inverse))
	}
	clear(sums)
}

// add adds y to entry k of x, unless x is nil.
func add(x []float64, k int32, y float64) {
	if x != nil {
		x[k] += y
	}
}
