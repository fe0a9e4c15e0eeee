package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// none, in place of an index of a relation, means no relation.
const none = -1

// term is one summand of g: a loss of scores F = W L with its ridge, minimized over W. The columns
// of L are rows of a factor of a relation, M = LᵀL. The relation and the loss determine the kind of
// term:
//
//	long      loss
//	parent    choices    observed child of a hidden parent, a choice per column
//	parent    squares    the same, vector-valued
//	child     choices    hidden child of observed parents, a choice per configuration
//	a link    mixtures   hidden child of a hidden parent, a column per merged row
type term struct {
	loss  loss
	long  int   // relation
	node  []int // the merged row of each column of F; nil: column j is merged row j
	rows  int   // of F
	scale float64

	variable int     // the variable with parameters W
	groups   [][]int // rows of the data per column of F, of a hidden child of observed parents per row

	residual []float64 // of the latest solution, per cell of F; nil: not yet solved
	solver   regression
}

// point is a relation in the form that terms use.
type point struct {
	m      []float64      // D^½ M D^½, t×t
	factor blas64.General // L, r×t: M = LᵀL; Data is nil where it is not known
	mass   []float64      // M n
}

// columns returns the columns of x for the given nodes; nil means all columns.
func columns(x blas64.General, node []int) blas64.General {
	if node == nil {
		return x
	}
	c := general(x.Rows, len(node), make([]float64, x.Rows*len(node)))
	for i := range x.Rows {
		row, from := c.Data[i*c.Stride:(i+1)*c.Stride], x.Data[i*x.Stride:(i+1)*x.Stride]
		for j, n := range node {
			row[j] = from[n]
		}
	}
	return c
}

// massFloor is the fraction of a row's weight below which the ln of its mass is continued by its
// Taylor polynomial. In a relation, Mn ≥ n.
const massFloor = .5

// lnMass returns ln mass and its derivative for a row of weight n.
func lnMass(mass, n float64) (value, slope float64) {
	floor := massFloor * n
	if mass >= floor {
		return math.Log(mass), 1 / mass
	}
	u := (mass - floor) / floor
	return math.Log(floor) + u - u*u/2, (1 - u) / floor
}

// examples returns the loss of a hidden child, of choices among merged rows; otherwise nil.
func (t *term) examples() *choices {
	if c, ok := t.loss.(*choices); ok && c.offset != nil {
		return c
	}
	return nil
}

// shift sets the offsets of a loss over examples, ln n − ln Mn.
func (t *term) shift(p *part, x *point) {
	e := t.examples()
	if e == nil {
		return
	}
	for j, n := range p.n {
		ln, _ := lnMass(x.mass[j], n)
		e.offset[j] = math.Log(n) - ln
	}
}

// solve minimizes over W at relations whose factors are known. It returns the dual and the primal
// value, which bound the minimum.
func (t *term) solve(p *part, at []*point) (lower, upper float64) {
	g := &t.solver
	g.loss, g.ridge, g.tol, g.rows = t.loss, p.ridge, p.tol, t.rows
	g.long = columns(at[t.long].factor, t.node)
	t.shift(p, at[t.long])
	lower, upper = g.fit(t.residual, t.scale)
	t.residual = append(t.residual[:0], g.r...)
	return lower, upper
}

// upper returns an upper bound of the term at relations, of which it uses only the matrices: the
// primal value at the W for the latest residual R, F = RM/β.
func (t *term) upper(p *part, at []*point) float64 {
	cols := len(t.residual) / t.rows
	r := general(t.rows, cols, t.residual)
	f := general(t.rows, cols, make([]float64, len(t.residual)))
	m := p.submatrix(at[t.long], t.node)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1/p.ridge, r, m, 0, f)
	t.shift(p, at[t.long])
	value, _ := t.loss.at(make([]float64, len(f.Data)), f.Data)
	return value + floats.Dot(t.residual, f.Data)/2
}

// submatrix returns the unscaled entries of a relation between nodes; nil means all merged rows.
func (p *part) submatrix(x *point, node []int) blas64.General {
	n := len(p.n)
	if node == nil {
		node = p.all
	}
	m := general(len(node), len(node), make([]float64, len(node)*len(node)))
	for i, a := range node {
		row := m.Data[i*m.Stride : (i+1)*m.Stride]
		for j, b := range node {
			row[j] = x.m[a*n+b] / (p.s[a] * p.s[b])
		}
	}
	return m
}

// differentiate adds the term's derivative by its relation at the latest solution.
func (t *term) differentiate(p *part, at []*point, by *gradient) {
	cols := len(t.residual) / t.rows
	by.square(p, general(t.rows, cols, t.residual), t.node)
	if e := t.examples(); e != nil {
		for j, n := range p.n {
			_, slope := lnMass(at[t.long].mass[j], n)
			for a, weight := range e.weight {
				by.mass[j] -= weight * e.p[a*cols+j] * slope / p.s[j]
			}
		}
	}
}

// gradient is the gradient of g by a relation, in the scaled metric and as a sum of products:
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
