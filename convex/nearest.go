package convex

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// nearest returns the point nearest to z that is positive semidefinite, or more than the
// centre of the relation is.
func (d *certificate) nearest(r int, z []float64) *point {
	t := len(d.p.n)
	b := make([]float64, t*t)
	c := d.centre[r]
	outer(-c, d.p.s, z)
	l := d.eigen.project(t, z, b)
	outer(c, d.p.s, b)
	if c > 0 {
		l = appended(l, math.Sqrt(c), d.p.s)
	}
	for i := range l.Rows {
		floats.Div(l.Data[i*t:(i+1)*t], d.p.s)
	}
	x := &point{m: b, factor: l}
	d.p.observe(x)
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
