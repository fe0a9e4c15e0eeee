package solve

import (
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
	"example.org/pathsum/semiring/internal/weights"
)

// leakElimination eliminates a component of non-negative numbers in float64 without
// subtracting any (Grassmann, Taksar and Heyman, "Regenerative analysis and steady
// state distributions for Markov chains", 1985).
//
// A star 1/(1 − a) loses the leading digits that 1 and a share. Let w = v − A·v instead, for any
// positive vector v. Row k states that (1 − aₖₖ)·vₖ = wₖ + Σ aₖⱼ·vⱼ over j ≠ k: a sum of the mass
// that leaves state k, without cancellation if w ≥ 0. Elimination treats w as an additional
// column. For v = 1, w is the leak of each state: the mass that its arcs lack to 1. It is
// computed once, exactly except for one rounding, from the arcs as they are. From then on the
// relative error of every number is of the order of (states)·2⁻⁵³, however small the leak.
//
// Leaks of both signs cancel. The reported error bound follows from the excess of size, the sum
// of their absolute values, over their sum.
type leakElimination struct {
	lo, n  int
	rows   square  // A
	arcs   square  // A or its transpose: the matrix to eliminate
	exact  bool    // the arcs are exactly the numbers of the weights
	doubts float64 // relative rounding error of the weights, in units of 2⁻⁵³

	// Per state: the vector v, and w = v − A·v with the sum of its absolute contributions. doubt
	// is the possible error of w from roundings of the arcs by 2⁻⁵³; leaks reports whether a part
	// of w exceeds that error.
	v, w, size, doubt []float64
	leaks             []bool

	// The factors of arcs, by rows. Offsets of rows may start at any base.
	lowerRow, upperRow []int32
	lowerAt, upperAt   []int32 // positions
	lower, upper, star []float64

	bound float64   // on the relative error due to cancellation
	at    int       // the first state whose pivot is uncertain
	mass  float64   // of its cycles
	work  []float64 // per position of the graph, all 0 between uses
	place []int32   // storage of lowerAt and upperAt
	pace  workload

	number []float64 // scratch of read
}

// square is a matrix in compressed rows.
type square struct {
	row, col []int32
	a        []float64
}

func (m *square) clear() { m.row, m.col, m.a = append(m.row[:0], 0), m.col[:0], m.a[:0] }

func (m *square) closeRow() { m.row = append(m.row, int32(len(m.col))) }

// transposed returns the transpose of m.
func (m *square) transposed() square {
	t := rows.Transposed(m.row, m.col)
	c := square{t.Row, t.Other, make([]float64, len(m.a))}
	for n, e := range t.Arc {
		c.a[n] = m.a[e]
	}
	return c
}

// grow allocates storage for l.n states of a graph with the given number of states.
func (l *leakElimination) grow(states int) {
	if l.work == nil {
		l.work = make([]float64, states)
	}
	for _, x := range []*[]float64{&l.v, &l.w, &l.size, &l.doubt, &l.star} {
		*x = rows.Resized(*x, l.n)
	}
	l.leaks = rows.Resized(l.leaks, l.n)
}

// faceRows selects elimination by rows of A.
func (l *leakElimination) faceRows(pl *plan) {
	l.arcs = l.rows
	l.face(pl, pl.lower.row, pl.lower.col, pl.upper.row, pl.upper.col)
}

// faceColumns selects elimination by columns of A. Their factors have the pattern of the factors
// of rows with lower and upper exchanged.
func (l *leakElimination) faceColumns(pl *plan) {
	l.arcs = l.rows.transposed()
	l.face(pl, pl.upper.in.Row, pl.upper.in.Other, pl.lower.in.Row, pl.lower.in.Other)
}

// face sets the pattern of factors, given as states.
func (l *leakElimination) face(pl *plan, lowerRow, lower, upperRow, upper []int32) {
	hi := l.lo + l.n
	l.lowerRow, l.upperRow = lowerRow[l.lo:hi+1], upperRow[l.lo:hi+1]
	l.place = l.place[:0]
	for _, states := range [][]int32{
		lower[lowerRow[l.lo]:lowerRow[hi]], upper[upperRow[l.lo]:upperRow[hi]],
	} {
		for _, s := range states {
			l.place = append(l.place, pl.position[s])
		}
	}
	n := int(lowerRow[hi] - lowerRow[l.lo])
	l.lowerAt, l.upperAt = l.place[:n], l.place[n:]
	l.lower, l.upper = rows.Resized(l.lower, n), rows.Resized(l.upper, len(l.upperAt))
}

// leak sets w, size, doubt and leaks for the vector v; nil stands for 1. It reports whether no
// state gains mass beyond the rounding error of numbers that add up to 1.
func (l *leakElimination) leak(v []float64) bool {
	gains, m := false, &l.arcs
	for i := range l.n {
		unit, terms := 1.0, m.row[i+1]-m.row[i]
		if v != nil {
			unit = v[i]
		}
		// In twice the precision of float64: low is the sum of the rounding errors of sum.
		sum, low, total := unit, 0.0, 0.0
		for n := m.row[i]; n < m.row[i+1]; n++ {
			y := m.a[n]
			if v != nil {
				x := v[m.col[n]]
				y *= x
				low -= math.FMA(m.a[n], x, -y)
			}
			next := sum - y
			shift := next - sum
			low += (sum - (next - shift)) - (y + shift)
			sum = next
			total += y
		}
		w := sum + low
		l.v[i], l.w[i], l.size[i], l.doubt[i] = unit, w, math.Abs(w), rounding*total
		margin := rounding * l.doubts * (8*unit + math.Sqrt(float64(terms))*total)
		l.leaks[i] = w > margin
		gains = gains || w < -margin
	}
	return !gains
}

// outcome is the result of an elimination.
type outcome int8

const (
	uncertain  outcome = iota // the factors are useful as an approximation
	certain                   // all pivots are positive: the component converges
	outOfRange                // products might underflow or overflow
	interrupted
)

// run eliminates the states in order of their positions. A pivot is certain if it includes arcs
// or a leak and exceeds the possible error due to cancellation. If sceptical is set, it must also
// exceed the possible error due to rounding of the arcs.
func (l *leakElimination) run(sceptical bool) outcome {
	result := certain
	l.bound = 0
	work, lo := l.work, int32(l.lo)
	lowerBase, upperBase := l.lowerRow[0], l.upperRow[0]
	unit := rounding * float64(l.n)
	for i := range l.n {
		for n := l.arcs.row[i]; n < l.arcs.row[i+1]; n++ {
			work[lo+l.arcs.col[n]] += l.arcs.a[n]
		}
		w, size, doubt, leaks := l.w[i], l.size[i], l.doubt[i], l.leaks[i]
		for n := l.lowerRow[i] - lowerBase; n < l.lowerRow[i+1]-lowerBase; n++ {
			p := l.lowerAt[n]
			x := work[p]
			work[p] = 0
			if x == 0 {
				l.lower[n] = 0
				continue
			}
			r := p - lo
			x *= l.star[r]
			if !inRange(x) {
				return l.giveUp(outOfRange)
			}
			l.lower[n] = x
			begin, end := l.upperRow[r]-upperBase, l.upperRow[r+1]-upperBase
			at, upper := l.upperAt[begin:end], l.upper[begin:end]
			upper = upper[:len(at)]
			for m, q := range at {
				work[q] += x * upper[m]
			}
			if l.pace.done(len(at)+1) != nil {
				return l.giveUp(interrupted)
			}
			w, size, doubt, leaks = w+x*l.w[r], size+x*l.size[r], doubt+x*l.doubt[r], leaks || l.leaks[r]
		}
		returning := work[lo+int32(i)]
		work[lo+int32(i)] = 0
		leaving := 0.0
		for n := l.upperRow[i] - upperBase; n < l.upperRow[i+1]-upperBase; n++ {
			q := l.upperAt[n]
			y := work[q]
			work[q] = 0
			if y != 0 && !inRange(y) {
				return l.giveUp(outOfRange)
			}
			l.upper[n] = y
			leaving += y * l.v[q-lo]
		}
		l.w[i], l.size[i], l.doubt[i], l.leaks[i] = w, size, doubt, leaks
		off := unit * (size - w)
		need := 4 * off
		if sceptical {
			need += 4 * l.doubts * doubt
		}
		if !l.exact {
			off += doubt
		}
		pivot := w + leaving
		if !(pivot > need) || leaving == 0 && !leaks {
			if result == certain {
				result, l.at, l.mass = uncertain, i, 1-pivot/l.v[i]
			}
			pivot = l.v[i] * max(math.Abs(1-returning), rounding)
		}
		l.bound = max(l.bound, off/pivot)
		if l.star[i] = l.v[i] / pivot; !inRange(l.star[i]) {
			return l.giveUp(outOfRange)
		}
	}
	return result
}

func (l *leakElimination) giveUp(result outcome) outcome {
	clear(l.work[l.lo : l.lo+l.n])
	return result
}

// inRange reports whether products of two numbers of the size of x neither underflow nor
// overflow.
func inRange(x float64) bool { return x >= tiny && x <= 1/tiny }

// balance sets v to (1 − A)⁻¹·1 by the factors of rows, so that every state leaks the same mass.
// It returns false if the result is not a positive vector. Close to divergence it approximates
// the eigenvector, however inaccurate the factors are: this is a step of inverse iteration.
func (l *leakElimination) balance(v []float64) bool {
	lo, lowerBase, upperBase := int32(l.lo), l.lowerRow[0], l.upperRow[0]
	for i := range v {
		v[i] = 1
		for n := l.lowerRow[i] - lowerBase; n < l.lowerRow[i+1]-lowerBase; n++ {
			v[i] += l.lower[n] * v[l.lowerAt[n]-lo]
		}
	}
	for i := l.n - 1; i >= 0; i-- {
		for n := l.upperRow[i] - upperBase; n < l.upperRow[i+1]-upperBase; n++ {
			v[i] += l.upper[n] * v[l.upperAt[n]-lo]
		}
		v[i] *= l.star[i]
	}
	scaleToOne(v)
	for _, x := range v {
		if !inRange(x) {
			return false
		}
	}
	return true
}

// factor computes the factors of the arcs that were read, by rows or by columns. They are valid
// if the outcome is certain.
//
// It tries 1 as the vector v for the rows of A, which works if no state passes on more than it
// has. Then it tries 1 for the columns, which works if no state receives more than the others
// have. Then it tries better and better approximations of the eigenvector, until cancellation is
// negligible.
func (l *leakElimination) factor(pl *plan) (result outcome, columns bool) {
	const rounds = 4 // after two, v is as accurate as rounding allows
	if l.faceRows(pl); l.leak(nil) {
		return l.run(!l.exact), false
	}
	if l.faceColumns(pl); l.leak(nil) {
		return l.run(!l.exact), true
	}
	l.faceRows(pl)
	l.leak(nil)
	v := make([]float64, l.n)
	for range rounds {
		result = l.run(true)
		if result == outOfRange || result == interrupted || result == certain && l.bound <= negligible {
			break
		}
		if !l.balance(v) {
			return outOfRange, false
		}
		l.leak(v)
	}
	return result, false
}

// read sets the arcs to the arcs inside a component. It returns false if one is negative or out
// of range.
func (l *leakElimination) read(m numbers, pl *plan, in inside) bool {
	l.lo, l.n = int(in.lo), int(in.hi-in.lo)
	l.grow(len(in.row) - 1)
	l.rows.clear()
	farthest := 0
	for p := in.lo; p < in.hi; p++ {
		s := pl.order[p]
		begin, end := in.row[s], in.row[s+1]
		l.number = rows.Resized(l.number, int(end-begin))
		m.readArcs(l.number, begin, nil)
		for n, y := range l.number {
			arc := begin + int32(n)
			q := in.position[in.to[arc]]
			if q < in.lo || q >= in.hi || in.absent(s, arc) {
				continue
			}
			if !(weights.MantLow <= y && y < weights.MantHigh) {
				if m.isZeroArc(arc) {
					continue
				}
				return false
			}
			farthest = max(farthest, magnitude(semiring.ScaledFloat{Mant: y}))
			l.rows.col, l.rows.a = append(l.rows.col, q-in.lo), append(l.rows.a, y)
		}
		l.rows.closeRow()
	}
	l.doubts = 1
	if !l.exact {
		l.doubts += float64(farthest) // of logarithms
	}
	return true
}
