package grid

// slopes are the loops of a pass over numbers with their derivatives as imaginary parts. They leave
// out products of imaginary parts, which are rounded off anyway: a product takes three
// multiplications of float64 numbers. And they do last what the next cell waits for.
type slopes struct{}

// times returns x·y without the product of imaginary parts.
func times(x, y complex128) complex128 {
	return complex(real(x)*real(y), real(x)*imag(y)+imag(x)*real(y))
}

func (slopes) addForward(cell, before []complex128, from, to []int32, w []complex128) {
	to, w = to[:len(from)], w[:len(from)]
	for k, p := range from {
		cell[to[k]] += times(before[p], w[k])
	}
}

func (slopes) addPosteriors(sum, alpha, beta []complex128, unit complex128, from, to, arc []int32, w []complex128) {
	to, w, arc = to[:len(from)], w[:len(from)], arc[:len(from)]
	var visits complex128 // of state last
	last := int32(-1)
	for k, q := range from {
		if q != last {
			visits, last = times(alpha[q], unit), q
		}
		sum[arc[k]] += times(visits, times(w[k], beta[to[k]]))
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
		left[j] = z
		sum += real(z)
	}
	return complex(sum, 0)
}

func (slopes) countOneState(sum, inserted, alpha, beta, after []complex128, unit, step complex128, w []complex128, arc, ys []int32) {
	m := len(ys)
	inserted = inserted[:m]
	a, right, below, across := alpha[:m], beta[1:][:m], after[:m], after[1:][:m]
	var removed complex128
	for j, y := range ys {
		inserted[j] += times(times(a[j], unit), right[j])
		visits := times(a[j], step)
		removed += times(visits, below[j])
		sum[arc[y]] += times(visits, times(w[y], across[j]))
	}
	removed += times(times(alpha[m], step), after[m])
	sum[arc[0]] += times(removed, w[0])
}
