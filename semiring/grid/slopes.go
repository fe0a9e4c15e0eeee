package grid

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// slopes is HessianVector by float64 numbers, and the kernel of the slopes of α and of β:
// their derivatives along v, the sums over the paths up to a node, or from it on, of their
// weight times their V. Slopes are in the units of the numbers that they belong to, so what
// is said there of numbers that are rounded off holds for them too.
//
// So that little has to be taken away in the end, v is made small first. What is taken from
// all arcs of a step, from all that write one symbol, or from all starts or ends, is taken
// from every V, and makes no difference to a covariance.
type slopes struct {
	counting
	v, change Parts
	mean      float64 // of V, as far as it was not taken out

	removed, inserted []float64 // taken out of v: per step, and per j
	started, ended    float64   // of starts and of ends

	slope [2]lines[float64] // of α and of β
	at    [2]int            // the segments of which α and β are at hand

	none, waste []float64 // for what is nil
}

// greatestSlope keeps products of slopes finite.
const greatestSlope = 0x1p400

// byNumbers returns false, having added nothing, if numbers do not do, and if there is no path.
func (d *slopes) byNumbers() (semiring.ScaledFloat, bool) {
	total, ok := d.reckon()
	if !ok {
		return total, false
	}
	p := d.pair
	d.at = [2]int{p.segments() - 1, 0}
	d.fill()
	d.center()
	if !d.slope[0].forward(d, p) {
		return total, false
	}
	d.mean = d.meanOfV()
	if !(math.Abs(d.mean) <= greatestSlope) || !d.slope[1].backward(d, p) {
		return total, false
	}
	for segment := range p.segments() {
		p.enter(segment)
		alpha, beta := d.numbers(0), d.numbers(1)
		d.slope[0].forwardAgain(d, p, segment)
		d.slope[1].backwardAgain(d, p, segment)
		d.add(alpha, beta)
	}
	return total, true
}

// fill puts something in the place of what is nil.
func (d *slopes) fill() {
	n := max(d.NumArcs(), d.states)
	d.none, d.waste = rows.Resized(d.none, n), rows.Resized(d.waste, n)
	clear(d.none)
	for _, x := range []*[]float64{&d.v.Initial, &d.v.Arc, &d.v.Final} {
		if *x == nil {
			*x = d.none
		}
	}
	for _, x := range []*[]float64{&d.sum.Initial, &d.sum.Arc, &d.sum.Final, &d.change.Initial, &d.change.Arc, &d.change.Final} {
		if *x == nil {
			*x = d.waste
		}
	}
}

// center decides what to take out of v: means of the arcs that only read in a step, or only
// write at j, or else of those that do both.
func (d *slopes) center() {
	d.removed, d.inserted = rows.Resized(d.removed, d.n), rows.Resized(d.inserted, d.m)
	for i, r := range d.remove {
		if d.start[r] == d.start[r+1] && d.m > 0 {
			r = d.Machine.rows.row(d.xs[i], d.ys[min(i, d.m-1)])
		}
		d.removed[i] = d.meanOfRow(r)
	}
	for j, r := range d.insert {
		d.inserted[j] = d.meanOfRow(r)
	}
	d.started, d.ended = mean(d.v.Initial, d.initialNumber), mean(d.v.Final, d.finalNumber)
}

// meanOfRow returns the mean of v over the arcs of a row, 0 if there are none.
func (d *slopes) meanOfRow(r int32) float64 {
	sum, n := 0.0, 0.0
	for k := d.start[r]; k < d.start[r+1]; k++ {
		if d.number[k] != 0 {
			sum, n = sum+d.v.Arc[d.arc[k]], n+1
		}
	}
	return sum / max(n, 1)
}

// mean returns the mean of v where weights are not 0.
func mean(v, weights []float64) float64 {
	sum, n := 0.0, 0.0
	for q, w := range weights {
		if w != 0 {
			sum, n = sum+v[q], n+1
		}
	}
	return sum / max(n, 1)
}

// meanOfV returns what is left of the mean of V, given the slopes of the last row of α.
func (d *slopes) meanOfV() float64 {
	p := d.pair
	slope, a := cellOf(p, d.slope[0].row(p, p.n), p.m), cellOf(p, rowOf(p, d.numbers(0), p.n), p.m)
	sum, all := 0.0, 0.0
	for q, w := range d.finalNumber {
		if w != 0 {
			all += a[q] * w
			sum += (slope[q] + a[q]*(d.v.Final[q]-d.ended)) * w
		}
	}
	return sum / all
}

// numbers returns α, or β, of the segment at hand.
func (d *slopes) numbers(which int) []float64 {
	p, l := d.pair, &d.s.number[which]
	if segment := p.lo / p.segment; d.at[which] != segment {
		d.at[which] = segment
		if which == 0 {
			l.forwardAgain(d.s.kernel, p, segment)
		} else {
			l.backwardAgain(d.s.kernel, p, segment)
		}
	}
	return l.rows
}

// settle brings the slopes of a row to the units of the numbers there, which were multiplied
// by 2^−shift. It returns false if one is too great.
func settle(row []float64, shift int) bool {
	var most uint64
	for _, x := range row {
		most = max(most, math.Float64bits(x)&^(1<<63))
	}
	if shift != 0 {
		unit := math.Ldexp(1, -shift)
		for j := range row {
			row[j] *= unit
		}
	}
	return math.Float64frombits(most) <= greatestSlope
}

func (d *slopes) first(row []float64) bool {
	p, alpha := d.pair, d.numbers(0)
	clear(row)
	for q, v := range d.v.Initial[:d.states] {
		if d.initialNumber[q] != 0 {
			row[q] = alpha[q] * (v - d.started)
		}
	}
	for j, r := range p.insert {
		d.forward(cellOf(p, row, j+1), cellOf(p, row, j), cellOf(p, alpha, j), r, d.inserted[j], 1)
	}
	return settle(row, 0)
}

func (d *slopes) ahead(slope []float64) bool {
	p, alpha, scale := d.pair, d.numbers(0), d.s.floats.scale[0]
	if p.single == nil {
		p.prepare()
	}
	for i := p.lo; i < p.hi; i++ {
		before, above := rowOf(p, slope, i), rowOf(p, alpha, i)
		row, here := rowOf(p, slope, i+1), rowOf(p, alpha, i+1)
		shift := scale[i+1] - scale[i]
		if unit := math.Ldexp(1, shift); p.single != nil {
			d.aheadSingle(row, before, here, above, unit, i)
		} else {
			d.aheadRow(row, before, here, above, unit, i)
		}
		if !settle(row, shift) {
			return false
		}
	}
	return true
}

// aheadRow sets row to the slopes of α of row i+1, in units of row i, given those of row i,
// and α of both: here, in units·unit, and above.
func (d *slopes) aheadRow(row, before, here, above []float64, unit float64, i int) {
	p, remove, removed := d.pair, d.remove[i], d.removed[i]
	clear(row)
	d.forward(cellOf(p, row, 0), cellOf(p, before, 0), cellOf(p, above, 0), remove, removed, 1)
	for j, both := range p.both(i) {
		cell := cellOf(p, row, j+1)
		d.forward(cell, cellOf(p, before, j+1), cellOf(p, above, j+1), remove, removed, 1)
		d.forward(cell, cellOf(p, before, j), cellOf(p, above, j), both, removed+d.inserted[j], 1)
		d.forward(cell, cellOf(p, row, j), cellOf(p, here, j), p.insert[j], d.inserted[j], unit)
	}
}

// forward adds to the slopes of a cell, at the ends of the arcs of row r, what comes from
// a cell before with these slopes and numbers, the latter times unit.
func (d *slopes) forward(cell, slope, number []float64, r int32, taken, unit float64) {
	for k := d.start[r]; k < d.start[r+1]; k++ {
		q := d.Machine.from[k]
		cell[d.to[k]] += (slope[q] + number[q]*unit*(d.v.Arc[d.arc[k]]-taken)) * d.number[k]
	}
}

func (d *slopes) last(row []float64) bool {
	p := d.pair
	beta := rowOf(p, d.numbers(1), p.n)
	clear(row)
	for q, w := range d.finalNumber {
		if w != 0 {
			cellOf(p, row, p.m)[q] = cellOf(p, beta, p.m)[q] * (d.v.Final[q] - d.ended)
		}
	}
	for j := p.m - 1; j >= 0; j-- {
		d.backward(cellOf(p, row, j), cellOf(p, row, j+1), cellOf(p, beta, j+1), p.insert[j], d.inserted[j], 1)
	}
	return settle(row, 0)
}

func (d *slopes) back(slope []float64) bool {
	p, beta, scale := d.pair, d.numbers(1), d.s.floats.scale[1]
	if p.single == nil {
		p.prepare()
	}
	for i := p.hi - 1; i >= p.lo; i-- {
		row, here := rowOf(p, slope, i), rowOf(p, beta, i)
		after, below := rowOf(p, slope, i+1), rowOf(p, beta, i+1)
		shift := scale[i] - scale[i+1]
		if unit := math.Ldexp(1, shift); p.single != nil {
			d.backSingle(row, after, here, below, unit, i)
		} else {
			d.backRow(row, after, here, below, unit, i)
		}
		if !settle(row, shift) {
			return false
		}
	}
	return true
}

// backRow sets row to the slopes of β of row i, in units of row i+1, given those of row
// i+1, and β of both: here, in units·unit, and below.
func (d *slopes) backRow(row, after, here, below []float64, unit float64, i int) {
	p, remove, removed, both := d.pair, d.remove[i], d.removed[i], d.both(i)
	clear(row)
	d.backward(cellOf(p, row, p.m), cellOf(p, after, p.m), cellOf(p, below, p.m), remove, removed, 1)
	for j := p.m - 1; j >= 0; j-- {
		cell := cellOf(p, row, j)
		d.backward(cell, cellOf(p, after, j), cellOf(p, below, j), remove, removed, 1)
		d.backward(cell, cellOf(p, after, j+1), cellOf(p, below, j+1), both[j], removed+d.inserted[j], 1)
		d.backward(cell, cellOf(p, row, j+1), cellOf(p, here, j+1), p.insert[j], d.inserted[j], unit)
	}
}

// backward adds to the slopes of a cell, at the beginnings of the arcs of row r, what comes
// from a cell after with these slopes and numbers, the latter times unit.
func (d *slopes) backward(cell, slope, number []float64, r int32, taken, unit float64) {
	for k := d.start[r]; k < d.start[r+1]; k++ {
		q := d.to[k]
		cell[d.Machine.from[k]] += (slope[q] + number[q]*unit*(d.v.Arc[d.arc[k]]-taken)) * d.number[k]
	}
}
