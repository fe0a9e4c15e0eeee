package grid

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// numbers is the kernel of float64 numbers. Those of a row have a power of 2 in common
// that keeps the greatest of them between smallTop and largeTop. A product less than
// 2⁻¹⁰²² is rounded off or lost. That makes no difference to any posterior greater than
// 2⁻⁵⁰⁰:
//
// A loss of up to 2⁻¹⁰⁷⁴ in α grows by what brings the row back to its place, at most
// 2²⁰⁰, and then counts with β and unit, at most 2³² and 2²²⁰; and likewise in β. That is
// 2⁻⁶²² for an arc, and there are less than 2⁴⁰. Where numbers do not allow that, sums go
// by weights.
type numbers struct {
	*pair
	scale [2][]int // per row: of α, and of β
	// Per row: what to multiply by products of its α and its β, and of its α and the next
	// row's β, see units.
	unit, step []float64
}

const (
	smallTop, largeTop = 0x1p-32, 0x1p32
	leastTop           = 0x1p-200 // of a row that is to be brought back
	greatestFactor     = 0x1p64   // greatest weight
	greatestUnit       = 0x1p220
)

// setNumbers sets the numbers of the weights. Those of arcs that write are multiplied by
// tilt. All paths that write y then weigh tilt^|y| times as much, so that posteriors are
// the same. But the greatest α of a row, and the greatest β, come to be near the nodes
// that paths visit: where paths go straight on, and as many symbols are read as are
// written, arcs that only read weigh as much then as those that only write.
func (m *Machine) setNumbers() {
	var greatest [3]float64 // by kind
	for k, w := range m.weight {
		m.number[k] = w.Float64()
		greatest[m.kind[k]] = max(greatest[m.kind[k]], m.number[k])
	}
	m.tilt = tilt(greatest[removes], greatest[inserts], greatest[both])
	for k, kind := range m.kind {
		if kind != removes {
			m.number[k] *= m.tilt
		}
	}
	if m.single != nil {
		for at, k := range m.rows.table {
			m.single.weight[at] = m.number[k] // arc k is that of row k
		}
	}
	for q := range m.initial {
		m.initialNumber[q], m.finalNumber[q] = m.initial[q].Float64(), m.final[q].Float64()
	}
	m.narrow = true
	for _, x := range [][]float64{m.number, m.initialNumber, m.finalNumber} {
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

// take makes room for the scales of p.
func (f *numbers) take(p *pair) {
	f.pair = p
	for i := range f.scale {
		f.scale[i] = rows.Resized(f.scale[i], p.n+1)
	}
	f.unit, f.step = rows.Resized(f.unit, p.n+1), rows.Resized(f.step, p.n+1)
}

func (f *numbers) first(row []float64) bool {
	firstCells(f, f.pair, f.initialNumber, row)
	f.scale[0][0] = 0
	return center(row, greatest(row), &f.scale[0][0])
}

func (f *numbers) ahead(rows []float64) bool {
	f.prepare()
	for i := f.lo + 1; i <= f.hi; i++ {
		row := rowOf(f.pair, rows, i)
		aheadCells(f, f.pair, row, rowOf(f.pair, rows, i-1), i)
		f.scale[0][i] = f.scale[0][i-1]
		if !center(row, greatest(row), &f.scale[0][i]) {
			return false
		}
	}
	return true
}

func (f *numbers) last(row []float64) bool {
	lastCells(f, f.pair, f.finalNumber, row)
	f.scale[1][f.n] = 0
	return center(row, greatest(row), &f.scale[1][f.n])
}

func (f *numbers) back(rows []float64) bool {
	f.prepare()
	for i := f.hi - 1; i >= f.lo; i-- {
		row := rowOf(f.pair, rows, i)
		backCells(f, f.pair, row, rowOf(f.pair, rows, i+1), i)
		f.scale[1][i] = f.scale[1][i+1]
		if !center(row, greatest(row), &f.scale[1][i]) {
			return false
		}
	}
	return true
}

// greatest returns the greatest of some numbers ≥ 0, not a number if there is one.
func greatest(row []float64) float64 {
	var most uint64
	for _, a := range row {
		most = max(most, math.Float64bits(a)) // in the order of the numbers
	}
	return math.Float64frombits(most)
}

// center brings a row, given its greatest number, to its place. It returns false where
// there is nothing in the row, or too little or too much.
func center(row []float64, top float64, scale *int) bool {
	return smallTop <= top && top <= largeTop || recenter(row, top, scale)
}

func recenter(row []float64, top float64, scale *int) bool {
	if !(leastTop <= top && top <= math.MaxFloat64) {
		return false
	}
	*scale += weights.Center(top, row, nil)
	return true
}

func (f *numbers) forward(cell, before []float64, r int32) {
	lo, hi := f.start[r], f.start[r+1]
	from, to, w := f.Machine.from[lo:hi], f.to[lo:hi], f.number[lo:hi]
	to, w = to[:len(from)], w[:len(from)]
	for k, p := range from {
		cell[to[k]] += before[p] * w[k]
	}
}

func (f *numbers) backward(cell, after []float64, r int32) {
	lo, hi := f.start[r], f.start[r+1]
	from, to, w := f.Machine.from[lo:hi], f.to[lo:hi], f.number[lo:hi]
	to, w = to[:len(from)], w[:len(from)]
	for k, p := range from {
		cell[p] += w[k] * after[to[k]]
	}
}

// count adds to sum the posteriors of the arcs of the segment at hand, given α and β; also
// those in the last row of all.
func (f *numbers) count(sum, alpha, beta []float64) {
	f.prepare()
	for i := f.lo; i <= f.hi; i++ {
		if i == f.hi && i < f.n {
			return // a row of the segment after
		}
		a, b := rowOf(f.pair, alpha, i), rowOf(f.pair, beta, i)
		for j, r := range f.insert {
			f.countArcs(sum, r, cellOf(f.pair, a, j), cellOf(f.pair, b, j+1), f.unit[i])
		}
		if i == f.n {
			return
		}
		after := rowOf(f.pair, beta, i+1)
		for j, r := range f.both(i) {
			f.countArcs(sum, r, cellOf(f.pair, a, j), cellOf(f.pair, after, j+1), f.step[i])
		}
		for j := range f.m + 1 {
			f.countArcs(sum, f.remove[i], cellOf(f.pair, a, j), cellOf(f.pair, after, j), f.step[i])
		}
	}
}

// countArcs adds the posteriors of the arcs of row r between two cells, with α and β.
func (f *numbers) countArcs(sum []float64, r int32, alpha, beta []float64, unit float64) {
	lo, hi := f.start[r], f.start[r+1]
	from, to, w, arc := f.Machine.from[lo:hi], f.to[lo:hi], f.number[lo:hi], f.arc[lo:hi]
	to, w, arc = to[:len(from)], w[:len(from)], arc[:len(from)]
	for k, q := range from {
		sum[arc[k]] += alpha[q] * unit * (w[k] * beta[to[k]])
	}
}

// end returns the sum of all paths from α of the last row, as sum·2^scale.
func (f *numbers) end(last []float64) (sum float64, scale int) {
	for q, a := range last[f.m*f.states:] {
		sum += a * f.finalNumber[q]
	}
	return sum, f.scale[0][f.n]
}

// units sets what products of α and β are to be multiplied by to be posteriors times
// weight, where the total is sum·2^scale. It returns false if one is too great.
func (f *numbers) units(weight, sum float64, scale int) bool {
	inverse := 1 / sum
	for i := range f.unit {
		unit, ok := weights.Times2(inverse, f.scale[0][i]+f.scale[1][i]-scale, greatestUnit)
		if !ok {
			return false
		}
		f.unit[i] = unit * weight
		if i < f.n {
			if unit, ok = weights.Times2(inverse, f.scale[0][i]+f.scale[1][i+1]-scale, greatestUnit); !ok {
				return false
			}
			f.step[i] = unit * weight
		}
	}
	return true
}

// total returns the path sum if that of numbers is sum·2^scale.
func (p *pair) total(sum float64, scale int) semiring.ScaledFloat {
	w := semiring.NewScaled(math.Ldexp(sum, scale&511)).Mul(semiring.ScaledFloat{Mant: 1, Exp: int64(scale >> 9)})
	tilted := semiring.NewScaled(1)
	for x, n := semiring.NewScaled(p.tilt), p.m; n > 0; n >>= 1 {
		if n&1 == 1 {
			tilted = tilted.Mul(x)
		}
		x = x.Mul(x)
	}
	return w.Div(tilted)
}
