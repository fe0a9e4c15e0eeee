package grid

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/rows"
)

// HessianVector is Counts, and adds to change weight·Cov(N, V): N is the number of uses of
// every part on a random path, and V the sum of v over the parts that the path uses. That
// is the derivative of what Counts adds, weight·E[N], when every part's weight is
// multiplied by e^(ε·v). So it is the product of v and the matrix of second derivatives
// of weight·ln total by the logarithms of the parts' weights. An entry of v for a part of
// weight 0 has to be finite and does not matter.
//
// It returns the path sum; if that is 0 nothing is added. The error wraps
// semiring.ErrNotFinite if it is infinite or not a number, and then nothing is added
// either. Weights must not be negative.
//
// The mean of V is taken out step by step, so that a V with a mean much greater than its
// deviation loses few digits.
func (m *Machine) HessianVector(x, y []int32, v Parts, weight float64, count, change Parts, s *Scratch) (semiring.ScaledFloat, error) {
	if !s.pair.take(m, x, y) {
		return semiring.ScaledFloat{}, nil
	}
	d := &s.slopes
	d.counting, d.v, d.change = counting{pair: &s.pair, s: s, weight: weight, sum: count}, v, change
	total, ok := d.byNumbers()
	d.counting, d.v, d.change = counting{}, Parts{}, Parts{}
	if ok {
		return total, nil
	}
	if total = s.exactAlphas(); total.IsZero() {
		return total, nil
	}
	if !total.IsFinite() {
		return total, fmt.Errorf("grid: %w: the path sum is %v", semiring.ErrNotFinite, total)
	}
	t := &s.hessian.tilting
	*t = tilting{pair: &s.pair, hessianScratch: &s.hessian.hessianScratch, s: s, total: total, v: v, weight: weight, count: count, change: change}
	s.weight[1].backward(&s.exact, t.pair)
	t.grow()
	t.values.backward(t, t.pair)
	t.push()
	*t = tilting{}
	return total, nil
}

// hessianScratch is working storage of HessianVector.
type hessianScratch struct {
	values       lines[float64] // per node: the value expected of what follows it,
	shift        []float64      // less the sum of shift over the rows from its own on
	flow, behind [2][]float64   // per node of a row and the next, see push
}

// tilting is one call of HessianVector. Let M be the value expected of what follows a
// node. An arc adds to V its surprise: v, and the growth of M. The surprises add up to V −
// E[V], and each has mean 0 whatever happened before it. So the covariance of V with the
// use of an arc is that with its own surprise and those before.
type tilting struct {
	*pair
	*hessianScratch
	s             *Scratch
	at            int // the segment of which β is at hand
	total         semiring.ScaledFloat
	v             Parts
	weight        float64
	count, change Parts
}

// grow makes room.
func (t *tilting) grow() {
	t.values.grow(t.pair)
	t.shift = rows.Resized(t.shift, t.n+1)
	for i := range t.flow {
		t.flow[i], t.behind[i] = rows.Resized(t.flow[i], t.width), rows.Resized(t.behind[i], t.width)
	}
}

// of returns entry k of x, 0 if x is nil.
func of(x []float64, k int32) float64 {
	if x == nil {
		return 0
	}
	return x[k]
}

// add adds y to entry k of x, unless x is nil.
func add(x []float64, k int32, y float64) {
	if x != nil {
		x[k] += y
	}
}
