package grid

import (
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// steepest bounds the exponents of tilt and lift, so that probabilities stay below greatestFactor.
const steepest = 60

// Weights are the weights of a Machine: one per state for starting there, one per arc, and one
// per state for ending there.
type Weights struct{ Initial, Arc, Final []semiring.ScaledFloat }

// SetWeights copies w into the machine, without allocating. The machine must not be in use during
// the call. The error wraps semiring.ErrShape if the numbers of weights differ from the numbers
// of arcs and states.
func (m *Machine) SetWeights(w Weights) error {
	if len(w.Initial) != m.states || len(w.Final) != m.states || len(w.Arc) != m.NumArcs() {
		return nested.Errorf("grid: %w: weights of %d starts, %d arcs and %d ends for a machine of %d states and %d arcs",
			semiring.ErrShape, len(w.Initial), len(w.Arc), len(w.Final), m.states, m.NumArcs())
	}
	copy(m.initial, w.Initial)
	copy(m.final, w.Final)
	for k := 1; k < len(m.arc); k++ {
		m.weight[k] = w.Arc[m.arc[k]]
	}
	m.setNumbers()
	return nil
}

// setNumbers sets the weights as float64 numbers. It multiplies the weights of arcs that write by
// tilt. This multiplies the weight of every path that writes y by tilt^|y|, so posteriors stay
// the same. But the greatest α and β of a row move close to the nodes that probable paths visit:
// on a diagonal, where equally many symbols are read and written, arcs that only read then weigh
// as much as arcs that only write. It multiplies the weights of arcs that read by 2^lift, so that
// sums of rows seldom need rescaling.
func (m *Machine) setNumbers() {
	var greatest [3]float64 // by kind
	number := m.numbers.arc
	for k, w := range m.weight {
		number[k] = w.Float64()
		greatest[m.kind[k]] = max(greatest[m.kind[k]], number[k])
	}
	m.tilt = tilt(greatest[removes], greatest[inserts], greatest[both])
	insert, write := greatest[inserts]*m.tilt, greatest[both]*m.tilt
	m.lift = lift(growth(greatest[removes], insert, write))
	up := math.Ldexp(1, m.lift)
	for k, kind := range m.kind {
		if kind != removes {
			number[k] *= m.tilt
		}
		if kind != inserts {
			number[k] *= up
		}
	}
	if m.single != nil {
		for at, k := range m.rows.table {
			m.numbers.table[at] = number[k] // row k consists of arc k
		}
	}
	for q := range m.initial {
		m.numbers.initial[q], m.numbers.final[q] = m.initial[q].Float64(), m.final[q].Float64()
	}
	m.narrow = true
	for _, x := range [][]float64{number, m.numbers.initial, m.numbers.final} {
		for _, a := range x {
			m.narrow = m.narrow && 0 <= a && a <= greatestFactor
		}
	}
	m.longestPlain = -1
	if m.narrow && m.single != nil {
		m.longestPlain = plainLength(greatest[removes]*up, insert, write*up, max(m.numbers.initial[0], m.numbers.final[0]))
	}
}

// growth returns an upper bound of the quotient of the sums of α of two adjacent rows, given the
// greatest weights of arcs that remove, insert and do both. It is infinite or not a number if
// there is no bound. Arcs that read contribute at most remove + both times the sum of a row to
// the next row, and insertions multiply this by at most 1 + insert + insert² + …. The same holds
// for β.
func growth(remove, insert, both float64) float64 {
	if !(insert < 1) {
		return math.Inf(1)
	}
	return (remove + both) / (1 - insert)
}

// lift returns the exponent of the power of 2 that is closest to the inverse of growth, 0 if
// there is none.
func lift(growth float64) int {
	if !(growth > 0 && growth <= math.MaxFloat64) {
		return 0
	}
	_, e := math.Frexp(growth * (math.Sqrt2 / 2))
	return max(-steepest, min(-e, steepest))
}

// tilt returns the factor for arcs that write, given weights of arcs that remove, insert and do
// both. With factors u for reading and v for writing, a long diagonal walk neither grows nor
// shrinks if ud + vi + uvs = 1 and ud = vi. A few digits of v are enough.
func tilt(d, i, s float64) float64 {
	const digits = 16
	v := 1 / i / (1 + math.Sqrt(1+s/d/i))
	if !(v > 0) || v > math.MaxFloat64 {
		return 1
	}
	mant, e := math.Frexp(v)
	if e < -steepest || e > steepest {
		return math.Ldexp(1, max(-steepest, min(e, steepest)))
	}
	return math.Ldexp(math.Round(mant*digits)/digits, e)
}
