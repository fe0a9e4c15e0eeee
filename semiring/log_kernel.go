package semiring

import "math"

// A kernel holds Σ exp(t) as exp(ref)·sum. The reference is a recent term, not
// the greatest: exp is exact enough for a term far above it, up to logSlack, and
// so the branch that moves the reference is rarely taken and well predicted.
const (
	logSlack  = 16
	logLowest = -math.MaxFloat64 // the reference of an empty sum
)

// moveReference adds exp(t) to exp(ref)·sum, with t as the new reference.
func moveReference(ref, sum, t float64) (float64, float64) { return t, sum*exp(ref-t) + 1 }

// Dot sets *dst to ln Σ exp(w[k]+x[i]), with one exp per term and one logarithm.
func (Log) Dot(dst *LogProb, w []LogProb, k []int32, x []LogProb, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	ref, sum := logLowest, 0.0
	if k == nil {
		w = w[:len(i)]
		for n, in := range i {
			t := float64(w[n] + x[in])
			if d := t - ref; d <= logSlack {
				sum += exp(d)
			} else {
				ref, sum = moveReference(ref, sum, t)
			}
		}
	} else {
		k = k[:len(i)]
		for n, in := range i {
			t := float64(w[k[n]] + x[in])
			if d := t - ref; d <= logSlack {
				sum += exp(d)
			} else {
				ref, sum = moveReference(ref, sum, t)
			}
		}
	}
	*dst = LogProb(ref + math.Log(sum))
}

// Dot2 sets *dst to ln Σ exp(w[k]+x[i]+y[j]).
func (Log) Dot2(dst *LogProb, w []LogProb, k []int32, x []LogProb, i []int32, y []LogProb, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	ref, sum := logLowest, 0.0
	for n, in := range i {
		t := float64(w[k[n]] + x[in] + y[j[n]])
		if d := t - ref; d <= logSlack {
			sum += exp(d)
		} else {
			ref, sum = moveReference(ref, sum, t)
		}
	}
	*dst = LogProb(ref + math.Log(sum))
}

// Marginals sets p[n] to exp(a+w[k]+x[i]).
func (Log) Marginals(p []float64, a LogProb, w []LogProb, k []int32, x []LogProb, i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, p = indices(k, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		p[n] = exp(float64(a + w[k[n]] + x[in]))
	}
}
