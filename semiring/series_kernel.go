package semiring

import (
	"slices"
	"sync"
)

// seriesKernel gathers, for each coefficient of the sum, all products of coefficients
// that it consists of, and leaves it to the kernel of the base to add them up.
type seriesKernel[W any] struct {
	ring    series[W]
	scratch *sync.Pool // of *seriesScratch[W]
}

func newSeriesKernel[W any](r series[W]) seriesKernel[W] {
	return seriesKernel[W]{r, &sync.Pool{New: func() any { return new(seriesScratch[W]) }}}
}

type seriesScratch[W any] struct {
	a, b     []W             // factors of one coefficient, side by side
	products []Polynomial[W] // of the first two of three factors
}

func (c seriesKernel[W]) Dot(dst *Polynomial[W], w []Polynomial[W], k []int32, x []Polynomial[W], i []int32) {
	n := terms(k, i, w)
	s := c.scratch.Get().(*seriesScratch[W])
	defer c.scratch.Put(s)
	*dst = c.sum(s, *dst, w, indices(k, n), x, indices(i, n))
}

func (c seriesKernel[W]) Dot2(dst *Polynomial[W], w []Polynomial[W], k []int32, x []Polynomial[W], i []int32, y []Polynomial[W], j []int32) {
	n := terms(k, i, w)
	s := c.scratch.Get().(*seriesScratch[W])
	defer c.scratch.Put(s)
	k, i = indices(k, n), indices(i, n)
	s.products = slices.Grow(s.products[:0], n)[:n]
	for n := range s.products {
		s.products[n] = c.sum(s, s.products[n], w, k[n:n+1], x, i[n:n+1])
	}
	*dst = c.sum(s, *dst, s.products, indices(nil, n), y, indices(j, n))
}

// sum returns ⊕ₙ w[k[n]] ⊗ x[i[n]] in the storage of dst.
func (c seriesKernel[W]) sum(s *seriesScratch[W], dst Polynomial[W], w []Polynomial[W], k []int32, x []Polynomial[W], i []int32) Polynomial[W] {
	size := 0 // of the sum
	for n, kn := range k {
		if a, b := len(w[kn]), len(x[i[n]]); a > 0 && b > 0 {
			size = max(size, a+b-1)
		}
	}
	size = min(size, c.ring.n)
	dst = slices.Grow(dst[:0], size)[:size]
	for m := range dst {
		s.a, s.b = s.a[:0], s.b[:0]
		for n, kn := range k {
			a, b := w[kn], x[i[n]]
			lo, hi := max(0, m-len(b)+1), min(m, len(a)-1)
			for l := lo; l <= hi; l++ {
				s.a, s.b = append(s.a, a[l]), append(s.b, b[m-l])
			}
		}
		c.ring.kernel.Dot(&dst[m], s.a, nil, s.b, nil)
	}
	return c.ring.trim(dst)
}

func (c seriesKernel[W]) Marginals(p []float64, a Polynomial[W], w []Polynomial[W], k []int32, x []Polynomial[W], i []int32) {
	fold[Polynomial[W]]{c.ring}.Marginals(p, a, w, k, x, i)
}
