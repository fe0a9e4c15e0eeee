// Package choice draws one of a few options in proportion to their masses, as a random path or
// tree does at every step.
package choice

import (
	"math"

	"example.org/pathsum/semiring"
)

// Choice is a distribution over options. Its zero value has no options; it should be reused for
// successive choices.
type Choice struct {
	Share []float64 // mass / total per option, 0 if it underflows
	mass  []semiring.ScaledFloat
	total semiring.ScaledFloat
}

// Clear removes all options.
func (c *Choice) Clear() { c.mass = c.mass[:0] }

// Add adds an option.
func (c *Choice) Add(mass semiring.ScaledFloat) { c.mass = append(c.mass, mass) }

// Divide computes the shares of the options added; all shares are 0 if all masses are 0.
func (c *Choice) Divide() {
	c.total = semiring.ScaledFloat{}
	for _, x := range c.mass {
		c.total = c.total.Add(x)
	}
	c.Share = c.Share[:0]
	unit := semiring.NewScaled(0)
	if !c.total.IsZero() {
		unit = semiring.NewScaled(1).Div(c.total)
	}
	for _, x := range c.mass {
		c.Share = append(c.Share, x.Mul(unit).Float64())
	}
}

// log returns ln(mass/total) of option n.
func (c *Choice) log(n int) float64 {
	if x := c.Share[n]; x >= leastPrecise {
		return math.Log(x)
	}
	return c.mass[n].Log() - c.total.Log()
}

// leastPrecise is the least share that is treated as precise: above it, the rounding error of a
// share is far from subnormal.
const leastPrecise = 0x1p-960

// Accumulate sets sum[n] to the sum of the first n+1 shares, and returns the sum of all.
// There may be more shares than sums.
func Accumulate(sum, share []float64) float64 {
	top := 0.0
	for n, x := range share {
		top += x
		if n < len(sum) {
			sum[n] = top
		}
	}
	return top
}

// First returns the first n with sum[n] > u, or len(sum) if all are at most u.
func First(sum []float64, u float64) int {
	lo, hi := 0, len(sum)
	for hi-lo > 8 { // for a short list, halving costs more than a linear search
		if mid := (lo + hi) / 2; sum[mid] > u {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	for lo < hi && sum[lo] <= u {
		lo++
	}
	return lo
}

// CrossEntropy returns −Σ p ln q, in nats, and +Inf if q lacks an option of p. It computes the
// logarithm of a q near 1 from the sum of the others.
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

// Divergence returns Σ p ln(p/q), in nats, and +Inf if q lacks an option of p. It computes Σ
// p·((q/p−1) − ln(q/p)), a sum of non-negative terms: the sum of the p·(q/p−1) is 0, including
// the q for which p is 0.
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
