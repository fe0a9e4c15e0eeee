package semiring

import "sync"

// expectationKernel adds vectors up in the storage of *dst, so that it does not
// allocate once that is large enough.
type expectationKernel[W, V any] struct {
	expectation[W, V]
	expectationMarginals[W, V]
	acc Accumulator[W, V]
}

// newExpectationKernel returns the kernel of r, if it has one.
func newExpectationKernel[W, V any](r expectation[W, V]) (kernel Kernel[Expected[W, V]], ok bool) {
	acc, ok := capability[Accumulator[W, V]](r.module)
	if !ok || !LawsOf(r.base).Has(Commutative) {
		return nil, false
	}
	kernel = expectationKernel[W, V]{r, newExpectationMarginals[W, V](r.base), acc}
	if target, ok := any(&kernel).(*Kernel[Expected[W, W]]); ok { // V is W
		if m, ok := any(r.module).(scalar[W]); ok {
			*target = newScalarKernel(r.base, m.base)
		}
	}
	return kernel, true
}

func (c expectationKernel[W, V]) Dot(dst *Expected[W, V], w []Expected[W, V], k []int32, x []Expected[W, V], i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k = indices(k, n)[:len(i)]
	p := c.base.Zero()
	c.acc.Clear(&dst.V)
	for n, in := range i {
		a, b := &w[k[n]], &x[in]
		p = c.base.Plus(p, c.base.Times(a.P, b.P))
		c.acc.AddScaled(&dst.V, a.P, b.V)
		c.acc.AddScaled(&dst.V, b.P, a.V)
	}
	dst.P = p
}

func (c expectationKernel[W, V]) Dot2(dst *Expected[W, V], w []Expected[W, V], k []int32, x []Expected[W, V], i []int32, y []Expected[W, V], j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	p := c.base.Zero()
	c.acc.Clear(&dst.V)
	for n, in := range i {
		a, b, d := &w[k[n]], &x[in], &y[j[n]]
		ab := c.base.Times(a.P, b.P)
		p = c.base.Plus(p, c.base.Times(ab, d.P))
		c.acc.AddScaled(&dst.V, ab, d.V)
		c.acc.AddScaled(&dst.V, c.base.Times(a.P, d.P), b.V)
		c.acc.AddScaled(&dst.V, c.base.Times(b.P, d.P), a.V)
	}
	dst.P = p
}

// expectationMarginals computes marginals in the base ring.
type expectationMarginals[W, V any] struct {
	kernel  Kernel[W]  // of the base
	scratch *sync.Pool // of *gathered[W]
}

// gathered holds the parts of up to gatherSize operands side by side, for kernels
// of the parts, and their results.
type gathered[W any] struct {
	w, x, y [3 * gatherSize]W
	p, v    W
}

// clear forgets results, which may have become part of a sum: their storage must
// not be used again.
func (g *gathered[W]) clear() {
	var zero W
	g.p, g.v = zero, zero
}

const gatherSize = 64

func newExpectationMarginals[W, V any](base Semiring[W]) expectationMarginals[W, V] {
	return expectationMarginals[W, V]{KernelOf(base), &sync.Pool{New: func() any { return new(gathered[W]) }}}
}

func (c expectationMarginals[W, V]) Marginals(p []float64, a Expected[W, V], w []Expected[W, V], k []int32, x []Expected[W, V], i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, p = indices(k, n)[:len(i)], p[:len(i)]
	g := c.scratch.Get().(*gathered[W])
	defer c.scratch.Put(g)
	for start := 0; start < n; start += gatherSize {
		size := min(gatherSize, n-start)
		for m := range size {
			g.w[m], g.x[m] = w[k[start+m]].P, x[i[start+m]].P
		}
		c.kernel.Marginals(p[start:start+size], a.P, g.w[:size], nil, g.x[:], nil)
	}
}

// scalarKernel is the kernel of an Expectation with one number. It gathers masses
// and numbers, and leaves the sums to kernels of plain weights.
type scalarKernel[W any] struct {
	expectationMarginals[W, W]
	base, module Semiring[W]
	moduleKernel Kernel[W]
}

func newScalarKernel[W any](base, module Semiring[W]) Kernel[Expected[W, W]] {
	return scalarKernel[W]{newExpectationMarginals[W, W](base), base, module, KernelOf(module)}
}

func (c scalarKernel[W]) Dot(dst *Expected[W, W], w []Expected[W, W], k []int32, x []Expected[W, W], i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k = indices(k, n)[:len(i)]
	g := c.scratch.Get().(*gathered[W])
	defer c.scratch.Put(g)
	sum := Expected[W, W]{c.base.Zero(), c.module.Zero()}
	for start := 0; start < n; start += gatherSize {
		size := min(gatherSize, n-start)
		for m := range size {
			a, b := &w[k[start+m]], &x[i[start+m]]
			g.w[m], g.x[m] = a.P, b.V
			g.w[size+m], g.x[size+m] = a.V, b.P
		}
		c.kernel.Dot(&g.p, g.w[:size], nil, g.x[size:], nil)
		c.moduleKernel.Dot(&g.v, g.w[:2*size], nil, g.x[:], nil)
		sum.P, sum.V = c.base.Plus(sum.P, g.p), c.module.Plus(sum.V, g.v)
		g.clear()
	}
	*dst = sum
}

func (c scalarKernel[W]) Dot2(dst *Expected[W, W], w []Expected[W, W], k []int32, x []Expected[W, W], i []int32, y []Expected[W, W], j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	g := c.scratch.Get().(*gathered[W])
	defer c.scratch.Put(g)
	sum := Expected[W, W]{c.base.Zero(), c.module.Zero()}
	for start := 0; start < n; start += gatherSize {
		size := min(gatherSize, n-start)
		for m := range size {
			a, b, d := &w[k[start+m]], &x[i[start+m]], &y[j[start+m]]
			g.w[m], g.x[m], g.y[m] = a.P, b.P, d.V
			g.w[size+m], g.x[size+m], g.y[size+m] = a.P, b.V, d.P
			g.w[2*size+m], g.x[2*size+m], g.y[2*size+m] = a.V, b.P, d.P
		}
		c.kernel.Dot2(&g.p, g.w[:size], nil, g.x[:], nil, g.y[size:], nil)
		c.moduleKernel.Dot2(&g.v, g.w[:3*size], nil, g.x[:], nil, g.y[:], nil)
		sum.P, sum.V = c.base.Plus(sum.P, g.p), c.module.Plus(sum.V, g.v)
		g.clear()
	}
	*dst = sum
}
