package semiring

import (
	"cmp"
	"math"
)

// Cost is a weight of Tropical: a length, or a negated log-probability.
type Cost float64

// Tropical is the ring of costs: ⊕ is the minimum, ⊗ is +, 0̄ is +Inf and 1̄ is
// 0. As a probability ring its weights are −ln p.
//
// Negative costs are allowed, so the ring is selective but not bounded: a cycle
// of negative cost has no Star. Dist is |a−b|.
type Tropical struct{}

// Zero returns +Inf.
func (Tropical) Zero() Cost { return Cost(math.Inf(1)) }

// One returns 0.
func (Tropical) One() Cost { return 0 }

// Plus returns the lesser cost.
func (Tropical) Plus(a, b Cost) Cost { return min(a, b) }

// Times returns a + b.
func (Tropical) Times(a, b Cost) Cost { return a + b }

// IsZero reports whether a is +Inf.
func (Tropical) IsZero(a Cost) bool { return math.IsInf(float64(a), 1) }

// Star returns 0 if a ≥ 0, and false otherwise.
func (Tropical) Star(a Cost) (Cost, bool) { return 0, a >= 0 }

// LDiv returns b − a; false if a is +Inf or NaN.
func (Tropical) LDiv(a, b Cost) (Cost, bool) {
	if !(a <= math.MaxFloat64) {
		return 0, false
	}
	return b - a, true
}

// RDiv returns LDiv(b, a).
func (Tropical) RDiv(a, b Cost) (Cost, bool) { return Tropical{}.LDiv(b, a) }

// Compare puts the lesser cost first, NaN before all.
func (Tropical) Compare(a, b Cost) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return cmp.Compare(a, b) // NaN is less than all others
}

// Dist returns |a−b|, 0 for equal infinities.
func (Tropical) Dist(a, b Cost) float64 { return absoluteDistance(float64(a), float64(b)) }

// FromLog returns −logp.
func (Tropical) FromLog(logp float64) Cost { return Cost(0 - logp) }

// Log returns −w.
func (Tropical) Log(w Cost) float64 { return 0 - float64(w) }

// Laws returns Commutative | Selective | KClosed | Cancellative.
func (Tropical) Laws() Laws { return Commutative | Selective | KClosed | Cancellative }

// AppendKey appends w rounded to a multiple of delta.
func (Tropical) AppendKey(dst []byte, w Cost, delta float64) []byte {
	return appendFloatKey(dst, float64(w), delta)
}

// Parse reads a cost.
func (Tropical) Parse(s string) (Cost, error) {
	x, err := parseFloat(s)
	return Cost(x), err
}

// Format writes what Parse reads back.
func (Tropical) Format(w Cost) string { return formatFloat(float64(w)) }

// Dot sets *dst to min w[k]+x[i].
func (Tropical) Dot(dst *Cost, w []Cost, k []int32, x []Cost, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	if k == nil {
		*dst = leastCost(Tropical{}.Zero(), w, x, i, 0, n)
	} else {
		*dst = leastCostAt(Tropical{}.Zero(), w, k, x, i, 0, n)
	}
}

// Sweep lowers x[s] to min w+x[i] over row s, row by row.
func (Tropical) Sweep(x []Cost, order, row []int32, w []Cost, i []int32) {
	for _, s := range rowsOf(order, row) {
		x[s] = leastCost(x[s], w, x, i, int(row[s]), int(row[s+1]))
	}
}

// Spread lowers x[i] to x[s]+w over row s, row by row.
func (Tropical) Spread(x []Cost, order, row []int32, w []Cost, i []int32) {
	w = w[:len(i)]
	for _, s := range rowsOf(order, row) {
		a, hi := x[s], int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			x[i[n]] = min(x[i[n]], a+w[n])
		}
	}
}

// leastCost returns the least of z and w[n]+x[i[n]] over lo ≤ n < hi. It keeps two minima,
// because with a single one every step would wait for the previous one.
func leastCost(z Cost, w, x []Cost, i []int32, lo, hi int) Cost {
	w = w[:len(i)]
	y, n := z, lo
	for ; n+1 < hi; n += 2 {
		z = min(z, x[i[n]]+w[n])
		y = min(y, x[i[n+1]]+w[n+1])
	}
	if n < hi {
		z = min(z, x[i[n]]+w[n])
	}
	return min(y, z)
}

// leastCostAt returns the least of z and w[k[n]]+x[i[n]] over lo ≤ n < hi.
func leastCostAt(z Cost, w []Cost, k []int32, x []Cost, i []int32, lo, hi int) Cost {
	k = k[:len(i)]
	y, n := z, lo
	for ; n+1 < hi; n += 2 {
		z = min(z, x[i[n]]+w[k[n]])
		y = min(y, x[i[n+1]]+w[k[n+1]])
	}
	if n < hi {
		z = min(z, x[i[n]]+w[k[n]])
	}
	return min(y, z)
}

// Dot2 sets *dst to min w[k]+x[i]+y[j].
func (Tropical) Dot2(dst *Cost, w []Cost, k []int32, x []Cost, i []int32, y []Cost, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	z := Tropical{}.Zero()
	for n, in := range i {
		z = min(z, w[k[n]]+x[in]+y[j[n]])
	}
	*dst = z
}

// Marginals sets p[n] to exp(−(a+w[k]+x[i])).
func (Tropical) Marginals(p []float64, a Cost, w []Cost, k []int32, x []Cost, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, p = indices(k, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		if t := -float64(a + w[k[n]] + x[in]); math.Abs(t) < expRange {
			p[n] = expPower(expReduce(t))
		} else {
			p[n] = exp(t)
		}
	}
}

// Marginals2 sets p[n] to exp(−(a+w[k]+x[i]+y[j])).
func (Tropical) Marginals2(p []float64, a Cost, w []Cost, k []int32, x []Cost, i []int32, y []Cost, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j, p = indices(k, n)[:len(i)], indices(j, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		p[n] = exp(-float64(a + (w[k[n]] + x[in] + y[j[n]])))
	}
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

// Viterbi is the ring of non-negative numbers in ScaledFloat with max and ×: the
// probability of the best path. It is Tropical without logarithms.
//
// Weights above 1 are allowed, so the ring is selective but not bounded: a cycle
// of weight above 1 has no Star. Negative weights are outside its domain. Dist is
// relative: |a−b| / max(a, b).
type Viterbi struct{}

// Zero returns 0.
func (Viterbi) Zero() ScaledFloat { return ScaledFloat{} }

// One returns 1.
func (Viterbi) One() ScaledFloat { return ScaledFloat{Mant: 1} }

// Plus returns the greater number, or NaN if an argument is NaN.
func (Viterbi) Plus(a, b ScaledFloat) ScaledFloat {
	if (Viterbi{}).Compare(a, b) <= 0 {
		return a
	}
	return b
}

// Times returns a · b.
func (Viterbi) Times(a, b ScaledFloat) ScaledFloat { return a.Mul(b) }

// IsZero reports whether a is 0.
func (Viterbi) IsZero(a ScaledFloat) bool { return a.Mant == 0 }

// Star returns 1 if a ≤ 1, and false otherwise.
func (Viterbi) Star(a ScaledFloat) (ScaledFloat, bool) {
	one := Viterbi{}.One()
	return one, !a.IsNaN() && a.Cmp(one) <= 0
}

// LDiv returns b/a; false if a is 0 or NaN.
func (Viterbi) LDiv(a, b ScaledFloat) (ScaledFloat, bool) { return Scaled{}.LDiv(a, b) }

// RDiv returns LDiv(b, a).
func (Viterbi) RDiv(a, b ScaledFloat) (ScaledFloat, bool) { return Viterbi{}.LDiv(b, a) }

// Compare puts the greater number first, NaN before all.
func (Viterbi) Compare(a, b ScaledFloat) int {
	if a.IsNaN() || b.IsNaN() {
		return a.Cmp(b)
	}
	return b.Cmp(a)
}

// Dist returns |a−b| / max(a, b), 0 for equal numbers.
func (Viterbi) Dist(a, b ScaledFloat) float64 { return scaledDistance(a, b) }

// FromLog returns exp(logp).
func (Viterbi) FromLog(logp float64) ScaledFloat { return ScaledFromLog(logp) }

// Log returns ln w.
func (Viterbi) Log(w ScaledFloat) float64 { return w.Log() }

// Laws returns Commutative | Selective | KClosed | Cancellative.
func (Viterbi) Laws() Laws { return Commutative | Selective | KClosed | Cancellative }

// AppendKey appends the sign of w and ln|w| rounded to a multiple of delta.
func (Viterbi) AppendKey(dst []byte, w ScaledFloat, delta float64) []byte {
	return appendScaledKey(dst, w, delta)
}

// Parse reads a decimal number of any magnitude.
func (Viterbi) Parse(s string) (ScaledFloat, error) { return ParseScaled(s) }

// Format writes the decimal number that Parse reads back.
func (Viterbi) Format(w ScaledFloat) string { return w.String() }

// Dot sets *dst to max w[k]·x[i].
func (Viterbi) Dot(dst *ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32) {
	n := terms(k, i, w)
	*dst = normalize(greatest(0, 0, w, indices(k, n), x, indices(i, n), 0, n))
}

// Sweep raises x[s] to max w·x[i] over row s, row by row.
func (Viterbi) Sweep(x []ScaledFloat, order, row []int32, w []ScaledFloat, i []int32) {
	var z float64
	var e int64 // the exponent of a 0: guess the previous row's
	k := indices(nil, len(i))
	for _, s := range rowsOf(order, row) {
		best := &x[s]
		if z = best.Mant; z != 0 {
			e = best.Exp
		}
		z, e = greatest(z, e, w, k, x, i, int(row[s]), int(row[s+1]))
		*best = normalize(z, e)
	}
}

// Spread raises x[i] to x[s]·w over row s, row by row. A maximum is normalized when its own row
// comes, or in the end.
func (Viterbi) Spread(x []ScaledFloat, order, row []int32, w []ScaledFloat, i []int32) {
	w = w[:len(i)]
	for _, s := range rowsOf(order, row) {
		a := normalize(x[s].Mant, x[s].Exp)
		x[s] = a
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			best, b := &x[i[n]], &w[n]
			if t, q := a.Mant*b.Mant, a.Exp+b.Exp; q == best.Exp {
				best.Mant = max(best.Mant, t)
			} else {
				best.Mant, best.Exp = maxDigits(best.Mant, best.Exp, t, q)
			}
		}
	}
	if omits(order, row) {
		for s := range x {
			x[s] = normalize(x[s].Mant, x[s].Exp)
		}
	}
}

// greatest returns the greatest of z × 2^(512·e) and w[k[n]]·x[i[n]] over lo ≤ n < hi.
func greatest(z float64, e int64, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32, lo, hi int) (float64, int64) {
	k = k[:len(i)]
	for n := lo; n < hi; n++ {
		b, a := &x[i[n]], &w[k[n]]
		if t, q := a.Mant*b.Mant, a.Exp+b.Exp; q == e {
			z = max(z, t)
		} else {
			z, e = maxDigits(z, e, t, q)
		}
	}
	return z, e
}

// Dot2 sets *dst to max w[k]·x[i]·y[j].
func (Viterbi) Dot2(dst *ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32, y []ScaledFloat, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	var z float64
	var e int64
	for n, in := range i {
		a, b, c := &w[k[n]], &x[in], &y[j[n]]
		if t, q := a.Mant*b.Mant*c.Mant, a.Exp+b.Exp+c.Exp; q == e {
			z = max(z, t)
		} else {
			z, e = maxDigits(z, e, t, q)
		}
	}
	*dst = normalize(z, e)
}

// Marginals sets p[n] to a·w[k]·x[i] as a float64.
func (Viterbi) Marginals(p []float64, a ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32) {
	Scaled{}.Marginals(p, a, w, k, x, i)
}

// maxDigits returns the greater of z × 2^(512·e) and t × 2^(512·q), which are products of up to
// three mantissas, for e ≠ q. It is the slow path of Dot and Dot2: the number with the smaller
// exponent may be the greater one.
func maxDigits(z float64, e int64, t float64, q int64) (float64, int64) {
	switch {
	case z-z != 0 || t-t != 0: // NaN or Inf
		return z + t, e
	case t == 0:
		return z, e
	case z == 0:
		return t, q
	case e < q:
		z, e, t, q = t, q, z, e
	}
	high := z // in the digit of t
	for d := e - q; d > 0 && high <= math.MaxFloat64; d-- {
		high *= scaleUp
	}
	if t > high {
		return t, q
	}
	return z, e
}

// Marginals2 sets p[n] to a·w[k]·x[i]·y[j] as a float64.
func (Viterbi) Marginals2(p []float64, a ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32, y []ScaledFloat, j []int32) {
	Scaled{}.Marginals2(p, a, w, k, x, i, y, j)
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
