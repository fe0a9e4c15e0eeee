package convex

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// lower returns a lower bound of the minimum from the current iterate B,
// where g has at least the given value, and its multipliers.
//
// g is convex, so that for any positive semidefinite B, with G a subgradient there,
// g(M) ≥ g(B) + ⟨G, M−B⟩. Let G = S + N + Diag y. Over C, ⟨N, M⟩ ≥ 0 for N ≥ 0,
// ⟨Diag y, M⟩ = y·n and ⟨S, M⟩ ≥ Σn·λ_min(S), the trace of M being Σn, all in the scaled
// metric. The multipliers say which N and y are good.
func (d *descent) lower(value float64) float64 {
	t := len(d.p.n)
	psd, entries := make([]float64, len(d.Z)), make([]float64, len(d.Z)) // multipliers
	for k, s := range d.slots {
		z, psd, entries := d.slot(d.Z, k), d.slot(psd, k), d.slot(entries, k)
		for i, b := range d.B[s] {
			psd[i] = (b - z[i]) / d.Step
			entries[i] = 1/float64(d.copies[s])*d.G[s][i] - psd[i]
		}
	}
	for k, a := range d.ands {
		value += d.p.products(&d.shapes[k], d.slot(entries, a[0]), d.slot(entries, a[1]), d.slot(entries, a[2]))
	}
	for r := range d.G {
		value -= floats.Dot(d.G[r], d.B[r])
	}
	for _, k := range d.singles {
		r, e := d.slots[k], d.slot(entries, k)
		s := d.p.nonnegative(r, d.G[r], e)
		y := make([]float64, t) // of the multipliers, or of complementary slackness
		y2 := make([]float64, t)
		for i := range t {
			y[i] = e[i*t+i]
			y2[i] = floats.Dot(s[i*t:(i+1)*t], d.B[r][i*t:(i+1)*t]) / d.p.n[i]
		}
		value += max(d.p.spectral(r, s, y), d.p.spectral(r, s, y2))
	}
	sums := d.matrices() // of relations in products
	ys := make([][]float64, len(sums))
	for _, a := range d.ands {
		for _, k := range a {
			r := d.slots[k]
			if ys[r] == nil {
				ys[r] = make([]float64, t)
			}
			floats.Add(sums[r], d.slot(psd, k))
			for i := range t {
				ys[r][i] += d.slot(entries, k)[i*t+i]
			}
		}
	}
	for r, y := range ys {
		if y != nil {
			for i, v := range y {
				sums[r][i*t+i] += v
			}
			value += d.p.spectral(r, sums[r], y)
		}
	}
	return value
}

// nonnegative returns G − N, where N is the part of e off the diagonal that relation r can
// only meet with a product ≥ 0.
func (p *part) nonnegative(r int, g, e []float64) []float64 {
	t := len(p.n)
	s := slices.Clone(g)
	for at, x := range e {
		if at/t != at%t && x > 0 {
			s[at] -= x
		}
	}
	for _, x := range p.relations[r].differ { // where M is 0, N may be negative
		for _, at := range [2]int{x[0]*t + x[1], x[1]*t + x[0]} {
			s[at] = g[at] - e[at]
		}
	}
	return s
}

// spectral returns a lower bound of ⟨S, M⟩ by the eigenvalues of S − Diag y.
func (p *part) spectral(r int, s, y []float64) float64 {
	s = slices.Clone(s)
	sum := 0.0
	for i, v := range y {
		s[i*len(y)+i] -= v
		sum += v * p.n[i]
	}
	centre := p.relations[r].centre
	if centre > 0 {
		sum += centre * quadratic(p.s, s)
	}
	return sum + p.total*(1-centre)*least(len(y), s)
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
func (p *part) products(h *tetrahedron, da, db, dm []float64) float64 {
	t := len(p.n)
	sum := 0.0
	for at := range da {
		if i, j := at/t, at%t; i != j {
			sum += h.least([3]float64{da[at], db[at], dm[at]}) * p.s[i] * p.s[j]
		}
	}
	return sum
}

// feasible makes x a point of C, or of the set that products make of it, near to what it is:
// entries are clipped, and then all relations are mixed with the middle of the
// set, by as little as makes them positive semidefinite.
func (p *part) feasible(x [][]float64) {
	p.clip(x)
	theta := p.mix(x)
	for range mostMixed {
		if theta <= .5 {
			break
		}
		theta = p.mix(x)
	}
}

// mostMixed bounds how often entries are mixed again. If nearly all of them is taken away, what
// is left of entries as great as 1e14 has lost its digits, and may be outside the set.
const mostMixed = 4

// mix is feasible after clipping. It returns the share of the middle.
func (p *part) mix(x [][]float64) float64 {
	t := len(p.n)
	theta := 0.0
	unscaled := make([]float64, t*t)
	for r := range x {
		centre := p.relations[r].centre
		for at, v := range x[r] {
			unscaled[at] = v/(p.s[at/t]*p.s[at%t]) - centre
		}
		if least := least(t, unscaled); least < 0 {
			theta = max(theta, -least/(1-centre-least))
		}
	}
	for r := range x {
		centre := p.relations[r].centre
		for i := range t {
			for j := range t {
				if at := i*t + j; i != j {
					x[r][at] += theta * (centre*p.s[i]*p.s[j] - x[r][at])
				}
			}
		}
	}
	return theta
}

// clip moves the entries of the relations into their bounds, products after their factors.
func (p *part) clip(x [][]float64) {
	product := make([]bool, len(p.relations))
	for _, a := range p.ands {
		product[a.m] = true
	}
	for r := range x {
		if product[r] {
			p.unit(x[r])
		} else {
			p.relations[r].clip(p, x[r])
		}
	}
	t := len(p.n)
	for _, a := range p.ands {
		for at := range x[a.m] {
			if i, j := at/t, at%t; i != j {
				one := p.s[i] * p.s[j]
				va, vb := min(x[a.a][at], one), min(x[a.b][at], one)
				x[a.a][at], x[a.b][at] = va, vb
				x[a.m][at] = a.clip(va, vb, x[a.m][at], one)
			}
		}
	}
}
