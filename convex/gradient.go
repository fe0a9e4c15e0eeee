package convex

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// differentiate adds the term's derivative by each relation of which a gradient is wanted,
// at the latest solution.
func (t *term) differentiate(p *part, at []*point, by []*gradient) {
	cols := len(t.residual) / t.rows
	r := general(t.rows, cols, t.residual)
	if g := by[t.long]; g != nil {
		x := r
		if t.short != none {
			s := t.solver.short
			x = general(s.Cols, cols, make([]float64, s.Cols*cols))
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, s, r, 0, x)
		}
		g.square(p, x, t.node)
		if e, ok := t.loss.(*examples); ok {
			for j, n := range p.n {
				_, slope := lnMass(at[t.long].mass[j], n)
				for a, weight := range e.weight {
					g.mass[j] -= weight * e.p[a*cols+j] * slope / p.s[j]
				}
			}
		}
	}
	if t.short == none {
		return
	}
	if g := by[t.short]; g != nil {
		l := t.solver.long
		x := general(l.Rows, t.rows, make([]float64, l.Rows*t.rows))
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, l, r, 0, x)
		g.square(p, x, t.shortNode)
	}
}

// gradient is that of g by a relation, in the scaled metric and as a sum of products:
// −XᵀX/2β + ½(mass sᵀ + s massᵀ).
type gradient struct {
	x    []float64 // rows of t
	mass []float64 // t
}

// square adds −xᵀx/2β, where the columns of x belong to the given merged rows (nil: 0, 1, …).
func (g *gradient) square(p *part, x blas64.General, node []int) {
	if node == nil {
		node = p.all
	}
	t := len(p.n)
	for i := range x.Rows {
		lo := len(g.x)
		g.x = append(g.x, make([]float64, t)...)
		for j, n := range node {
			g.x[lo+n] += x.Data[i*x.Stride+j] / p.s[n]
		}
	}
}

// dense stores the gradient as a matrix.
func (g *gradient) dense(p *part, dst []float64) {
	t := len(p.n)
	symmetric(t, -1/(2*p.ridge), general(len(g.x)/t, t, g.x), dst)
	for i, m := range g.mass {
		row := dst[i*t : (i+1)*t]
		floats.AddScaled(row, m/2, p.s)
		floats.AddScaled(row, p.s[i]/2, g.mass)
	}
}

// symmetric stores scale·xᵀx, t×t, in dst.
func symmetric(t int, scale float64, x blas64.General, dst []float64) {
	blas64.Syrk(blas.Trans, scale, x, 0, blas64.Symmetric{N: t, Stride: t, Data: dst, Uplo: blas.Upper})
	mirror(t, dst)
}

// mirror copies the upper triangle to the lower.
func mirror(t int, x []float64) {
	for i := range t {
		for j := range i {
			x[i*t+j] = x[j*t+i]
		}
	}
}
