package grid

import "math"

// slopes are the loops of a pass over numbers with their derivatives as imaginary parts. They
// omit products of imaginary parts, which are rounded off anyway, so a product takes three
// float64 multiplications. They add the term that the next cell depends on last.
//
// They also omit numbers that are too small to matter. Results below 2⁻¹⁰²² (subnormal numbers)
// are far slower on a processor, and most cells of a long grid are far from any probable path. A
// loss of up to leastCell in α or β is at most 2⁻⁴⁶⁸ in a posterior, see forwardBackward. It
// makes no difference to any posterior greater than 2⁻⁴⁰⁰, nor to its derivative.
type slopes struct{}

// leastCell is the least number of a row that does not count as 0. Imaginary parts are smaller by
// a factor of about 2⁻³², see tangent, and by the ratio of an arc's share of V to the V of a
// path.
const leastCell = 0x1p-960

// faint reports whether x·y, of numbers ≥ 0, is less than about 2⁻⁵⁴⁰.
func faint(x, y float64) bool {
	const bias, digits = 1023, 52
	return math.Float64bits(x)>>digits+math.Float64bits(y)>>digits < 2*bias-540
}

// times returns x·y without the product of imaginary parts.
func times(x, y complex128) complex128 {
	return complex(real(x)*real(y), real(x)*imag(y)+imag(x)*real(y))
}

func (slopes) addForward(cell, before []complex128, from, to []int32, w []complex128) {
	to, w = to[:len(from)], w[:len(from)]
	for k := 0; k < len(from); {
		q := from[k]
		x := before[q]
		for ; k < len(from) && from[k] == q; k++ {
			if real(x) >= leastCell {
				cell[to[k]] += times(x, w[k])
			}
		}
	}
}

func (slopes) addBackward(cell, after []complex128, from, to []int32, w []complex128) {
	to, w = to[:len(from)], w[:len(from)]
	for k := 0; k < len(from); {
		q := from[k]
		z := cell[q]
		for ; k < len(from) && from[k] == q; k++ {
			if x := after[to[k]]; real(x) >= leastCell {
				z += times(x, w[k])
			}
		}
		cell[q] = z
	}
}

func (slopes) addPosteriors(sum, alpha, beta []complex128, unit complex128, from, to, arc []int32, w []complex128) {
	to, w, arc = to[:len(from)], w[:len(from)], arc[:len(from)]
	for k := 0; k < len(from); {
		q := from[k]
		visits := times(alpha[q], unit)
		rare := real(visits) < 0x1p-60
		for ; k < len(from) && from[k] == q; k++ {
			b := times(w[k], beta[to[k]])
			if rare && faint(real(visits), real(b)) {
				continue
			}
			sum[arc[k]] += times(visits, b)
		}
	}
}

func (slopes) aheadOneState(row, before, insert, w []complex128, ys []int32) complex128 {
	remove := w[0]
	z := times(before[0], remove)
	row[0] = z
	sum := real(z)
	ys = ys[:len(insert)]
	above, left, right := before[1:][:len(insert)], before[:len(insert)], row[1:][:len(insert)]
	for j, v := range insert {
		x := times(above[j], remove) + times(left[j], w[ys[j]])
		z = complex(real(x)+real(z)*real(v), imag(x)+real(z)*imag(v)+imag(z)*real(v))
		if real(z) < leastCell {
			z = 0
		}
		right[j] = z
		sum += real(z)
	}
	return complex(sum, 0)
}

func (slopes) backOneState(row, after, insert, w []complex128, ys []int32) complex128 {
	remove, m := w[0], len(insert)
	z := times(after[m], remove)
	row[m] = z
	sum := real(z)
	ys = ys[:m]
	left, below, right := row[:m], after[:m], after[1:][:m]
	for j := m - 1; j >= 0; j-- {
		x, v := times(below[j], remove)+times(right[j], w[ys[j]]), insert[j]
		z = complex(real(x)+real(z)*real(v), imag(x)+real(z)*imag(v)+imag(z)*real(v))
		if real(z) < leastCell {
			z = 0
		}
		left[j] = z
		sum += real(z)
	}
	return complex(sum, 0)
}

func (slopes) countOneState(sum, inserted, alpha, beta, after []complex128, unit, step complex128, w []complex128, arc, ys []int32) {
	m := len(ys)
	inserted = inserted[:m]
	a, b, right, below, across := alpha[:m], beta[:m], beta[1:][:m], after[:m], after[1:][:m]
	var removed complex128
	for j, y := range ys {
		visits := times(a[j], unit)
		if faint(real(visits), real(b[j])) {
			continue // skip the arcs that leave it
		}
		inserted[j] += times(visits, right[j])
		visits = times(a[j], step)
		removed += times(visits, below[j])
		sum[arc[y]] += times(visits, times(w[y], across[j]))
	}
	removed += times(times(alpha[m], step), after[m])
	sum[arc[0]] += times(removed, w[0])
}
