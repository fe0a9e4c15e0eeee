package convex

import "gonum.org/v1/gonum/blas/blas64"

// feasible returns a point of C, or of the set that products make of it, near to x, which
// is overwritten: entries are clipped, and then all relations of the turn are mixed with
// the middle of the set, by as little as makes them positive semidefinite.
func (c *certificate) feasible(turn []int, x [][]float64) []*point {
	t := len(c.p.n)
	c.clip(turn, x)
	theta := 0.0
	unscaled := make([]float64, t*t)
	for _, r := range turn {
		centre := c.centre[r]
		for i := range t {
			for j := range t {
				unscaled[i*t+j] = x[r][i*t+j]/(c.p.s[i]*c.p.s[j]) - centre
			}
		}
		if least := c.eigen.least(t, unscaled); least < 0 {
			theta = max(theta, -least/(1-centre-least))
		}
	}
	at := make([]*point, len(x))
	for _, r := range turn {
		for i := range t {
			for j := range t {
				if i != j {
					x[r][i*t+j] += theta * (c.centre[r]*c.p.s[i]*c.p.s[j] - x[r][i*t+j])
				}
			}
		}
		at[r] = &point{m: x[r], factor: blas64.General{}}
		c.p.observe(at[r])
	}
	return at
}

// clip moves the entries of the relations into their bounds, products after their factors.
func (c *certificate) clip(turn []int, x [][]float64) {
	for _, r := range turn {
		c.p.relations[r].clip(c.p, x[r])
	}
	t := len(c.p.n)
	for _, a := range c.p.ands {
		if x[a.m] == nil {
			continue
		}
		for i := range t {
			for j := range t {
				at, one := i*t+j, c.p.s[i]*c.p.s[j]
				if i != j {
					va, vb := min(x[a.a][at], one), min(x[a.b][at], one)
					x[a.a][at], x[a.b][at] = va, vb
					x[a.m][at] = min(max(x[a.m][at], va+vb-one, 0), va, vb)
				}
			}
		}
	}
}
