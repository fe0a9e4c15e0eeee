package semiring

import (
	"slices"
	"sync"
)

// pairKernel gathers the parts of its operands and leaves the sums to the kernels of
// the parts.
type pairKernel[A, B any] struct {
	a       Kernel[A]
	b       Kernel[B]
	scratch *sync.Pool // of *pairScratch[A, B]
}

func newPairKernel[A, B any](a Kernel[A], b Kernel[B]) Kernel[Pair[A, B]] {
	return pairKernel[A, B]{a, b, &sync.Pool{New: func() any { return new(pairScratch[A, B]) }}}
}

// pairScratch holds the parts of up to three factors side by side.
type pairScratch[A, B any] struct {
	a [3][]A
	b [3][]B
}

// gather sets factor f to the n weights w[k[0]], w[k[1]], …
func (s *pairScratch[A, B]) gather(f int, w []Pair[A, B], k []int32) {
	a, b := slices.Grow(s.a[f][:0], len(k))[:len(k)], slices.Grow(s.b[f][:0], len(k))[:len(k)]
	for n, kn := range k {
		a[n], b[n] = w[kn].First, w[kn].Second
	}
	s.a[f], s.b[f] = a, b
}

func (c pairKernel[A, B]) Dot(dst *Pair[A, B], w []Pair[A, B], k []int32, x []Pair[A, B], i []int32) {
	n := terms(k, i, w)
	s := c.scratch.Get().(*pairScratch[A, B])
	defer c.scratch.Put(s)
	s.gather(0, w, indices(k, n))
	s.gather(1, x, indices(i, n))
	c.a.Dot(&dst.First, s.a[0], nil, s.a[1], nil)
	c.b.Dot(&dst.Second, s.b[0], nil, s.b[1], nil)
}

func (c pairKernel[A, B]) Dot2(dst *Pair[A, B], w []Pair[A, B], k []int32, x []Pair[A, B], i []int32, y []Pair[A, B], j []int32) {
	n := terms(k, i, w)
	s := c.scratch.Get().(*pairScratch[A, B])
	defer c.scratch.Put(s)
	s.gather(0, w, indices(k, n))
	s.gather(1, x, indices(i, n))
	s.gather(2, y, indices(j, n))
	c.a.Dot2(&dst.First, s.a[0], nil, s.a[1], nil, s.a[2], nil)
	c.b.Dot2(&dst.Second, s.b[0], nil, s.b[1], nil, s.b[2], nil)
}

// Marginals panics: a pair is no probability.
func (c pairKernel[A, B]) Marginals([]float64, Pair[A, B], []Pair[A, B], []int32, []Pair[A, B], []int32) {
	panic("semiring: Marginals needs the capability Prober")
}
