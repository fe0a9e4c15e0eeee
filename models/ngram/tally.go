package ngram

import "math"

// tally is the distribution of a count that is a sum of independent events: of[c] is
// the probability of count c, the last that of 5 and more.
type tally struct {
	of   [6]float64
	mean float64
}

// nothing is the count of no events.
var nothing = tally{of: [6]float64{1}}

// add counts an event of probability p. Only products and sums of probabilities are
// taken, so that small ones keep their relative accuracy.
func (t *tally) add(p float64) {
	q, r := &t.of, 1-p
	q[5] += q[4] * p
	q[4] = q[4]*r + q[3]*p
	q[3] = q[3]*r + q[2]*p
	q[2] = q[2]*r + q[1]*p
	q[1] = q[1]*r + q[0]*p
	q[0] *= r
	t.mean += p
}

// addTimes counts ⌊n⌋ events of probability p, and one of p times what is left of n.
func (t *tally) addTimes(p, n float64) {
	whole := math.Floor(n)
	switch {
	case whole == 1:
		t.add(p)
	case whole > 1:
		many := repeated(p, whole)
		t.plus(&many)
	}
	if rest := n - whole; rest > 0 {
		t.add(p * rest)
	}
}

// repeated is the count of n events of probability p, n a whole number above 0. It
// takes O(log n) products, whose errors add up to those of n.
func repeated(p, n float64) tally {
	mean := n * p
	if p == 1 {
		certain := tally{mean: mean}
		certain.of[int(min(n, 5))] = 1
		return certain
	}
	sum, power := nothing, nothing
	for power.add(p); ; power.plus(&power) {
		half := math.Floor(n / 2)
		if half < n/2 {
			sum.plus(&power)
		}
		if n = half; n == 0 {
			sum.mean = mean
			return sum
		}
	}
}

// plus adds an independent count.
func (t *tally) plus(u *tally) {
	var sum [6]float64
	for i, p := range t.of {
		for j, q := range u.of {
			sum[min(i+j, 5)] += p * q
		}
	}
	t.of, t.mean = sum, t.mean+u.mean
}

// atLeast returns the probability that the count is c or more.
func (t *tally) atLeast(c int) float64 {
	sum := 0.0
	for _, p := range t.of[c:] {
		sum += p
	}
	return sum
}
