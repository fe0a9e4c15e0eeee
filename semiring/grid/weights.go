package grid

import (
	"math"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Weights are the weights of a Machine: one per state to start there, one per arc, and
// one per state to end there.
type Weights struct{ Initial, Arc, Final []semiring.ScaledFloat }

// SetWeights gives the machine other weights, without allocating; they are copied.
// Nobody may be using the machine meanwhile. The error wraps semiring.ErrShape if there
// are not as many as arcs and states.
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

// setNumbers sets the numbers of the weights. Those of arcs that write are multiplied by
// tilt. All paths that write y then weigh tilt^|y| times as much, so that posteriors are
// the same. But the greatest α of a row, and the greatest β, come to be near the nodes
// that paths visit: where paths go straight on, and as many symbols are read as are
// written, arcs that only read weigh as much then as those that only write.
func (m *Machine) setNumbers() {
	var greatest [3]float64 // by kind
	number := m.numbers.arc
	for k, w := range m.weight {
		number[k] = w.Float64()
		greatest[m.kind[k]] = max(greatest[m.kind[k]], number[k])
	}
	m.tilt = tilt(greatest[removes], greatest[inserts], greatest[both])
	for k, kind := range m.kind {
		if kind != removes {
			number[k] *= m.tilt
		}
	}
	if m.single != nil {
		for at, k := range m.rows.table {
			m.numbers.table[at] = number[k] // arc k is that of row k
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
}

// tilt returns the factor for arcs that write, given weights of arcs that remove, insert
// and do both. With factors u for reading and v for writing, a long walk straight on neither
// grows nor shrinks where ud + vi + uvs = 1 and ud = vi. A few digits of v are enough.
func tilt(d, i, s float64) float64 {
	const digits, steepest = 16, 60 // so that probabilities stay below greatestFactor
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
