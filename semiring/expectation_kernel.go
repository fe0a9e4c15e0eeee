package semiring

import "sync"

// expectationKernel adds vectors up in the storage of *dst, so that it does not
// allocate once that is large enough.
type expectationKernel[W, V any] struct {
	expectation[W, V]
	acc     Accumulator[W, V]
	kernel  Kernel[W]  // of the base
	scratch *sync.Pool // of *massPairs[W]
}

// massPairs holds the masses of a few operands side by side, for the kernel of
// the base ring.
type massPairs[W any] struct{ w, x [64]W }

func newExpectationKernel[W, V any](r expectation[W, V], acc Accumulator[W, V]) Kernel[Expected[W, V]] {
	scratch := &sync.Pool{New: func() any { return new(massPairs[W]) }}
	return expectationKernel[W, V]{r, acc, KernelOf(r.base), scratch}
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

func (c expectationKernel[W, V]) Marginals(p []float64, a Expected[W, V], w []Expected[W, V], k []int32, x []Expected[W, V], i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, p = indices(k, n)[:len(i)], p[:len(i)]
	masses := c.scratch.Get().(*massPairs[W])
	defer c.scratch.Put(masses)
	for start := 0; start < n; start += len(masses.w) {
		end := min(start+len(masses.w), n)
		for m := start; m < end; m++ {
			masses.w[m-start], masses.x[m-start] = w[k[m]].P, x[i[m]].P
		}
		c.kernel.Marginals(p[start:end], a.P, masses.w[:end-start], nil, masses.x[:], nil)
	}
}
