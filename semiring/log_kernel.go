package semiring

import "math"

// A kernel holds Σ exp(t) as exp(ref)·sum. The reference is a recent term, not
// the greatest: exp is exact enough for a term far above it, up to logSlack, and
// so the branch that moves the reference is rarely taken and well predicted.
const (
	logSlack  = 16
	logLowest = -math.MaxFloat64 // the reference of an empty sum
)

// addDistant adds exp(t) to exp(ref)·sum: with t as the new reference if it is
// above the old one, as it is if the sum was empty. An infinite sum stays infinite.
//
//go:noinline
func addDistant(ref, sum, t float64) (float64, float64) {
	if t < logLowest { // exp(−Inf): of states that nothing reaches
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

// Spread adds exp(x[s]+w) to exp(x[i]) over row s, row by row. Until the row of x[s]
// comes, exp(x[s])·sum[s] is its sum, so that one logarithm does.
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
		x[s] = a
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
