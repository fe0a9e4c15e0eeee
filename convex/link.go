package convex

import "math"

// and defines relation m as the relaxation of a function of relations a and b, entry by entry: the
// product a·b if skew is 0, and (1+skew)·a·b − skew·a for a link.
//
// A link is a hidden variable of v values with relation b, and a is the relation of its hidden
// parents. Form (4) of the paper maximizes over Θ. Let Θᵢ be a mixture of the value of
// row i and the uniform distribution, with probability σᵢ for the other values together. Then
//
//	(Y−Θ)(Y−Θ)ᵢⱼᵀ = σᵢσⱼ·v/(v−1)·(vMᵢⱼ − 1)/(v − 1),
//
// with one free number per row. The penalty of (4) is ∑ σᵢσⱼEᵢⱼ·v/(v−1), divided by 2β, where E is
// the function of K = a and M = b with skew 1/(v−1). If v = 2, all Θ are such mixtures, and the
// loss of labels is exact; otherwise it is bounded from below. If M − 11ᵀ/v is positive
// semidefinite, as for labels, then E is, too, and has a diagonal of 1.
type and struct {
	a, b, m int
	skew    float64
	shape   tetrahedron
}

func newAnd(a, b, m int, skew float64) and {
	return and{a, b, m, skew, newTetrahedron(skew)}
}

// at returns the function's value for an entry a and a product p of the entries a and b.
func (x *and) at(a, p float64) float64 { return (1+x.skew)*p - x.skew*a }

// clip returns the nearest value to m that is possible with entries a and b ≤ one.
func (x *and) clip(a, b, m, one float64) float64 {
	return min(max(m, x.at(a, max(0, a+b-one))), x.at(a, min(a, b)))
}

// tetrahedron is the convex hull of the points (a, b, m) for truth values a and b.
type tetrahedron struct {
	corners [4][3]float64
	faces   [4]face
}

// face is the plane of a side of a tetrahedron, n·x ≤ c inside; n is not normalized.
type face struct {
	n [3]float64
	c float64
}

func newTetrahedron(skew float64) tetrahedron {
	k := 1 + skew
	return tetrahedron{
		corners: [4][3]float64{{0, 0, 0}, {1, 0, -skew}, {0, 1, 0}, {1, 1, 1}},
		faces: [4]face{ // a product ≤ a, ≤ b, ≥ a + b − 1, ≥ 0
			{[3]float64{-1, 0, 1}, 0},
			{[3]float64{skew, -k, 1}, 0},
			{[3]float64{1, k, -1}, k},
			{[3]float64{-skew, 0, -1}, 0},
		},
	}
}

// nearest returns the nearest point to p in the tetrahedron.
func (h *tetrahedron) nearest(p [3]float64) [3]float64 {
	outside := false
	for _, f := range h.faces {
		excess := dot(f.n, p) - f.c
		if excess <= 0 {
			continue
		}
		outside = true
		q := p
		for i := range q {
			q[i] -= excess / dot(f.n, f.n) * f.n[i]
		}
		if h.within(q) {
			return q // the nearest point of the half-space
		}
	}
	if !outside {
		return p
	}
	best := h.corners[0] // otherwise it is on an edge
	for i, u := range h.corners {
		for _, v := range h.corners[:i] {
			if q := onEdge(p, u, v); distance(p, q) < distance(p, best) {
				best = q
			}
		}
	}
	return best
}

// within reports whether q is in the tetrahedron, up to rounding.
func (h *tetrahedron) within(q [3]float64) bool {
	for _, f := range h.faces {
		if dot(f.n, q) > f.c+1e-12 {
			return false
		}
	}
	return true
}

// least returns the minimum of d·x in the tetrahedron.
func (h *tetrahedron) least(d [3]float64) float64 {
	least := math.Inf(1)
	for _, v := range h.corners {
		least = min(least, dot(d, v))
	}
	return least
}

// onEdge returns the nearest point to p on the segment from u to v.
func onEdge(p, u, v [3]float64) [3]float64 {
	var d, e [3]float64
	for i := range d {
		d[i], e[i] = v[i]-u[i], p[i]-u[i]
	}
	s := min(1, max(0, dot(d, e)/dot(d, d)))
	for i := range d {
		u[i] += s * d[i]
	}
	return u
}

func dot(x, y [3]float64) float64 { return x[0]*y[0] + x[1]*y[1] + x[2]*y[2] }

func distance(x, y [3]float64) float64 {
	d := [3]float64{x[0] - y[0], x[1] - y[1], x[2] - y[2]}
	return dot(d, d)
}

// mixtures is the loss Σⱼ Nⱼ ln(1 + others·exp(−slope·Fⱼ)) of a row of scores, for a link with v
// values: a row has others = v−1 other values, of equal probability, and slope = √(v/(v−1)).
type mixtures struct {
	weight        []float64 // N, per column
	others, slope float64
	p             []float64 // per column: the probability of other values
}

func newMixtures(weight []float64, states int) *mixtures {
	others := float64(states - 1)
	return &mixtures{weight, others, math.Sqrt(1 + 1/others), make([]float64, len(weight))}
}

func (l *mixtures) fresh() loss {
	c := *l
	c.p = make([]float64, len(l.p))
	return &c
}

func (l *mixtures) at(r, f []float64) (value, dual float64) {
	for j, n := range l.weight {
		// Of the two values, own and other, the greater has the score 0.
		x := math.Log(l.others) - l.slope*f[j]
		e := math.Exp(-math.Abs(x))
		l.p[j] = 1 / (1 + e)
		if x < 0 {
			l.p[j] = e / (1 + e)
		}
		norm := max(0, x) + math.Log1p(e)
		r[j] = n * l.slope * l.p[j]
		value += n * norm
		dual += n*norm + r[j]*f[j]
	}
	return value, dual
}

func (l *mixtures) curve(x []float64) {
	for j := range x {
		x[j] *= l.second(j)
	}
}

func (l *mixtures) diagonal(d []float64) {
	for j := range d {
		d[j] = l.second(j)
	}
}

// second returns the second derivative by the score of column j.
func (l *mixtures) second(j int) float64 {
	return l.weight[j] * l.slope * l.slope * l.p[j] * (1 - l.p[j])
}

// linkTerm returns the term of a hidden variable with hidden parents: a column per group of rows of
// the data that are merged.
func (p *Problem) linkTerm(i int, groups [][]int) *term {
	weight := p.weigh(groups)
	return &term{loss: newMixtures(weight, p.variables[i].States), rows: 1, scale: scale(weight), variable: i, groups: groups}
}
