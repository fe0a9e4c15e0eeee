package semiring

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

// Dot2 sets *dst to Σ w[k]·x[i]·y[j].
func (Scaled) Dot2(dst *ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32, y []ScaledFloat, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	var z float64
	var e int64
	for n, in := range i {
		a, b, c := &w[k[n]], &x[in], &y[j[n]]
		if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == e {
			z += t
		} else {
			z, e = addDigits(z, e, t, q)
		}
	}
	*dst = normalize(z, e)
}

// Marginals sets p[n] to a·w[k]·x[i] as a float64.
func (Scaled) Marginals(p []float64, a ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, p = indices(k, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		b, c := &w[k[n]], &x[in]
		p[n] = shiftDigits(a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp)
	}
}
