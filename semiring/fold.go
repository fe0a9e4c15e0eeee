package semiring

import "math"

// KernelOf returns the kernel of s: its own, or a fold with Plus and Times. The
// fold keeps the factors in the order in which Kernel writes them, so it serves
// a ring that is not commutative as well; its Marginals panics if s is no Prober.
func KernelOf[W any](s Semiring[W]) Kernel[W] {
	if k, ok := As[Kernel[W]](s); ok {
		return k
	}
	return fold[W]{s}
}

type fold[W any] struct{ ring Semiring[W] }

func (f fold[W]) Dot(dst *W, w []W, k []int32, x []W, i []int32) {
	n := terms(k, i, w)
	k, i = indices(k, n), indices(i, n)
	sum := f.ring.Zero()
	for n, kn := range k {
		sum = f.ring.Plus(sum, f.ring.Times(w[kn], x[i[n]]))
	}
	*dst = sum
}

func (f fold[W]) Dot2(dst *W, w []W, k []int32, x []W, i []int32, y []W, j []int32) {
	n := terms(k, i, w)
	k, i, j = indices(k, n), indices(i, n), indices(j, n)
	sum := f.ring.Zero()
	for n, kn := range k {
		sum = f.ring.Plus(sum, f.ring.Times(f.ring.Times(w[kn], x[i[n]]), y[j[n]]))
	}
	*dst = sum
}

func (f fold[W]) Marginals(p []float64, a W, w []W, k []int32, x []W, i []int32) {
	prober, ok := As[Prober[W]](f.ring)
	if !ok {
		panic("semiring: Marginals needs the capability Prober")
	}
	n := terms(k, i, w)
	p, k, i = p[:n], indices(k, n), indices(i, n)
	for n, kn := range k {
		product := f.ring.Times(f.ring.Times(a, w[kn]), x[i[n]])
		p[n] = math.Exp(prober.Log(product))
	}
}
