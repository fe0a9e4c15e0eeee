package semiring

import "sync"

// expectation2Kernel adds vectors up in the storage of *dst, so that it does not
// allocate once that is large enough.
type expectation2Kernel[W, R, S, T any] struct {
	expectation2[W, R, S, T]
	accR Accumulator[W, R]
	accS Accumulator[W, S]
	accT Accumulator[W, T]
	// For marginals, which are those of the masses.
	masses  Kernel[W]
	scratch *sync.Pool // of *gathered[W]
}

// newExpectation2Kernel returns the kernel of e, if it has one.
func newExpectation2Kernel[W, R, S, T any](e expectation2[W, R, S, T]) (kernel Kernel[Expected2[W, R, S, T]], ok bool) {
	r, okR := capability[Accumulator[W, R]](e.r)
	s, okS := capability[Accumulator[W, S]](e.s)
	t, okT := capability[Accumulator[W, T]](e.t)
	if !okR || !okS || !okT {
		return nil, false
	}
	scratch := &sync.Pool{New: func() any { return new(gathered[W]) }}
	general := expectation2Kernel[W, R, S, T]{e, r, s, t, KernelOf(e.base), scratch}
	kernel = general
	if product, ok := any(e.product).(scalarProduct[W]); ok { // R, S and T are W
		*any(&kernel).(*Kernel[Expected2[W, W, W, W]]) = newScalar2Kernel(any(general).(expectation2Kernel[W, W, W, W]), product.module.base)
	}
	return kernel, true
}

func (c expectation2Kernel[W, R, S, T]) clear(dst *Expected2[W, R, S, T]) {
	c.accR.Clear(&dst.R)
	c.accS.Clear(&dst.S)
	c.accT.Clear(&dst.T)
}

// addVectors adds p times the vectors of a.
func (c expectation2Kernel[W, R, S, T]) addVectors(dst *Expected2[W, R, S, T], p W, a *Expected2[W, R, S, T]) {
	c.accR.AddScaled(&dst.R, p, a.R)
	c.accS.AddScaled(&dst.S, p, a.S)
	c.accT.AddScaled(&dst.T, p, a.T)
}

// addProducts adds p times the products of the vectors of a and b.
func (c expectation2Kernel[W, R, S, T]) addProducts(dst *T, p W, a, b *Expected2[W, R, S, T]) {
	c.product.AddProduct(dst, p, a.R, b.S)
	c.product.AddProduct(dst, p, b.R, a.S)
}

func (c expectation2Kernel[W, R, S, T]) Dot(dst *Expected2[W, R, S, T], w []Expected2[W, R, S, T], k []int32, x []Expected2[W, R, S, T], i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k = indices(k, n)[:len(i)]
	p, one := c.base.Zero(), c.base.One()
	c.clear(dst)
	for n, in := range i {
		a, b := &w[k[n]], &x[in]
		p = c.base.Plus(p, c.base.Times(a.P, b.P))
		c.addVectors(dst, a.P, b)
		c.addVectors(dst, b.P, a)
		c.addProducts(&dst.T, one, a, b)
	}
	dst.P = p
}

func (c expectation2Kernel[W, R, S, T]) Dot2(dst *Expected2[W, R, S, T], w []Expected2[W, R, S, T], k []int32, x []Expected2[W, R, S, T], i []int32, y []Expected2[W, R, S, T], j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	p := c.base.Zero()
	c.clear(dst)
	for n, in := range i {
		a, b, d := &w[k[n]], &x[in], &y[j[n]]
		ab := c.base.Times(a.P, b.P)
		p = c.base.Plus(p, c.base.Times(ab, d.P))
		c.addVectors(dst, ab, d)
		c.addVectors(dst, c.base.Times(a.P, d.P), b)
		c.addVectors(dst, c.base.Times(b.P, d.P), a)
		c.addProducts(&dst.T, a.P, b, d)
		c.addProducts(&dst.T, b.P, a, d)
		c.addProducts(&dst.T, d.P, a, b)
	}
	dst.P = p
}

func (c expectation2Kernel[W, R, S, T]) Marginals(p []float64, a Expected2[W, R, S, T], w []Expected2[W, R, S, T], k []int32, x []Expected2[W, R, S, T], i []int32) {
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
		c.masses.Marginals(p[start:start+size], a.P, g.w[:size], nil, g.x[:], nil)
	}
}
