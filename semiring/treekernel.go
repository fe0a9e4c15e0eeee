package semiring

import "math"

// TreeKernel is the capability of a Kernel to compute the marginals of edges with
// two tails as well.
type TreeKernel[W any] interface {
	Kernel[W]
	// Marginals2 sets p[n] to the number that a ⊗ w[k[n]] ⊗ x[i[n]] ⊗ y[j[n]]
	// stands for. It panics if the ring is no Prober.
	Marginals2(p []float64, a W, w []W, k []int32, x []W, i []int32, y []W, j []int32)
}

// TreeKernelOf returns KernelOf(s) with Marginals2: that of s, or one that folds with
// Times, in the order in which it is written.
func TreeKernelOf[W any](s Semiring[W]) TreeKernel[W] {
	if k, ok := As[TreeKernel[W]](s); ok {
		return k
	}
	return treeFold[W]{KernelOf(s), s}
}

type treeFold[W any] struct {
	Kernel[W]
	ring Semiring[W]
}

func (f treeFold[W]) Marginals2(p []float64, a W, w []W, k []int32, x []W, i []int32, y []W, j []int32) {
	prober, ok := As[Prober[W]](f.ring)
	if !ok {
		panic("semiring: Marginals2 needs the capability Prober")
	}
	n := terms(k, i, w)
	p, k, i, j = p[:n], indices(k, n), indices(i, n), indices(j, n)
	for n, kn := range k {
		product := f.ring.Times(f.ring.Times(a, w[kn]), x[i[n]])
		p[n] = math.Exp(prober.Log(f.ring.Times(product, y[j[n]])))
	}
}

// Marginals2 sets p[n] to a·w[k]·x[i]·y[j]; the product of the last three, which is a
// term of a sum, comes first.
func (Real) Marginals2(p []float64, a float64, w []float64, k []int32, x []float64, i []int32, y []float64, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j, p = indices(k, n)[:len(i)], indices(j, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		p[n] = a * (w[k[n]] * x[in] * y[j[n]])
	}
}

// Marginals2 sets p[n] to a·w[k]·x[i]·y[j] as a float64.
func (Scaled) Marginals2(p []float64, a ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32, y []ScaledFloat, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j, p = indices(k, n)[:len(i)], indices(j, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		b, c, d := &w[k[n]], &x[in], &y[j[n]]
		p[n] = shiftDigits(b.Mant*c.Mant*d.Mant*a.Mant, a.Exp+b.Exp+c.Exp+d.Exp)
	}
}

// Marginals2 sets p[n] to a·w[k]·x[i]·y[j] as a float64.
func (Viterbi) Marginals2(p []float64, a ScaledFloat, w []ScaledFloat, k []int32, x []ScaledFloat, i []int32, y []ScaledFloat, j []int32) {
	Scaled{}.Marginals2(p, a, w, k, x, i, y, j)
}

// Marginals2 sets p[n] to exp(a+w[k]+x[i]+y[j]).
func (Log) Marginals2(p []float64, a LogProb, w []LogProb, k []int32, x []LogProb, i []int32, y []LogProb, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j, p = indices(k, n)[:len(i)], indices(j, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		p[n] = exp(float64(a + (w[k[n]] + x[in] + y[j[n]])))
	}
}

// Marginals2 sets p[n] to exp(−(a+w[k]+x[i]+y[j])).
func (Tropical) Marginals2(p []float64, a Cost, w []Cost, k []int32, x []Cost, i []int32, y []Cost, j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j, p = indices(k, n)[:len(i)], indices(j, n)[:len(i)], p[:len(i)]
	for n, in := range i {
		p[n] = exp(-float64(a + (w[k[n]] + x[in] + y[j[n]])))
	}
}
