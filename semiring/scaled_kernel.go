package semiring

import "math"

// Dot sets *dst to Σ w[k]·x[i].
func (Scaled) Dot(dst *ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	var z float64
	var e int64
	if k == nil {
		w = w[:len(i)]
		for n, in := range i {
			a, b := &w[n], &x[in]
			if t, q := a.Mant*b.Mant, a.Exp+b.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
	} else {
		k = k[:len(i)]
		for n, in := range i {
			a, b := &w[k[n]], &x[in]
			if t, q := a.Mant*b.Mant, a.Exp+b.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
	}
	*dst = normalize(z, e)
}

// Sweep adds Σ w·x[i] over row s to x[s], row by row. It has a loop of its own, as a
// call per row, or slices of it, would cost as much as three terms.
func (Scaled) Sweep(x []ScaledFloat, order, row []int32, w []ScaledFloat, i []int32) {
	w = w[:len(i)]
	var e int64 // any will do for a sum that is still 0, so guess that of the row before
	for _, s := range rowsOf(order, row) {
		sum := &x[s]
		z := sum.Mant
		if z != 0 {
			e = sum.Exp
		}
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			b, a := &x[i[n]], &w[n]
			if t, q := a.Mant*b.Mant, a.Exp+b.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
		if isNormal(z, e) {
			sum.Mant, sum.Exp = z, e
		} else {
			*sum = renormalize(z, e)
		}
	}
}

// Spread adds x[s]·w to x[i] over row s, row by row. Sums are normalized when their
// own row comes.
func (Scaled) Spread(x []ScaledFloat, order, row []int32, w []ScaledFloat, i []int32) {
	w = w[:len(i)]
	for _, s := range rowsOf(order, row) {
		a := normalize(x[s].Mant, x[s].Exp)
		x[s] = a
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			sum, b := &x[i[n]], &w[n]
			t, q, e := a.Mant*b.Mant, a.Exp+b.Exp, sum.Exp
			if math.Float64bits(sum.Mant) == 0 {
				e = q // of a sum that is still 0, without a branch
			}
			if q == e {
				sum.Mant, sum.Exp = sum.Mant+t, e
			} else {
				sum.Mant, sum.Exp = addDigits(sum.Mant, e, t, q)
			}
		}
	}
}

// Dot2 sets *dst to Σ w[k]·x[i]·y[j].
func (Scaled) Dot2(dst *ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32, y []ScaledFloat, j []int32) {
	n := terms(k, i, w)
	i, j = indices(i, n), indices(j, n)
	j = j[:len(i)]
	var z float64
	var e int64
	if k == nil {
		w = w[:len(i)]
		for n, in := range i {
			a, b, c := &w[n], &x[in], &y[j[n]]
			if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
	} else {
		k = k[:len(i)]
		for n, in := range i {
			a, b, c := &w[k[n]], &x[in], &y[j[n]]
			if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == e {
				z += t
			} else {
				z, e = addDigits(z, e, t, q)
			}
		}
	}
	*dst = normalize(z, e)
}

// Marginals sets p[n] to a·w[k]·x[i] as a float64.
func (Scaled) Marginals(p []float64, a ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	p = p[:len(i)]
	if k == nil {
		w = w[:len(i)]
		for n, in := range i {
			b, c := &w[n], &x[in]
			if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == 0 {
				p[n] = t
			} else {
				p[n] = shiftDigits(t, q)
			}
		}
		return
	}
	k = k[:len(i)]
	for n, in := range i {
		b, c := &w[k[n]], &x[in]
		if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == 0 {
			p[n] = t
		} else {
			p[n] = shiftDigits(t, q)
		}
	}
}
