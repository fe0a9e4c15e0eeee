package semiring

import "math"

// Scatterer is the capability of a commutative ring of plain numbers to add to many
// sums as fast as to one. Outside weights of a forest are such sums: an edge adds to
// those of its tails. (Log, which needs an exponential for every term of a sum and a
// logarithm only once, is better off with one sum after the other.)
type Scatterer[W any] interface {
	// Scatter2 adds, for each n in turn, a ⊗ w[n] ⊗ x[j[n]] to sum[i[n]] and then
	// a ⊗ w[n] ⊗ x[i[n]] to sum[j[n]].
	Scatter2(sum []W, a W, w []W, x []W, i, j []int32)
}

// Scatter2 adds a·w·x[j] to sum[i] and a·w·x[i] to sum[j].
func (Real) Scatter2(sum []float64, a float64, w, x []float64, i, j []int32) {
	i, j = i[:len(w)], j[:len(w)]
	for n, wn := range w {
		in, jn, t := i[n], j[n], a*wn
		sum[in] += t * x[jn]
		sum[jn] += t * x[in]
	}
}

// Scatter2 adds a·w·x[j] to sum[i] and a·w·x[i] to sum[j].
func (Scaled) Scatter2(sum []ScaledFloat, a ScaledFloat, w, x []ScaledFloat, i, j []int32) {
	i, j = i[:len(w)], j[:len(w)]
	for n := range w {
		in, jn, t, e := i[n], j[n], a.Mant*w[n].Mant, a.Exp+w[n].Exp
		addTo(&sum[in], t*x[jn].Mant, e+x[jn].Exp)
		addTo(&sum[jn], t*x[in].Mant, e+x[in].Exp)
	}
}

// addTo adds the product t × 2^(512·q) of three mantissas to *sum: at once where
// nothing but the mantissa changes.
func addTo(sum *ScaledFloat, t float64, q int64) {
	if m := sum.Mant + t; q == sum.Exp && isMantissa(m) {
		sum.Mant = m
	} else {
		addToSlowly(sum, t, q)
	}
}

//go:noinline
func addToSlowly(sum *ScaledFloat, t float64, q int64) {
	if q == sum.Exp {
		*sum = normalize(sum.Mant+t, q)
	} else {
		*sum = normalize(addDigits(sum.Mant, sum.Exp, t, q))
	}
}

// isMantissa reports whether m is one of a normalized number other than 0.
func isMantissa(m float64) bool {
	const least = 1023 - 256 // exponent bits of mantMin
	return math.Float64bits(m)>>52&0x7ff-least < 512
}

// Scatter2 sets sum[i] to min(sum[i], a+w+x[j]) and sum[j] to min(sum[j], a+w+x[i]).
func (Tropical) Scatter2(sum []Cost, a Cost, w, x []Cost, i, j []int32) {
	i, j = i[:len(w)], j[:len(w)]
	for n, wn := range w {
		in, jn, t := i[n], j[n], a+wn
		sum[in] = min(sum[in], t+x[jn])
		sum[jn] = min(sum[jn], t+x[in])
	}
}

// Scatter2 sets sum[i] to max(sum[i], a·w·x[j]) and sum[j] to max(sum[j], a·w·x[i]).
func (Viterbi) Scatter2(sum []ScaledFloat, a ScaledFloat, w, x []ScaledFloat, i, j []int32) {
	i, j = i[:len(w)], j[:len(w)]
	for n := range w {
		in, jn, t, e := i[n], j[n], a.Mant*w[n].Mant, a.Exp+w[n].Exp
		raiseTo(&sum[in], t*x[jn].Mant, e+x[jn].Exp)
		raiseTo(&sum[jn], t*x[in].Mant, e+x[in].Exp)
	}
}

// raiseTo sets *top to the greater of itself and the product t × 2^(512·q) of three
// mantissas.
func raiseTo(top *ScaledFloat, t float64, q int64) {
	if q == top.Exp {
		*top = normalize(max(top.Mant, t), q)
	} else {
		*top = normalize(maxDigits(top.Mant, top.Exp, t, q))
	}
}
