package semiring

import (
	"slices"
	"sync"
)

// scalar2Kernel is the kernel of an Expectation2 with numbers. Its Dot gathers the
// parts of its operands, and leaves the sums to kernels of plain weights.
type scalar2Kernel[W any] struct {
	expectation2Kernel[W, W, W, W]
	values   Kernel[W]
	gathered *sync.Pool // of *scalar2Scratch[W]
}

func newScalar2Kernel[W any](k expectation2Kernel[W, W, W, W], module Semiring[W]) Kernel[Expected2[W, W, W, W]] {
	return scalar2Kernel[W]{k, KernelOf(module), &sync.Pool{New: func() any { return new(scalar2Scratch[W]) }}}
}

// scalar2Scratch has the parts of first factors in the order P, R, S, T and those of
// second ones in the order T, S, R, P, so that the sums of R and T are one dot product
// each, and that of S two.
type scalar2Scratch[W any] struct {
	first, second []W
	s             W
}

func (c scalar2Kernel[W]) Dot(dst *Expected2[W, W, W, W], w []Expected2[W, W, W, W], k []int32, x []Expected2[W, W, W, W], i []int32) {
	n := terms(k, i, w)
	k, i = indices(k, n), indices(i, n)
	g := c.gathered.Get().(*scalar2Scratch[W])
	defer c.gathered.Put(g)
	first, second := slices.Grow(g.first[:0], 4*n)[:4*n], slices.Grow(g.second[:0], 4*n)[:4*n]
	g.first, g.second = first, second
	for m, km := range k {
		a, b := &w[km], &x[i[m]]
		first[m], first[n+m], first[2*n+m], first[3*n+m] = a.P, a.R, a.S, a.T
		second[m], second[n+m], second[2*n+m], second[3*n+m] = b.T, b.S, b.R, b.P
	}
	c.masses.Dot(&dst.P, first[:n], nil, second[3*n:], nil)
	c.values.Dot(&dst.R, first[:2*n], nil, second[2*n:], nil)
	c.values.Dot(&dst.T, first, nil, second, nil)
	var none W
	c.values.Dot(&dst.S, first[:n], nil, second[n:2*n], nil)
	c.values.Dot(&g.s, first[2*n:3*n], nil, second[3*n:], nil)
	dst.S = c.s.Plus(dst.S, g.s)
	g.s = none // the sum may have its storage
}
