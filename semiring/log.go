package semiring

import (
	"math"
	"math/big"
)

// LogProb is the natural logarithm of a non-negative number: the weight of Log.
type LogProb float64

// Log is the ring of non-negative real numbers held as their logarithms: ⊕ is ln(eᵃ + eᵇ), ⊗ is
// +, 0̄ is −Inf and 1̄ is 0. Use it if your numbers are logarithms already; Scaled is faster and
// more accurate.
//
// Dist is |a−b|, the difference of logarithms, which is the relative difference
// of small ones.
type Log struct{}

// Zero returns −Inf.
func (Log) Zero() LogProb { return LogProb(math.Inf(-1)) }

// One returns 0.
func (Log) One() LogProb { return 0 }

// Plus returns ln(eᵃ + eᵇ).
func (Log) Plus(a, b LogProb) LogProb {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(float64(a), 0) && !math.IsNaN(float64(b)) {
		return a
	}
	return a + LogProb(math.Log1p(math.Exp(float64(b-a))))
}

// Times returns a + b.
func (Log) Times(a, b LogProb) LogProb { return a + b }

// IsZero reports whether a is −Inf.
func (Log) IsZero(a LogProb) bool { return math.IsInf(float64(a), -1) }

// Star returns −ln(1−eᵃ), under the conditions of Real.Star on eᵃ. It is
// accurate for every a.
func (Log) Star(a LogProb) (LogProb, bool) {
	pivot := -math.Expm1(float64(a))
	if !(pivot > minPivot) {
		return 0, false
	}
	if pivot < 0.5 {
		return LogProb(-math.Log(pivot)), true
	}
	return LogProb(-math.Log1p(-math.Exp(float64(a)))), true
}

// LDiv returns b − a; false if a is −Inf or NaN.
func (Log) LDiv(a, b LogProb) (LogProb, bool) {
	if !(a >= -math.MaxFloat64) {
		return 0, false
	}
	return b - a, true
}

// RDiv returns LDiv(b, a).
func (Log) RDiv(a, b LogProb) (LogProb, bool) { return Log{}.LDiv(b, a) }

// Dist returns |a−b|, 0 for equal infinities.
func (Log) Dist(a, b LogProb) float64 { return absoluteDistance(float64(a), float64(b)) }

// FromLog returns logp.
func (Log) FromLog(logp float64) LogProb { return LogProb(logp) }

// Log returns w.
func (Log) Log(w LogProb) float64 { return float64(w) }

// Laws returns Commutative.
func (Log) Laws() Laws { return Commutative }

// AppendKey appends w rounded to a multiple of delta.
func (Log) AppendKey(dst []byte, w LogProb, delta float64) []byte {
	return appendFloatKey(dst, float64(w), delta)
}

// Parse reads a natural logarithm of a probability (not a negated one).
func (Log) Parse(s string) (LogProb, error) {
	x, err := parseFloat(s)
	return LogProb(x), err
}

// Format writes what Parse reads back.
func (Log) Format(w LogProb) string { return formatFloat(float64(w)) }

// A kernel holds Σ exp(t) as exp(ref)·sum. The reference is a recent term, not the greatest: exp
// is accurate enough for a term up to logSlack above it. So the branch that moves the reference
// is rarely taken and well predicted.
const (
	logSlack  = 16
	logLowest = -math.MaxFloat64 // the reference of an empty sum
)

// addDistant adds exp(t) to exp(ref)·sum. If t is above ref, as it is for an empty sum, t becomes
// the new reference. An infinite sum stays infinite.
//
//go:noinline
func addDistant(ref, sum, t float64) (float64, float64) {
	if t < logLowest { // exp(−Inf): of unreachable states
		return ref, sum
	}
	if d := t - ref; d <= logSlack {
		return ref, sum + exp(d)
	}
	if t == ref { // +Inf, as t − ref is not a number
		return ref, sum
	}
	if sum == 0 {
		return t, 1
	}
	return t, sum*exp(ref-t) + 1
}

// Dot sets *dst to ln Σ exp(w[k]+x[i]), with one exp per term and one logarithm.
func (Log) Dot(dst *LogProb, w []LogProb, k []int32, x []LogProb, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	if k == nil {
		*dst = logSum(addLog(logLowest, 0, w, x, i, 0, n))
	} else {
		*dst = logSum(addLogAt(logLowest, 0, w, k, x, i, 0, n))
	}
}

// Sweep adds Σ exp(w+x[i]) over row s to exp(x[s]), row by row.
func (Log) Sweep(x []LogProb, order, row []int32, w []LogProb, i []int32) {
	for _, s := range rowsOf(order, row) {
		ref, sum := logLowest, 0.0
		if b := float64(x[s]); !math.IsInf(b, -1) {
			ref, sum = b, 1
		}
		x[s] = logSum(addLog(ref, sum, w, x, i, int(row[s]), int(row[s+1])))
	}
}

// SweepTerms is Sweep, and leaves the terms of every sum in units of exp of its reference.
func (Log) SweepTerms(term, own, unit []float64, x []LogProb, order, row []int32, w []LogProb, i []int32) bool {
	w, term, own, unit = w[:len(i)], term[:len(i)], own[:len(x)], unit[:len(x)]
	ok := true
	for _, s := range rowsOf(order, row) {
		before, hi := float64(x[s]), int(row[s+1])
		ref, sum := logLowest, 0.0
		if !math.IsInf(before, -1) {
			ref, sum = before, 1
		}
		own[s] = sum
		alike := true // all terms have the same reference
		for n := int(row[s]); n < hi; n++ {
			t := float64(x[i[n]] + w[n])
			if d := t - ref; -expRange < d && d <= logSlack {
				e := expPower(expReduce(d))
				term[n] = e
				sum += e
			} else {
				alike = alike && (sum == 0 || t < logLowest)
				term[n] = 0
				ref, sum = addDistant(ref, sum, t)
				if t == ref { // the first term of the sum, unless alike is false
					term[n] = 1
				}
			}
		}
		total := ref + math.Log(sum)
		x[s] = LogProb(total)
		if sum == 0 {
			unit[s] = 0
			continue
		}
		unit[s] = 1 / sum
		if !alike {
			own[s] = exp(before - ref)
			for n := int(row[s]); n < hi; n++ {
				term[n] = exp(float64(x[i[n]]+w[n]) - ref)
			}
		}
		ok = ok && total-total == 0
	}
	return ok
}

// Spread adds exp(x[s]+w) to exp(x[i]) over row s, row by row. Until the row of x[s] comes,
// exp(x[s])·sum[s] is its sum, so one logarithm per row suffices.
func (Log) Spread(x []LogProb, order, row []int32, w []LogProb, i []int32) {
	w = w[:len(i)]
	sum := make([]float64, len(x))
	for s, b := range x {
		if math.IsInf(float64(b), -1) {
			x[s] = logLowest
		} else {
			sum[s] = 1
		}
	}
	for _, s := range rowsOf(order, row) {
		a, hi := logSum(float64(x[s]), sum[s]), int(row[s+1])
		x[s], sum[s] = a, 1
		for n := int(row[s]); n < hi; n++ {
			in := i[n]
			t := float64(a + w[n])
			ref := float64(x[in])
			if d := t - ref; -expRange < d && d <= logSlack {
				sum[in] += expPower(expReduce(d))
			} else {
				ref, sum[in] = addDistant(ref, sum[in], t)
				x[in] = LogProb(ref)
			}
		}
	}
	if omits(order, row) {
		for s, z := range sum {
			if z != 1 {
				x[s] = logSum(float64(x[s]), z)
			}
		}
	}
}

// logSum returns ln(exp(ref)·sum).
func logSum(ref, sum float64) LogProb { return LogProb(ref + math.Log(sum)) }

// addLog returns exp(ref)·sum + Σ exp(w[n]+x[i[n]]) over lo ≤ n < hi.
func addLog(ref, sum float64, w, x []LogProb, i []int32, lo, hi int) (float64, float64) {
	w = w[:len(i)]
	for n := lo; n < hi; n++ {
		t := float64(x[i[n]] + w[n])
		if d := t - ref; -expRange < d && d <= logSlack {
			sum += expPower(expReduce(d))
		} else {
			ref, sum = addDistant(ref, sum, t)
		}
	}
	return ref, sum
}

// addLogAt returns exp(ref)·sum + Σ exp(w[k[n]]+x[i[n]]) over lo ≤ n < hi.
func addLogAt(ref, sum float64, w []LogProb, k []int32, x []LogProb, i []int32, lo, hi int) (float64, float64) {
	k = k[:len(i)]
	for n := lo; n < hi; n++ {
		t := float64(x[i[n]] + w[k[n]])
		if d := t - ref; -expRange < d && d <= logSlack {
			sum += expPower(expReduce(d))
		} else {
			ref, sum = addDistant(ref, sum, t)
		}
	}
	return ref, sum
}

// Dot2 sets *dst to ln Σ exp(w[k]+x[i]+y[j]).
func (Log) Dot2(dst *LogProb, w []LogProb, k []int32, x []LogProb, i []int32, y []LogProb, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	ref, sum := logLowest, 0.0
	for n, in := range i {
		t := float64(w[k[n]] + x[in] + y[j[n]])
		if d := t - ref; -expRange < d && d <= logSlack {
			sum += expPower(expReduce(d))
		} else {
			ref, sum = addDistant(ref, sum, t)
		}
	}
	*dst = logSum(ref, sum)
}

// Marginals sets p[n] to exp(a+w[k]+x[i]).
func (Log) Marginals(p []float64, a LogProb, w []LogProb, k []int32, x []LogProb, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, p = indices(k, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		if t := float64(a + w[k[n]] + x[in]); math.Abs(t) < expRange {
			p[n] = expPower(expReduce(t))
		} else {
			p[n] = exp(t)
		}
	}
}

// Marginals2 sets p[n] to exp(a+w[k]+x[i]+y[j]).
func (Log) Marginals2(p []float64, a LogProb, w []LogProb, k []int32, x []LogProb, i []int32, y []LogProb, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j, p = indices(k, n)[:len(i)], indices(j, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		p[n] = exp(float64(a + (w[k[n]] + x[in] + y[j[n]])))
	}
}

// exp returns eˣ to within 0.52 units in the last place, at half the cost of
// math.Exp: one call per arc is what a path sum in Log consists of. It reduces x
// to r within ±ln2/256 by x = (128·m + j)·ln2/128 + r, looks 2^(j/128) up and
// multiplies it by a polynomial in r (P. T. P. Tang, Table-driven implementation
// of the exponential function in IEEE floating-point arithmetic, 1989).
func exp(x float64) float64 {
	if !(math.Abs(x) < expRange) {
		return math.Exp(x)
	}
	return expPower(expReduce(x))
}

// expRange bounds the |x| for which exp(x) is a normal number. Fast loops test it themselves and
// call the two inlined parts.
const expRange = 700

// expReduce returns r and, in the low bits of a word, 128·m + j; the other bits of the word do
// not matter.
func expReduce(x float64) (bits uint64, r float64) {
	const (
		round  = 0x1.8p52 // adding it rounds to an integer, found in the low bits
		step   = math.Ln2 / 128
		stepHi = 0x1.62e42fefap-8 // n·stepHi is exact for the n that occur
		stepLo = step - stepHi
	)
	n := x*(1/step) + round
	bits = math.Float64bits(n)
	n -= round
	return bits, x - n*stepHi - n*stepLo
}

// expPower returns 2^(m + j/128)·eʳ.
func expPower(bits uint64, r float64) float64 {
	power := &expTable[bits%128]
	r2 := r * r
	p := power.tail + r + r2*(0.5+r*(1.0/6)) + r2*r2*(1.0/24+r*(1.0/120))
	scale := math.Float64frombits(power.bits + bits<<45)
	return scale + scale*p
}

// expTable[j] holds 2^(j/128) as the bits of a float64, less j<<45, which exp
// adds along with the exponent, and the relative error of that float64.
var expTable = func() (table [128]struct {
	bits uint64
	tail float64
}) {
	root := big.NewFloat(2).SetPrec(128)
	for range 7 {
		root.Sqrt(root)
	}
	power := big.NewFloat(1).SetPrec(128)
	for j := range table {
		head, _ := power.Float64()
		tail, _ := new(big.Float).Sub(power, big.NewFloat(head)).Float64()
		table[j].bits = math.Float64bits(head) - uint64(j)<<45
		table[j].tail = tail / head
		power.Mul(power, root)
	}
	return table
}()
