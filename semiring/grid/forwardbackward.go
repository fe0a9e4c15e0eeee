package grid

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// forwardBackward computes α and β of a pair, and from them posteriors. The numbers of a row
// share a power of 2 that keeps their sum between smallSum and largeSum. A product less than
// 2⁻¹⁰²² is rounded off or lost. That makes no difference to any posterior greater than 2⁻⁵⁰⁰. A
// pass with slopes loses more; see slopes.
//
// A loss of up to 2⁻¹⁰⁷⁴ in α grows by the factor that rescales the row, at most 2²⁰⁰. It is then
// multiplied by β and unit, at most 2³² and 2²²⁰. The same holds for β. The loss is at most 2⁻⁶²²
// per arc, and there are fewer than 2⁴⁰ arcs. If numbers exceed these bounds, sums are computed
// weight by weight.
type forwardBackward[T number] struct {
	*pair
	arcWeights[T]
	loops       loops[T]  // replaces the generic loops, nil to use them
	kernel      kernel[T] // anyStates or oneState
	oneState    oneState[T]
	alpha, beta keptRows[T]
	scale       [2][]int // per row: exponents of alphas and of betas
	// Per row: the factor of the product of its α and its β, and of its α and the next row's β;
	// see units.
	unit, step []T
}

// arcWeights are weights as numbers. Weights of arcs are multiplied by powers of 2 and tilted; see
// setNumbers.
type arcWeights[T number] struct {
	initial, arc, final []T
	table               []T // of the arcs of a machine of one state; see type table
}

// arcParts holds a number for every part of a Machine, as Parts does.
type arcParts[T number] struct{ initial, arc, final []T }

const (
	smallSum, largeSum = 0x1p-32, 0x1p32
	leastSum           = 0x1p-200 // of a row that can be rescaled
	greatestFactor     = 0x1p64   // greatest weight
	greatestUnit       = 0x1p220
	heaviest           = 0x1p256 // weight of a pair; keeps its products finite
)

// kernel computes rows of a grid from their neighbours. Its methods return false if the numbers
// cannot represent the sums.
type kernel[T number] interface {
	// first sets row to α of row 0, the sums of the paths from the start to its nodes.
	first(row []T) bool
	// ahead sets α of the rows of the current segment, given α of the first row.
	ahead(rows []T) bool
	// last sets row to β of row n, the sums of the paths from its nodes to the end.
	last(row []T) bool
	// back sets β of the rows of the current segment, given β of the last row.
	back(rows []T) bool
	// count adds to sum the posteriors of the arcs of the current segment, given α and β. In the
	// last segment that includes the arcs within the last row.
	count(sum, alpha, beta []T)
}

// loops are the loops over the cells of a row, and over the arcs between two cells, for a type of
// numbers that has faster loops than the generic functions of the same names.
type loops[T number] interface {
	addForward(cell, before []T, from, to []int32, w []T)
	addBackward(cell, after []T, from, to []int32, w []T)
	addPosteriors(sum, alpha, beta []T, unit T, from, to, arc []int32, w []T)
	aheadOneState(row, before, insert, w []T, ys []int32) T
	backOneState(row, after, insert, w []T, ys []int32) T
	countOneState(sum, inserted, alpha, beta, after []T, unit, step T, w []T, arc, ys []int32)
}

// take prepares f for a pass over p with weights w.
func (f *forwardBackward[T]) take(p *pair, w arcWeights[T]) {
	f.pair, f.arcWeights = p, w
	for i := range f.scale {
		f.scale[i] = rows.Resized(f.scale[i], p.n+1)
	}
	f.unit, f.step = rows.Resized(f.unit, p.n+1), rows.Resized(f.step, p.n+1)
	if p.single != nil {
		f.oneState.take(f)
		f.kernel = &f.oneState
	} else {
		p.findRows()
		f.kernel = (*anyStates[T])(f)
	}
}

// alphas computes α; the total is sum·2^scale. It returns false if numbers cannot represent it.
func (f *forwardBackward[T]) alphas() (sum T, scale int, ok bool) {
	if !f.narrow || !f.alpha.forward(f.kernel, f.pair) {
		return 0, 0, false
	}
	for q, a := range f.alpha.row(f.pair, f.n)[f.m*f.states:] {
		sum += a * f.final[q]
	}
	return sum, f.scale[0][f.n], true
}

// counts adds to sum weight times the posteriors of all parts, and returns the total. If numbers
// cannot represent the posteriors, or there is no path, it returns false and leaves the sums
// unchanged.
func (f *forwardBackward[T]) counts(weight float64, to arcParts[T]) (semiring.ScaledFloat, bool) {
	if !(weight <= heaviest) {
		return semiring.ScaledFloat{}, false
	}
	sum, scale, ok := f.alphas()
	if !ok || sum == 0 || !f.beta.backward(f.kernel, f.pair) || !f.units(weight, sum, scale) {
		return semiring.ScaledFloat{}, false
	}
	p, alpha, beta := f.pair, &f.alpha, &f.beta
	for segment := range p.segments() {
		p.enter(segment)
		alpha.forwardAgain(f.kernel, p, segment)
		beta.backwardAgain(f.kernel, p, segment)
		if segment == 0 {
			addProducts(to.initial, alpha.row(p, 0), beta.row(p, 0), f.unit[0])
		}
		if to.arc != nil {
			f.kernel.count(to.arc, alpha.rows, beta.rows)
		}
	}
	a, b := alpha.row(p, p.n), beta.row(p, p.n)
	addProducts(to.final, cellOf(p, a, p.m), cellOf(p, b, p.m), f.unit[p.n])
	return p.total(realPart(sum), scale), true
}

// addProducts adds to sum, unless it is nil, the products of a and b times unit.
func addProducts[T number](sum, a, b []T, unit T) {
	a, b = a[:len(sum)], b[:len(sum)]
	for j := range sum {
		sum[j] += a[j] * unit * b[j]
	}
}

// units sets the factors that turn products of α and β into posteriors times weight; the total is
// sum·2^scale. It returns false if a factor is too great.
func (f *forwardBackward[T]) units(weight float64, sum T, scale int) bool {
	inverse, factor := 1/sum, numberOf[T](weight)
	for i := range f.unit {
		unit, ok := times2(inverse, f.scale[0][i]+f.scale[1][i]-scale, greatestUnit)
		if !ok {
			return false
		}
		f.unit[i] = unit * factor
		if i < f.n {
			if unit, ok = times2(inverse, f.scale[0][i]+f.scale[1][i+1]-scale, greatestUnit); !ok {
				return false
			}
			f.step[i] = unit * factor
		}
	}
	return true
}

// total returns the path sum, given the sum of numbers as sum·2^scale.
func (p *pair) total(sum float64, scale int) semiring.ScaledFloat {
	scale -= p.n * p.lift
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

// The two sums of a node: over the paths that lead to it, and over the paths that leave it.
const (
	alphas = iota
	betas
)

// settle rescales row i of alphas or betas if necessary, given its sum in units of 2^scale. It
// returns false if the sum is zero, too small or too large.
func (f *forwardBackward[T]) settle(which int, row []T, sum T, scale, i int) bool {
	f.scale[which][i] = scale
	size := realPart(sum)
	return smallSum <= size && size <= largeSum || center(row, size, &f.scale[which][i])
}

// center rescales a row whose sum is size. It returns false if size is out of range.
func center[T number](row []T, size float64, scale *int) bool {
	if !(leastSum <= size && size <= math.MaxFloat64) {
		return false
	}
	shift := weights.Center(size, nil, nil)
	unit := numberOf[T](math.Ldexp(1, -shift))
	for j := range row {
		row[j] *= unit
	}
	*scale += shift
	return true
}

// anyStates is the kernel for any machine.
type anyStates[T number] forwardBackward[T]

func (f *anyStates[T]) pass() *forwardBackward[T] { return (*forwardBackward[T])(f) }

func (f *anyStates[T]) first(row []T) bool {
	p := f.pair
	clear(row)
	copy(row, f.initial)
	for j, r := range p.insert {
		f.forward(cellOf(p, row, j+1), cellOf(p, row, j), r)
	}
	return f.pass().settle(alphas, row, sumOf(row), 0, 0)
}

func (f *anyStates[T]) ahead(rows []T) bool {
	p := f.pair
	p.prepare()
	for i := f.lo; i < f.hi; i++ {
		row, before, remove := rowOf(p, rows, i+1), rowOf(p, rows, i), p.remove[i]
		clear(row)
		f.forward(cellOf(p, row, 0), cellOf(p, before, 0), remove)
		for j, both := range p.both(i) {
			cell := cellOf(p, row, j+1)
			f.forward(cell, cellOf(p, before, j+1), remove)
			f.forward(cell, cellOf(p, before, j), both)
			f.forward(cell, cellOf(p, row, j), p.insert[j])
		}
		if !f.pass().settle(alphas, row, sumOf(row), f.scale[0][i], i+1) {
			return false
		}
	}
	return true
}

func (f *anyStates[T]) last(row []T) bool {
	p := f.pair
	clear(row)
	copy(cellOf(p, row, p.m), f.final)
	for j := p.m - 1; j >= 0; j-- {
		f.backward(cellOf(p, row, j), cellOf(p, row, j+1), p.insert[j])
	}
	return f.pass().settle(betas, row, sumOf(row), 0, f.n)
}

func (f *anyStates[T]) back(rows []T) bool {
	p := f.pair
	p.prepare()
	for i := f.hi - 1; i >= f.lo; i-- {
		row, after, remove, both := rowOf(p, rows, i), rowOf(p, rows, i+1), p.remove[i], p.both(i)
		clear(row)
		f.backward(cellOf(p, row, p.m), cellOf(p, after, p.m), remove)
		for j := p.m - 1; j >= 0; j-- {
			cell := cellOf(p, row, j)
			f.backward(cell, cellOf(p, after, j), remove)
			f.backward(cell, cellOf(p, after, j+1), both[j])
			f.backward(cell, cellOf(p, row, j+1), p.insert[j])
		}
		if !f.pass().settle(betas, row, sumOf(row), f.scale[1][i+1], i) {
			return false
		}
	}
	return true
}

// forward adds the contributions of before along the arcs of row r to cell.
func (f *anyStates[T]) forward(cell, before []T, r int32) {
	lo, hi := f.start[r], f.start[r+1]
	if f.loops != nil {
		f.loops.addForward(cell, before, f.from[lo:hi], f.to[lo:hi], f.arcWeights.arc[lo:hi])
		return
	}
	addForward(cell, before, f.from[lo:hi], f.to[lo:hi], f.arcWeights.arc[lo:hi])
}

// backward adds the contributions of after along the arcs of row r, reversed, to cell.
func (f *anyStates[T]) backward(cell, after []T, r int32) {
	lo, hi := f.start[r], f.start[r+1]
	if f.loops != nil {
		f.loops.addBackward(cell, after, f.from[lo:hi], f.to[lo:hi], f.arcWeights.arc[lo:hi])
		return
	}
	addBackward(cell, after, f.from[lo:hi], f.to[lo:hi], f.arcWeights.arc[lo:hi])
}

// addForward adds before[from[k]]·w[k] to cell[to[k]] for every arc k.
func addForward[T number](cell, before []T, from, to []int32, w []T) {
	to, w = to[:len(from)], w[:len(from)]
	for k, p := range from {
		cell[to[k]] += before[p] * w[k]
	}
}

// addBackward adds after[to[k]]·w[k] to cell[from[k]] for every arc k.
func addBackward[T number](cell, after []T, from, to []int32, w []T) {
	to, w = to[:len(from)], w[:len(from)]
	for k := 0; k < len(from); {
		q := from[k]
		z := cell[q]
		for ; k < len(from) && from[k] == q; k++ {
			z += after[to[k]] * w[k]
		}
		cell[q] = z
	}
}

func (f *anyStates[T]) count(sum, alpha, beta []T) {
	p := f.pair
	p.prepare()
	for i := f.lo; i <= f.hi; i++ {
		if i == f.hi && i < f.n {
			return // this row belongs to the next segment
		}
		a, b := rowOf(p, alpha, i), rowOf(p, beta, i)
		for j, r := range f.insert {
			f.countArcs(sum, r, cellOf(p, a, j), cellOf(p, b, j+1), f.unit[i])
		}
		if i == f.n {
			return
		}
		after := rowOf(p, beta, i+1)
		for j, r := range p.both(i) {
			f.countArcs(sum, r, cellOf(p, a, j), cellOf(p, after, j+1), f.step[i])
		}
		for j := range f.m + 1 {
			f.countArcs(sum, f.remove[i], cellOf(p, a, j), cellOf(p, after, j), f.step[i])
		}
	}
}

// countArcs adds the posteriors of the arcs of row r between two cells with the given α and β.
func (f *anyStates[T]) countArcs(sum []T, r int32, alpha, beta []T, unit T) {
	lo, hi := f.start[r], f.start[r+1]
	if f.loops != nil {
		f.loops.addPosteriors(sum, alpha, beta, unit, f.from[lo:hi], f.to[lo:hi], f.pair.arc[lo:hi], f.arcWeights.arc[lo:hi])
		return
	}
	addPosteriors(sum, alpha, beta, unit, f.from[lo:hi], f.to[lo:hi], f.pair.arc[lo:hi], f.arcWeights.arc[lo:hi])
}

// addPosteriors adds the posteriors of arcs between two cells with the given α and β.
func addPosteriors[T number](sum, alpha, beta []T, unit T, from, to, arc []int32, w []T) {
	to, w, arc = to[:len(from)], w[:len(from)], arc[:len(from)]
	for k, q := range from {
		sum[arc[k]] += alpha[q] * unit * (w[k] * beta[to[k]])
	}
}
