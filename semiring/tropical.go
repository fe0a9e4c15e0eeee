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

// leastCost returns the least of z and w[n]+x[i[n]] over lo ≤ n < hi. It keeps two
// minima, as one would wait for its last value.
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
