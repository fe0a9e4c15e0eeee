package choice

import "math"

// CrossEntropy returns −Σ p ln q, in nats, +Inf if an option of p is none of q. The
// logarithm of a q near 1 is taken from the sum of the others.
func CrossEntropy(p, q *Choice) float64 {
	top := 0
	for n, x := range q.Share {
		if x > q.Share[top] {
			top = n
		}
	}
	rest := 0.0
	for n, x := range q.Share {
		if n != top {
			rest += x
		}
	}
	sum := 0.0
	for n, x := range p.Share {
		switch {
		case p.mass[n].IsZero():
		case q.mass[n].IsZero():
			return math.Inf(1)
		case n == top:
			sum -= x * math.Log1p(-rest)
		default:
			sum -= x * q.log(n)
		}
	}
	return sum
}

// Divergence returns Σ p ln(p/q), in nats, +Inf if an option of p is none of q. It is
// Σ p·((q/p−1) − ln(q/p)), a sum of non-negative terms: the sum of the p·(q/p−1) is 0,
// with the q where p is 0.
func Divergence(p, q *Choice) float64 {
	sum := 0.0
	for n, x := range p.Share {
		y := q.Share[n]
		switch {
		case p.mass[n].IsZero():
			sum += y
		case q.mass[n].IsZero():
			return math.Inf(1)
		case min(x, y) >= leastPrecise && math.Abs(y-x) < x/2:
			sum += x * excess((y-x)/x)
		default:
			sum += (y - x) + x*(p.log(n)-q.log(n))
		}
	}
	return sum
}

// excess returns x − ln(1+x) ≥ 0 for |x| < 1/2.
func excess(x float64) float64 {
	if math.Abs(x) >= 1./16 {
		return x - math.Log1p(x)
	}
	series := 0.0 // x²/2 − x³/3 + x⁴/4 − …
	for n := 14; n >= 2; n-- {
		series = 1/float64(n) - x*series
	}
	return x * x * series
}
