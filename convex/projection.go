package convex

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// rankFloor is the relative size, compared to the largest, below which an eigenvalue counts as 0.
const rankFloor = 1e-12

// A projection stores the nearest positive semidefinite matrix to x, t×t, in b, and returns an L
// with orthogonal rows and b = LᵀL.
type projection func(t int, x, b []float64) blas64.General

// exact is the projection that computes all eigenvectors.
func exact(t int, x, b []float64) blas64.General {
	values, vectors := spectrum(t, x, true)
	floor := rankFloor * max(1, values[t-1])
	r, negative := 0, 0
	for _, w := range values {
		if w > floor {
			r++
		} else if w < 0 {
			negative++
		}
	}
	l := scaled(values, vectors, t-r, t)
	if r <= negative {
		symmetric(t, 1, l, b)
		return l
	}
	symmetric(t, 1, scaled(values, vectors, 0, negative), b)
	floats.Add(b, x)
	return l
}

// spectrum returns the eigenvalues of x, t×t, ascending, and, if vectors is set, its eigenvectors
// in columns. It panics if x has an entry that is not finite.
func spectrum(t int, x []float64, vectors bool) (values []float64, u *mat.Dense) {
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(t, x), vectors) {
		panic("convex: eigenvalues of a matrix that is not finite")
	}
	if vectors {
		u = new(mat.Dense)
		e.VectorsTo(u)
	}
	return e.RawValues(), u
}

// scaled returns the eigenvectors lo to hi, in rows, each times the root of the magnitude
// of its eigenvalue.
func scaled(values []float64, vectors *mat.Dense, lo, hi int) blas64.General {
	t := len(values)
	l := general(hi-lo, t, make([]float64, (hi-lo)*t))
	for j := range t {
		for i, u := range vectors.RawRowView(j)[lo:hi] {
			l.Data[i*t+j] = u * math.Sqrt(math.Abs(values[lo+i]))
		}
	}
	return l
}

// least returns a lower bound of the least eigenvalue of x, with an allowance for rounding.
func least(t int, x []float64) float64 {
	values, _ := spectrum(t, x, false)
	return values[0] - 1e-15*math.Sqrt(float64(t))*max(values[t-1], -values[0])
}

// If matrices have more than krylovRows rows, eigenvectors of positive eigenvalues come from a
// Krylov space, whose dimension is at most the fraction krylovShare of the rows. It grows by
// krylovStep, or a quarter, until all residuals, relative to the largest eigenvalue, are at most
// krylovTol. Positive eigenvalues below krylovFloor, relative to the largest, count as 0.
const (
	krylovRows  = 64
	krylovShare = 2. / 3
	krylovStep  = 8
	krylovTol   = 1e-10
	krylovFloor = 1e-9
)

// near is a projection with errors of the size of krylovFloor if the matrix is large and has few
// positive eigenvalues. The bounds of a solver hold for any positive semidefinite matrix that it
// evaluates, so these errors can only cost iterations.
func near(t int, x, b []float64) blas64.General {
	if t > krylovRows {
		if l, ok := krylov(t, x); ok {
			symmetric(t, 1, l, b)
			return l
		}
	}
	return exact(t, x, b)
}

// krylov returns an L with orthogonal rows for which LᵀL approximates the nearest positive
// semidefinite matrix to x, t×t. It uses Lanczos's method with full orthogonalization, in O(t²)
// time per dimension. A multiple eigenvalue has only one vector in the space. So once all vectors
// have converged, krylov continues from a random direction, until no more vectors are found. It
// returns false if too many eigenvalues are positive.
func krylov(t int, x []float64) (blas64.General, bool) {
	most := int(krylovShare * float64(t))
	basis := general(most+1, t, make([]float64, (most+1)*t))
	rng := rand.New(rand.NewPCG(0, 0))
	along := make([]float64, most+1)
	// extend makes row m of the basis orthogonal to the preceding rows, normalizes it, and returns
	// its former length.
	extend := func(m int) float64 {
		space, w := general(m, t, basis.Data[:m*t]), basis.Data[m*t:(m+1)*t]
		for range 2 { // twice is enough (Kahan)
			if m > 0 {
				times(blas.NoTrans, 1, space, w, 0, along[:m])
				times(blas.Trans, -1, space, along[:m], 1, w)
			}
		}
		norm := floats.Norm(w, 2)
		if norm > 0 {
			floats.Scale(1/norm, w)
		}
		return norm
	}
	// random sets row m to a random direction, orthogonal to the preceding rows.
	random := func(m int) {
		for i := range t {
			basis.Data[m*t+i] = rng.NormFloat64()
		}
		extend(m)
	}
	random(0)
	diagonal, off := make([]float64, 0, most), make([]float64, 0, most)
	look, found := krylovStep, none
	for m := 1; m <= most; m++ {
		v, w := basis.Data[(m-1)*t:m*t], basis.Data[m*t:(m+1)*t]
		times(blas.NoTrans, 1, general(t, t, x), v, 0, w)
		diagonal = append(diagonal, floats.Dot(v, w))
		off = append(off, extend(m))
		if off[m-1] == 0 {
			random(m)
		}
		if m < look && m < most {
			continue
		}
		look += max(krylovStep, m/4)
		if l, ok := ritz(general(m, t, basis.Data[:m*t]), diagonal, off); ok {
			if l.Rows == found {
				return l, true
			}
			found, off[m-1] = l.Rows, 0
			random(m)
		}
	}
	return blas64.General{}, false
}

// times stores scale·m·x, or scale·mᵀ·x, plus keep·dst in dst.
func times(trans blas.Transpose, scale float64, m blas64.General, x []float64, keep float64, dst []float64) {
	blas64.Gemv(trans, scale, m, blas64.Vector{N: len(x), Data: x, Inc: 1}, keep, blas64.Vector{N: len(dst), Data: dst, Inc: 1})
}

var impl gonum.Implementation

// ritz returns the Ritz vectors of positive eigenvalues, each times the root of the eigenvalue, and
// reports whether all have converged. In the basis of the space the matrix is tridiagonal, with the
// given diagonal and off-diagonal elements; the last of off couples the space to the rest.
func ritz(space blas64.General, diagonal, off []float64) (blas64.General, bool) {
	m := len(diagonal)
	values, vectors := slices.Clone(diagonal), mat.NewDense(m, m, nil)
	if !impl.Dsteqr(lapack.EVTridiag, m, values, slices.Clone(off[:m-1]), vectors.RawMatrix().Data, m, make([]float64, 2*m)) {
		return blas64.General{}, false
	}
	norm := max(math.Abs(values[0]), math.Abs(values[m-1]))
	first := m
	for first > 0 && values[first-1] > krylovFloor*norm {
		first--
		if math.Abs(off[m-1]*vectors.At(m-1, first)) > krylovTol*norm {
			return blas64.General{}, false
		}
	}
	if first == 0 {
		return blas64.General{}, false
	}
	l := general(m-first, space.Cols, make([]float64, (m-first)*space.Cols))
	if first < m {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, scaled(values, vectors, first, m), space, 0, l)
	}
	return l, true
}

// constraints are the entrywise constraints of a part. A relation has a slot, which is a separate
// copy, for every product that contains it, and another one if no product contains it or pairs are
// known. Each slot is in exactly one element of singles or ands.
type constraints struct {
	slots   []int // relations
	copies  []int // per relation, the number of its slots
	singles []int // slots
	ands    [][3]int
	shapes  []tetrahedron
	entries int // of a matrix
}

// slot returns the matrix of slot k in a vector of all slots.
func (c *constraints) slot(x []float64, k int) []float64 {
	return x[k*c.entries : (k+1)*c.entries]
}

func newConstraints(p *part) constraints {
	c := constraints{entries: len(p.n) * len(p.n), copies: make([]int, len(p.relations))}
	slot := func(r int) int {
		c.copies[r]++
		c.slots = append(c.slots, r)
		return len(c.slots) - 1
	}
	for _, a := range p.ands {
		c.ands, c.shapes = append(c.ands, [3]int{slot(a.a), slot(a.b), slot(a.m)}), append(c.shapes, a.shape)
	}
	for r := range p.relations {
		if c.copies[r] == 0 || p.relations[r].known != nil {
			c.singles = append(c.singles, slot(r))
		}
	}
	return c
}

// project replaces x, per slot, by its projection onto the constraints in the scaled metric.
func (c *constraints) project(p *part, x []float64) {
	for _, k := range c.singles {
		p.relations[c.slots[k]].clip(p, c.slot(x, k))
	}
	t := len(p.n)
	for k, a := range c.ands {
		shape := &c.shapes[k]
		xa, xb, xm := c.slot(x, a[0]), c.slot(x, a[1]), c.slot(x, a[2])
		for i := range t {
			for j := range i {
				at, scale := i*t+j, p.s[i]*p.s[j]
				y := shape.nearest([3]float64{xa[at] / scale, xb[at] / scale, xm[at] / scale})
				xa[at], xb[at], xm[at] = y[0]*scale, y[1]*scale, y[2]*scale
				xa[j*t+i], xb[j*t+i], xm[j*t+i] = xa[at], xb[at], xm[at]
			}
			xa[i*t+i], xb[i*t+i], xm[i*t+i] = p.n[i], p.n[i], p.n[i]
		}
	}
}

// clip replaces x by the nearest matrix, in the scaled metric, with non-negative entries, diagonal
// n and entries of known pairs in their intervals.
func (r *relation) clip(p *part, x []float64) {
	t := len(p.n)
	for at, v := range x {
		x[at] = max(0, v)
		if i, j := at/t, at%t; r.known != nil && i != j {
			if lo, hi, known := r.interval(i, j); known {
				one := p.s[i] * p.s[j]
				x[at] = min(max(v, lo*one), hi*one)
			}
		}
	}
	p.unit(x)
}

// interval returns the interval of the entry of merged rows i and j, if it is known.
func (r *relation) interval(i, j int) (lo, hi float64, known bool) {
	switch {
	case r.known == nil || r.known[i] == Hidden || r.known[j] == Hidden:
		return 0, 0, false
	case r.known[i] == r.known[j]:
		return 1 - r.slack, 1, true
	}
	return 0, r.slack, true
}

// unit sets the diagonal of x to n.
func (p *part) unit(x []float64) {
	for i, n := range p.n {
		x[i*len(p.n)+i] = n
	}
}

// nearest returns the nearest point to z that is positive semidefinite after the centre of the
// relation, if it has one, is subtracted.
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

// appended returns l with an additional row c·s.
func appended(l blas64.General, c float64, s []float64) blas64.General {
	data := append(append([]float64(nil), l.Data...), s...)
	floats.Scale(c, data[len(l.Data):])
	return general(l.Rows+1, len(s), data)
}
