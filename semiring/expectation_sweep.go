package semiring

// scaledExpectationSweep makes the passes of an Expectation over Scaled with one
// number in Scaled, by the loop of Scaled.Sweep for the mass and for the number.
type scaledExpectationSweep struct{}

// newExpectationSweep returns the Sweeper of r, if it has one.
func newExpectationSweep[W, V any](r expectation[W, V]) (sweeper Sweeper[Expected[W, V]], ok bool) {
	module, ok := any(r.module).(scalar[ScaledFloat])
	if !ok || any(r.base) != any(Scaled{}) || any(module.base) != any(Scaled{}) {
		return nil, false
	}
	sweeper, ok = any(scaledExpectationSweep{}).(Sweeper[Expected[W, V]])
	return sweeper, ok
}

// Sweep adds Σ w ⊗ x[i] over row s to x[s], row by row.
func (scaledExpectationSweep) Sweep(x []Expected[ScaledFloat, ScaledFloat], order, row []int32, w []Expected[ScaledFloat, ScaledFloat], i []int32) {
	w = w[:len(i)]
	var e, f int64 // any will do for a sum that is still 0, so guess that of the row before
	for _, s := range rowsOf(order, row) {
		sum := &x[s]
		p, v := sum.P.Mant, sum.V.Mant
		if p != 0 {
			e = sum.P.Exp
		}
		if v != 0 {
			f = sum.V.Exp
		}
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			b, a := &x[i[n]], &w[n]
			if t, q := a.P.Mant*b.P.Mant, a.P.Exp+b.P.Exp; q == e {
				p += t
			} else {
				p, e = addDigits(p, e, t, q)
			}
			if t, q := a.P.Mant*b.V.Mant, a.P.Exp+b.V.Exp; q == f {
				v += t
			} else {
				v, f = addDigits(v, f, t, q)
			}
			if t, q := a.V.Mant*b.P.Mant, a.V.Exp+b.P.Exp; q == f {
				v += t
			} else {
				v, f = addDigits(v, f, t, q)
			}
		}
		sum.P, sum.V = normalize(p, e), normalize(v, f)
	}
}

// Spread adds x[s] ⊗ w to x[i] over row s, row by row. Sums are normalized when their
// own row comes.
func (scaledExpectationSweep) Spread(x []Expected[ScaledFloat, ScaledFloat], order, row []int32, w []Expected[ScaledFloat, ScaledFloat], i []int32) {
	w = w[:len(i)]
	for _, s := range rowsOf(order, row) {
		p, v := &x[s].P, &x[s].V
		*p, *v = normalize(p.Mant, p.Exp), normalize(v.Mant, v.Exp)
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			sum, b := &x[i[n]], &w[n]
			gather(&sum.P, p.Mant*b.P.Mant, p.Exp+b.P.Exp)
			gather(&sum.V, p.Mant*b.V.Mant, p.Exp+b.V.Exp)
			gather(&sum.V, v.Mant*b.P.Mant, v.Exp+b.P.Exp)
		}
	}
}

// gather adds the product t × 2^(512·q) to a sum that need not be normalized.
func gather(sum *ScaledFloat, t float64, q int64) {
	if q == sum.Exp {
		sum.Mant += t
	} else {
		sum.Mant, sum.Exp = addDigits(sum.Mant, sum.Exp, t, q)
	}
}
