package convex

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// regression is the minimum over W of loss(F) + β/2·|W|², where F = W L: the remaining problem of a
// term of g when its relation is written M = LᵀL. It is strictly convex, and minimized by Newton's
// method with steps from conjugate gradients.
type regression struct {
	loss  loss
	ridge float64
	tol   float64        // of the gradient; newtonTol at least
	long  blas64.General // L
	rows  int            // of F

	w, g, d, next, q, z []float64 // rows of F times rows of L
	precondition        []float64
	f, r, x             []float64 // cells of F
	value, dual         float64
}

const (
	newtonSteps  = 50
	newtonTol    = 1e-9 // least tolerance of the gradient, relative to 1 and the largest weight
	conjugateMax = 300
)

// fit minimizes, starting from the residuals r of an earlier fit, or from 0 if r is nil. It returns
// the value of the regression as upper, and the value of the dual at its own residuals, which are
// then in g.r, as lower.
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
	// At the residual R the dual value is dual(R) − |RL'|²/2β.
	g.adjoint(g.d, g.r)
	return g.dual - floats.Dot(g.d, g.d)/(2*g.ridge), g.value
}

// step takes one damped step of Newton's method. It returns false if no step reduces the value.
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

// diagonal stores the diagonal of the Hessian, Σ h_{aj} L²ₖⱼ + β, where h is the diagonal of the
// Hessian of the loss.
func (g *regression) diagonal() {
	g.loss.diagonal(g.x)
	cols := g.long.Cols
	k := g.long.Rows
	for i := range g.precondition {
		a, l := i/k, g.long.Data[i%k*cols:(i%k+1)*cols]
		sum := 0.0
		for j, h := range g.x[a*cols : (a+1)*cols] {
			sum += h * l[j] * l[j]
		}
		g.precondition[i] = sum + g.ridge
	}
}

// apply stores W L in f.
func (g *regression) apply(f, w []float64) {
	k := g.long.Rows
	if len(w) == 0 { // a relation of rank 0
		clear(f)
		return
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(g.rows, k, w), g.long, 0, general(g.rows, g.long.Cols, f))
}

// adjoint stores F Lᵀ in w.
func (g *regression) adjoint(w, f []float64) {
	k := g.long.Rows
	if len(w) == 0 {
		return
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, general(g.rows, g.long.Cols, f), g.long, 0, general(g.rows, k, w))
}

func (g *regression) resize() {
	n := g.rows * g.long.Rows
	for _, v := range []*[]float64{&g.w, &g.g, &g.d, &g.next, &g.q, &g.z, &g.precondition} {
		*v = resized(*v, n)
	}
	cells := g.rows * g.long.Cols
	for _, v := range []*[]float64{&g.f, &g.r, &g.x} {
		*v = resized(*v, cells)
	}
}

// resized returns x with n elements, whose values are undefined.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// general returns the matrix with contiguous rows in data.
func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}
}

// loss is a convex function of scores F, a matrix in row-major order. It contains its weights and
// targets.
type loss interface {
	// at returns the loss at f and the negated convex conjugate of the loss at −r, which is the
	// part of the dual value that depends only on r. It stores the residual −∂loss/∂f in r.
	at(r, f []float64) (value, dual float64)
	// curve replaces x by the Hessian, at the f of the latest at, times x.
	curve(x []float64)
	// diagonal stores the diagonal of that Hessian.
	diagonal(d []float64)
	// fresh returns a copy of the loss with its own memory.
	fresh() loss
}

// choices is the loss Σₖ Nₖ ln Σₐ exp(Fₖₐ + offsetₐ) − Σ counts∘F of choices k among alternatives
// a. Either choices are columns and alternatives rows: a child chooses among its values. Or choices
// are rows and alternatives columns: examples whose value is taken (Guo and Schuurmans 2007, Lemma
// 3).
type choices struct {
	weight     []float64 // N, per choice
	count      []float64 // per cell
	offset     []float64 // per alternative; nil: 0
	next, step int       // distances between cells of successive choices, and alternatives
	p          []float64 // per cell: the softmax of its choice
}

// amongRows returns the loss with a choice per column, among the rows.
func amongRows(weight, count []float64) *choices {
	return &choices{weight: weight, count: count, next: 1, step: len(weight), p: make([]float64, len(count))}
}

// amongColumns returns the loss with a choice per row, among the columns, with offsets of 0.
func amongColumns(weight, count []float64) *choices {
	cols := len(count) / len(weight)
	return &choices{weight: weight, count: count, offset: make([]float64, cols), next: cols, step: 1, p: make([]float64, len(count))}
}

func (c *choices) fresh() loss {
	d := *c
	d.offset, d.p = slices.Clone(c.offset), make([]float64, len(c.p))
	return &d
}

// cells returns the first cell of choice k, and an end after its last.
func (c *choices) cells(k int) (lo, hi int) {
	return k * c.next, k*c.next + len(c.count)/len(c.weight)*c.step
}

func (c *choices) at(r, f []float64) (value, dual float64) {
	p := c.p
	copy(p, f)
	for k, n := range c.weight {
		lo, hi := c.cells(k)
		if c.offset != nil {
			floats.Add(p[lo:hi], c.offset)
		}
		top := math.Inf(-1)
		for i := lo; i < hi; i += c.step {
			top = max(top, p[i])
		}
		sum := 0.0
		for i := lo; i < hi; i += c.step {
			p[i] = math.Exp(p[i] - top)
			sum += p[i]
		}
		norm := top + math.Log(sum)
		value += n * norm
		dual += n * norm
		for i := lo; i < hi; i += c.step {
			p[i] /= sum
			r[i] = c.count[i] - n*p[i]
			value -= c.count[i] * f[i]
			dual -= n * p[i] * f[i]
		}
	}
	return value, dual
}

func (c *choices) curve(x []float64) {
	for k, n := range c.weight {
		lo, hi := c.cells(k)
		mean := 0.0
		for i := lo; i < hi; i += c.step {
			mean += c.p[i] * x[i]
		}
		for i := lo; i < hi; i += c.step {
			x[i] = n * c.p[i] * (x[i] - mean)
		}
	}
}

func (c *choices) diagonal(d []float64) {
	for k, n := range c.weight {
		lo, hi := c.cells(k)
		for i := lo; i < hi; i += c.step {
			d[i] = n * c.p[i] * (1 - c.p[i])
		}
	}
}

// squares is the loss Σⱼ Nⱼ/2·|xⱼ − Fⱼ|² over the columns j.
type squares struct {
	weight []float64 // N, per column
	x      []float64 // per cell
}

func (s *squares) fresh() loss { return s }

func (s *squares) at(r, f []float64) (value, dual float64) {
	cols := len(s.weight)
	for i, x := range s.x {
		n, e := s.weight[i%cols], x-f[i]
		r[i] = n * e
		value += n * e * e / 2
		dual += n * e * (x - e/2)
	}
	return value, dual
}

func (s *squares) curve(x []float64) {
	s.each(func(i int, n float64) { x[i] *= n })
}

func (s *squares) diagonal(d []float64) {
	s.each(func(i int, n float64) { d[i] = n })
}

func (s *squares) each(do func(i int, n float64)) {
	for i := range s.x {
		do(i, s.weight[i%len(s.weight)])
	}
}

// logSoftmax stores the ln of the softmax of w.
func logSoftmax(dst, w []float64) {
	norm := floats.LogSumExp(w)
	for i, x := range w {
		dst[i] = x - norm
	}
}
