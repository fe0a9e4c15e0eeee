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

// addTimes counts ⌊n⌋ certain events and one with the probability of what is left.
func (t *tally) addTimes(n float64) {
	whole := math.Floor(n)
	for range int(min(whole, 5)) {
		t.add(1)
	}
	if whole > 5 {
		t.mean += whole - 5
	}
	if whole < n {
		t.add(n - whole)
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
