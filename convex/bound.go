package convex

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// certificate finds bounds of the minimum over a turn from an iterate of Davis–Yin
// splitting and its multipliers.
//
// Below: g is convex, so that for any positive semidefinite B, with G a subgradient there,
// g(M) ≥ g(B) + ⟨G, M−B⟩. Let G = S + N + Diag y. Over C, ⟨N, M⟩ ≥ 0 for N ≥ 0,
// ⟨Diag y, M⟩ = y·n and ⟨S, M⟩ ≥ Σn·λ_min(S), the trace of M being Σn, all in the scaled
// metric. The multipliers say which N and y are good.
//
// Above: the value at a point of C near the iterate.
type certificate struct {
	p           *part
	constraints *constraints
	centre      []float64 // per relation, 1/v if M − 11ᵀ/v is positive semidefinite, too; or 0
	eigen       *eigen
}

// lower returns the lower bound at b, per relation, where g has at least the given value and
// the gradient, with the multipliers q, per slot, of semidefiniteness.
func (c *certificate) lower(value float64, b, gradient, q [][]float64) float64 {
	t := len(c.p.n)
	d := make([][]float64, len(q)) // multipliers of the entrywise constraints
	for k, s := range c.constraints.slots {
		d[k] = make([]float64, t*t)
		floats.AddScaled(d[k], 1/float64(c.constraints.copies[s]), gradient[s])
		floats.Sub(d[k], q[k])
	}
	for _, a := range c.constraints.ands {
		value += c.products(d[a[0]], d[a[1]], d[a[2]])
	}
	for r, g := range gradient {
		if g != nil {
			value -= floats.Dot(g, b[r])
		}
	}
	for _, k := range c.constraints.singles {
		r := c.constraints.slots[k]
		s := c.nonnegative(r, gradient[r], d[k])
		y := make([]float64, t) // of the multipliers, or of complementary slackness
		y2 := make([]float64, t)
		for i := range t {
			y[i] = d[k][i*t+i]
			y2[i] = floats.Dot(s[i*t:(i+1)*t], b[r][i*t:(i+1)*t]) / c.p.n[i]
		}
		value += max(c.spectral(r, s, y), c.spectral(r, s, y2))
	}
	for r, copies := range c.constraints.copies {
		if gradient[r] == nil || copies == 0 || c.single(r) {
			continue
		}
		s, y := make([]float64, t*t), make([]float64, t)
		for k, slot := range c.constraints.slots {
			if slot == r {
				floats.Add(s, q[k])
				for i := range t {
					y[i] += d[k][i*t+i]
				}
			}
		}
		for i := range t {
			s[i*t+i] += y[i]
		}
		value += c.spectral(r, s, y)
	}
	return value
}

func (c *certificate) single(r int) bool {
	for _, k := range c.constraints.singles {
		if c.constraints.slots[k] == r {
			return true
		}
	}
	return false
}

// nonnegative returns G − N, where N is the part of d off the diagonal that relation r can
// only meet with a product ≥ 0.
func (c *certificate) nonnegative(r int, g, d []float64) []float64 {
	t := len(c.p.n)
	s := append([]float64(nil), g...)
	for i := range t {
		for j := range t {
			if at := i*t + j; i != j && d[at] > 0 {
				s[at] -= d[at]
			}
		}
	}
	for _, x := range c.p.relations[r].differ { // where M is 0, N may be negative
		for _, at := range [2]int{x[0]*t + x[1], x[1]*t + x[0]} {
			s[at] = g[at] - d[at]
		}
	}
	return s
}

// spectral returns a lower bound of ⟨S, M⟩ by the eigenvalues of S − Diag y.
func (c *certificate) spectral(r int, s, y []float64) float64 {
	t := len(c.p.n)
	s = append([]float64(nil), s...)
	sum := 0.0
	for i, v := range y {
		s[i*t+i] -= v
		sum += v * c.p.n[i]
	}
	if v := c.centre[r]; v > 0 {
		sum += v * quadratic(c.p.s, s)
	}
	return sum + c.p.total*(1-c.centre[r])*c.eigen.least(t, s)
}

func quadratic(x, m []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += v * floats.Dot(x, m[i*len(x):(i+1)*len(x)])
	}
	return sum
}

// products returns the least of ⟨da, A⟩ + ⟨db, B⟩ + ⟨dm, M⟩ off the diagonal over all
// products M of relations A and B, entry by entry.
func (c *certificate) products(da, db, dm []float64) float64 {
	t := len(c.p.n)
	sum := 0.0
	for i := range t {
		for j := range t {
			if i == j {
				continue
			}
			d := [3]float64{da[i*t+j], db[i*t+j], dm[i*t+j]}
			least := math.Inf(1)
			for _, v := range corners {
				least = min(least, dot(d, v))
			}
			sum += least * c.p.s[i] * c.p.s[j]
		}
	}
	return sum
}

// feasible returns a point of C, or of the set that products make of it, near to x, which
// is overwritten: entries are clipped, and then all relations of the turn are mixed with
// the middle of the set, by as little as makes them positive semidefinite.
func (c *certificate) feasible(turn []int, x [][]float64) []*point {
	c.clip(turn, x)
	theta := c.mix(turn, x)
	for range mostMixed {
		if theta <= .5 {
			break
		}
		theta = c.mix(turn, x)
	}
	at := make([]*point, len(x))
	for _, r := range turn {
		at[r] = &point{m: x[r], factor: blas64.General{}}
		c.p.observe(at[r])
	}
	return at
}

// mostMixed bounds how often entries are mixed again. If nearly all of them is taken away, what
// is left of entries as great as 1e14 has lost its digits, and may be outside the set.
const mostMixed = 4

// mix is feasible after clipping. It returns the share of the middle.
func (c *certificate) mix(turn []int, x [][]float64) float64 {
	t := len(c.p.n)
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
	for _, r := range turn {
		for i := range t {
			for j := range t {
				if i != j {
					x[r][i*t+j] += theta * (c.centre[r]*c.p.s[i]*c.p.s[j] - x[r][i*t+j])
				}
			}
		}
	}
	return theta
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
