package convex

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// constraints are the entrywise ones of a turn. A relation has a slot, a copy of its own,
// for every product that it is in, or one if it is in none; each slot is in exactly one of
// the groups, singles and products.
type constraints struct {
	slots   []int // relations
	copies  []int // per relation, the number of its slots
	singles []int // slots
	ands    [][3]int
	entries int // of a matrix
}

// slot returns the matrix of slot k in a vector of all.
func (c *constraints) slot(x []float64, k int) []float64 {
	return x[k*c.entries : (k+1)*c.entries]
}

func newConstraints(p *part, turn []int) constraints {
	c := constraints{entries: len(p.n) * len(p.n), copies: make([]int, len(p.relations))}
	slot := func(r int) int {
		c.copies[r]++
		c.slots = append(c.slots, r)
		return len(c.slots) - 1
	}
	in := make([]bool, len(p.relations))
	for _, r := range turn {
		in[r] = true
	}
	for _, a := range p.ands {
		if in[a.m] {
			c.ands = append(c.ands, [3]int{slot(a.a), slot(a.b), slot(a.m)})
		}
	}
	for _, r := range turn {
		if c.copies[r] == 0 {
			c.singles = append(c.singles, slot(r))
		}
	}
	return c
}

// project replaces x, per slot in the scaled metric, by the nearest that obeys the
// constraints.
func (c *constraints) project(p *part, x []float64) {
	for _, k := range c.singles {
		p.relations[c.slots[k]].clip(p, c.slot(x, k))
	}
	t := len(p.n)
	for _, a := range c.ands {
		xa, xb, xm := c.slot(x, a[0]), c.slot(x, a[1]), c.slot(x, a[2])
		for i := range t {
			for j := range i {
				at, scale := i*t+j, p.s[i]*p.s[j]
				y := nearestProduct([3]float64{xa[at] / scale, xb[at] / scale, xm[at] / scale})
				xa[at], xb[at], xm[at] = y[0]*scale, y[1]*scale, y[2]*scale
				xa[j*t+i], xb[j*t+i], xm[j*t+i] = xa[at], xb[at], xm[at]
			}
			xa[i*t+i], xb[i*t+i], xm[i*t+i] = p.n[i], p.n[i], p.n[i]
		}
	}
}

// clip makes x the nearest matrix in the scaled metric without negative entries whose
// diagonal is n and that is 0 where rows are known to differ.
func (r *relation) clip(p *part, x []float64) {
	t := len(p.n)
	for i, v := range x {
		if v < 0 {
			x[i] = 0
		}
	}
	for i, n := range p.n {
		x[i*t+i] = n
	}
	for _, d := range r.differ {
		x[d[0]*t+d[1]], x[d[1]*t+d[0]] = 0, 0
	}
}

// corners are the values of the product of two truth values that are possible: the
// vertices of the set of (a, b, m) with m ≤ a, m ≤ b, m ≥ a + b − 1, m ≥ 0.
var corners = [4][3]float64{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}}

// faces are the planes in which the sides of that tetrahedron lie, n·x ≤ c with |n| not 1.
var faces = [4]struct {
	n [3]float64
	c float64
}{
	{[3]float64{-1, 0, 1}, 0},
	{[3]float64{0, -1, 1}, 0},
	{[3]float64{1, 1, -1}, 1},
	{[3]float64{0, 0, -1}, 0},
}

// nearestProduct returns the point of the tetrahedron nearest to p.
func nearestProduct(p [3]float64) [3]float64 {
	outside := false
	for _, f := range faces {
		excess := dot(f.n, p) - f.c
		if excess <= 0 {
			continue
		}
		outside = true
		q := p
		for i := range q {
			q[i] -= excess / dot(f.n, f.n) * f.n[i]
		}
		if within(q) {
			return q // the nearest of the half-space
		}
	}
	if !outside {
		return p
	}
	best := corners[0] // or on an edge
	for i, u := range corners {
		for _, v := range corners[:i] {
			if q := onEdge(p, u, v); distance(p, q) < distance(p, best) {
				best = q
			}
		}
	}
	return best
}

// within reports whether q is in the tetrahedron, but for rounding.
func within(q [3]float64) bool {
	for _, f := range faces {
		if dot(f.n, q) > f.c+1e-12 {
			return false
		}
	}
	return true
}

// onEdge returns the point of the segment from u to v nearest to p.
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

// nearest returns the point nearest to z that is positive semidefinite, or more than the
// centre of the relation is.
func (p *part) nearest(r int, z []float64, project projection) *point {
	t, centre := len(p.n), p.relations[r].centre
	b := make([]float64, t*t)
	outer(-centre, p.s, z)
	l := project(t, z, b)
	outer(centre, p.s, b)
	if centre > 0 {
		l = appended(l, math.Sqrt(centre), p.s)
	}
	for i := range l.Rows {
		floats.Div(l.Data[i*t:(i+1)*t], p.s)
	}
	x := p.point(b)
	x.factor = l
	return x
}

// outer adds c·ssᵀ to x.
func outer(c float64, s, x []float64) {
	if c == 0 {
		return
	}
	for i, v := range s {
		floats.AddScaled(x[i*len(s):(i+1)*len(s)], c*v, s)
	}
}

// appended returns l with the row c·s.
func appended(l blas64.General, c float64, s []float64) blas64.General {
	data := append(append([]float64(nil), l.Data...), s...)
	floats.Scale(c, data[len(l.Data):])
	return general(l.Rows+1, len(s), data)
}
