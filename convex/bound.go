package convex

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// lower returns a lower bound of the minimum from the current iterate B and its multipliers; value
// is a lower bound of g at B.
//
// g is convex, so that for any positive semidefinite B, with G a subgradient there, g(M) ≥ g(B) +
// ⟨G, M−B⟩. Let G = S + N + Diag y. Over C, ⟨N, M⟩ ≥ 0 for N ≥ 0, ⟨Diag y, M⟩ = y·n and ⟨S, M⟩ ≥
// Σn·λ_min(S), the trace of M being Σn, all in the scaled metric. The multipliers provide N and y.
func (d *descent) lower(value float64) float64 {
	t := len(d.p.n)
	entries := make([]float64, len(d.Z)) // multipliers
	for k, s := range d.slots {
		z, entries := d.slot(d.Z, k), d.slot(entries, k)
		for i, b := range d.B[s] {
			entries[i] = d.G[s][i]/float64(d.copies[s]) - (b-z[i])/d.Step
		}
	}
	for k, a := range d.ands {
		value += d.p.products(&d.shapes[k], d.slot(entries, a[0]), d.slot(entries, a[1]), d.slot(entries, a[2]))
	}
	for r := range d.G {
		value -= floats.Dot(d.G[r], d.B[r])
	}
	for r, b := range d.B {
		s := slices.Clone(d.G[r]) // less N
		y := make([]float64, t)   // from the multipliers; y2 is from complementary slackness
		for k, of := range d.slots {
			if of != r {
				continue
			}
			e := d.slot(entries, k)
			if slices.Contains(d.singles, k) {
				value += d.p.relations[r].least(d.p, e)
			}
			floats.Sub(s, e)
			for i := range t {
				y[i] += e[i*t+i]
				s[i*t+i] += e[i*t+i]
			}
		}
		y2 := make([]float64, t)
		for i := range t {
			y2[i] = floats.Dot(s[i*t:(i+1)*t], b[i*t:(i+1)*t]) / d.p.n[i]
		}
		value += max(d.p.spectral(r, s, y), d.p.spectral(r, s, y2))
	}
	return value
}

// least replaces e off the diagonal by the part N for which ⟨N, M⟩ is bounded below by entries ≥ 0
// and by the intervals of known pairs, and returns the bound.
func (r *relation) least(p *part, e []float64) float64 {
	t := len(p.n)
	sum := 0.
	for at, x := range e {
		i, j := at/t, at%t
		if i == j {
			continue
		}
		if lo, hi, known := r.interval(i, j); known {
			sum += min(x*lo, x*hi) * p.s[i] * p.s[j]
		} else {
			e[at] = max(0, x)
		}
	}
	return sum
}

// spectral returns a lower bound of ⟨S, M⟩ from the eigenvalues of S − Diag y.
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

// products returns the minimum of ⟨da, A⟩ + ⟨db, B⟩ + ⟨dm, M⟩ off the diagonal over all products M
// of relations A and B, entry by entry.
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

// feasible replaces x by a nearby point of C, or of the feasible set with products: it clips
// entries, and then mixes all relations with the middle of the set, just enough to make them
// positive semidefinite.
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

// mostMixed bounds the number of further mixings. If the share of the middle is near 1, the
// remainder of entries as great as 1e14 has lost its digits, and the result may be outside the set.
const mostMixed = 4

// mix is the second step of feasible. It returns the share of the middle.
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
			theta = max(theta, -least/(p.relations[r].inside-least))
		}
	}
	for r := range x {
		relation := &p.relations[r]
		for i := range t {
			for j := range t {
				if at := i*t + j; i != j {
					middle := relation.centre
					if relation.middle != nil {
						middle = relation.middle[at]
					}
					x[r][at] += theta * (middle*p.s[i]*p.s[j] - x[r][at])
				}
			}
		}
	}
	return theta
}

// clip clips the entries of the relations to their bounds, products after their factors.
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

// centres sets the middle of the set. If known pairs have slack, the middle is the mean relation of
// random labels. Known labels are also random with probability slack/2, which makes it positive
// definite.
func (p *part) centres(set Set) {
	slack := 0.
	for i := range p.relations {
		r := &p.relations[i]
		r.centre, r.middle = 0, nil
		if set == Classes && r.states > 0 && (r.known == nil || r.slack > 0) {
			r.centre = 1 / float64(r.states)
		}
		r.inside = 1 - r.centre
		slack = max(slack, r.slack)
	}
	if slack == 0 {
		return
	}
	t := len(p.n)
	for i := range p.relations {
		r := &p.relations[i]
		r.middle = make([]float64, t*t)
		for at := range r.middle {
			x := 1 / float64(max(1, r.states))
			if lo, _, known := r.interval(at/t, at%t); known {
				x = slack/2*x + (1-slack/2)*math.Round(lo)
			}
			r.middle[at] = x
		}
	}
	for _, a := range p.ands {
		x, y, m := p.relations[a.a].middle, p.relations[a.b].middle, p.relations[a.m].middle
		for at := range m {
			m[at] = a.at(x[at], x[at]*y[at])
		}
	}
	for i := range p.relations {
		r := &p.relations[i]
		centred := slices.Clone(r.middle)
		for at := range centred {
			if at/t == at%t {
				r.middle[at], centred[at] = 1, 1
			}
			centred[at] -= r.centre
		}
		r.inside = least(t, centred)
	}
}
