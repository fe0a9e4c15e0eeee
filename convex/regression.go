package convex

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// regression is the minimum over W of loss(F) + β/2·|W|², where F = S W L: what is left
// of a term of g when its relations are written M = LᵀL. It is strictly convex, and
// minimized by Newton's method whose steps come from conjugate gradients.
type regression struct {
	loss  loss
	ridge float64
	tol   float64        // of the gradient; newtonTol at least
	short blas64.General // S; no columns: the identity
	long  blas64.General // L
	rows  int            // of F

	w, g, d, next, q, z []float64 // rows of W times columns of W
	precondition        []float64
	f, r, x             []float64 // cells of F
	c                   []float64 // rows of F times rows of L
	value, dual         float64
}

const (
	newtonSteps  = 50
	newtonTol    = 1e-9 // least tolerance of the gradient, relative to 1 and the largest weight
	conjugateMax = 300
)

// fit returns, given residuals r of an earlier fit (nil: none), the value of the
// regression, and the value of the dual at its own residuals, which it stores in r.
func (g *regression) fit(r []float64, scale float64) (lower, upper float64) {
	g.resize()
	clear(g.w)
	if r != nil {
		g.adjoint(g.w, r)
		floats.Scale(1/g.ridge, g.w)
	}
	g.evaluate(g.w)
	for range newtonSteps {
		g.adjoint(g.g, g.r)
		floats.Scale(-1, g.g)
		floats.AddScaled(g.g, g.ridge, g.w)
		if len(g.g) == 0 || floats.Norm(g.g, math.Inf(1)) <= max(newtonTol, g.tol)*scale {
			break
		}
		if !g.step() {
			break
		}
	}
	// At the residual R the dual value is dual(R) − |S'RL'|²/2β.
	g.adjoint(g.d, g.r)
	return g.dual - floats.Dot(g.d, g.d)/(2*g.ridge), g.value
}

// step takes one damped step of Newton's method and reports whether there was one to
// take.
func (g *regression) step() bool {
	g.newton()
	slope := floats.Dot(g.g, g.d)
	if slope > -1e-14*math.Abs(g.value) {
		return false
	}
	before := g.value
	for s := 1.0; s > 1e-8; s /= 2 {
		floats.AddScaledTo(g.next, g.w, s, g.d)
		g.evaluate(g.next)
		if g.value <= before+1e-4*s*slope+1e-13*math.Abs(before) {
			g.w, g.next = g.next, g.w
			return true
		}
	}
	g.evaluate(g.w)
	return false
}

// newton stores in d the solution of H d = −g to a tolerance that falls with g, by
// conjugate gradients preconditioned with the diagonal of H.
func (g *regression) newton() {
	g.diagonal()
	clear(g.d)
	floats.ScaleTo(g.q, -1, g.g) // residual
	floats.DivTo(g.z, g.q, g.precondition)
	p, hp := append([]float64(nil), g.z...), make([]float64, len(g.z))
	rz := floats.Dot(g.q, g.z)
	norm := math.Sqrt(floats.Dot(g.q, g.q))
	stop := norm * min(1e-2, math.Sqrt(norm))
	for range conjugateMax {
		g.hessian(hp, p)
		alpha := rz / floats.Dot(p, hp)
		floats.AddScaled(g.d, alpha, p)
		floats.AddScaled(g.q, -alpha, hp)
		if math.Sqrt(floats.Dot(g.q, g.q)) <= stop {
			return
		}
		floats.DivTo(g.z, g.q, g.precondition)
		next := floats.Dot(g.q, g.z)
		floats.Scale(next/rz, p)
		floats.Add(p, g.z)
		rz = next
	}
}

func (g *regression) evaluate(w []float64) {
	g.apply(g.f, w)
	g.value, g.dual = g.loss.at(g.r, g.f)
	g.value += g.ridge / 2 * floats.Dot(w, w)
}

func (g *regression) hessian(dst, p []float64) {
	g.apply(g.x, p)
	g.loss.curve(g.x)
	g.adjoint(dst, g.x)
	floats.AddScaled(dst, g.ridge, p)
}

// diagonal stores the diagonal of the Hessian Σ S²ₐₚ h_{aj} L²ₖⱼ + β, where h is the
// diagonal of the loss's.
func (g *regression) diagonal() {
	g.loss.diagonal(g.x)
	cols := g.long.Cols
	k := g.long.Rows
	for i := range g.c {
		a, l := i/k, g.long.Data[i%k*cols:(i%k+1)*cols]
		sum := 0.0
		for j, h := range g.x[a*cols : (a+1)*cols] {
			sum += h * l[j] * l[j]
		}
		g.c[i] = sum
	}
	d := g.precondition
	if g.short.Cols == 0 {
		copy(d, g.c)
	} else {
		clear(d)
		for a := range g.rows {
			for p := range g.short.Cols {
				s := g.short.Data[a*g.short.Cols+p]
				floats.AddScaled(d[p*k:(p+1)*k], s*s, g.c[a*k:(a+1)*k])
			}
		}
	}
	floats.AddConst(g.ridge, d)
}

// apply stores S W L in f.
func (g *regression) apply(f, w []float64) {
	k := g.long.Rows
	if len(w) == 0 { // a relation of rank 0
		clear(f)
		return
	}
	c := w
	if g.short.Cols > 0 {
		c = g.c
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, g.short, general(g.short.Cols, k, w), 0, general(g.rows, k, c))
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(g.rows, k, c), g.long, 0, general(g.rows, g.long.Cols, f))
}

// adjoint stores Sᵀ F Lᵀ in w.
func (g *regression) adjoint(w, f []float64) {
	k := g.long.Rows
	if len(w) == 0 {
		return
	}
	c := w
	if g.short.Cols > 0 {
		c = g.c
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, general(g.rows, g.long.Cols, f), g.long, 0, general(g.rows, k, c))
	if g.short.Cols > 0 {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, g.short, general(g.rows, k, c), 0, general(g.short.Cols, k, w))
	}
}

func (g *regression) resize() {
	p := g.rows
	if g.short.Cols > 0 {
		p = g.short.Cols
	}
	n := p * g.long.Rows
	for _, v := range []*[]float64{&g.w, &g.g, &g.d, &g.next, &g.q, &g.z, &g.precondition} {
		*v = resized(*v, n)
	}
	cells := g.rows * g.long.Cols
	for _, v := range []*[]float64{&g.f, &g.r, &g.x} {
		*v = resized(*v, cells)
	}
	g.c = resized(g.c, g.rows*g.long.Rows)
}

// resized returns x with n elements of any value.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// general returns the matrix of contiguous rows.
func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}
}
