package semiring

import (
	"fmt"
	"slices"
)

// Polynomial is a weight of Series: a₀ + a₁X + a₂X² + …, coefficient by
// coefficient. Coefficients left out at the end are 0̄; those that are written there
// mean the same, and no operation writes them.
type Polynomial[W any] []W

// Series returns the ring of power series over a base ring, cut off before Xⁿ: an
// arc of weight p that is to be counted has p·X, that is Polynomial{0̄, p}, and the
// path sum then has for coefficient m the sum over the paths on which m such arcs
// lie. With all arcs counted it is the distribution of the length of a path. ⊗ is
// the Cauchy product, in O(n²); 0̄ is empty and 1̄ is 1.
//
// a* = s has s₀ = a₀* and sₘ = s₀ ⊗ (a₁sₘ₋₁ ⊕ … ⊕ aₘs₀), and so exists where a₀*
// does: a cycle that is counted may have any mass. Division is by series whose a₀ has
// an inverse.
//
// The maps to a₀ and from c to the constant series c are homomorphisms; so is the
// map of Series(base, n) to Series(base, m), m < n, that cuts off at m. The sum of
// coefficients is none, as products lose what they cut off.
//
// Capabilities: Closed, Prober and Ranged (of a₀), FromScaled (constants), Negater, Metric (the
// greatest distance of two coefficients), Keyer, Texter and Reverser if the base has
// them; Divider if the base has it and is a Negater; Kernel, which does not allocate,
// if the base is commutative. Series panics if n < 1.
func Series[W any](base Semiring[W], n int) Semiring[Polynomial[W]] {
	if n < 1 {
		panic(fmt.Sprintf("semiring: Series of %d coefficients", n))
	}
	return newSeries(base, n)
}

type series[W any] struct {
	base   Semiring[W]
	n      int
	kernel Kernel[W] // of the base
	down   []int32   // n−1, …, 1, 0
}

func newSeries[W any](base Semiring[W], n int) series[W] {
	down := slices.Clone(indices(nil, n))
	slices.Reverse(down)
	return series[W]{base, n, KernelOf(base), down}
}

func (r series[W]) Zero() Polynomial[W] { return nil }
func (r series[W]) One() Polynomial[W]  { return Polynomial[W]{r.base.One()} }

func (r series[W]) IsZero(a Polynomial[W]) bool {
	for _, c := range a {
		if !r.base.IsZero(c) {
			return false
		}
	}
	return true
}

// trim returns a without zeros at the end.
func (r series[W]) trim(a Polynomial[W]) Polynomial[W] {
	for len(a) > 0 && r.base.IsZero(a[len(a)-1]) {
		a = a[:len(a)-1]
	}
	return a
}

func (r series[W]) Plus(a, b Polynomial[W]) Polynomial[W] {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) == 0 {
		return r.trim(a)
	}
	sum := slices.Clone(a)
	for m, c := range b {
		sum[m] = r.base.Plus(a[m], c)
	}
	return r.trim(sum)
}

func (r series[W]) Times(a, b Polynomial[W]) Polynomial[W] {
	a, b = r.trim(a), r.trim(b)
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	product := make(Polynomial[W], min(len(a)+len(b)-1, r.n))
	for m := range product {
		r.convolve(&product[m], a, b, m)
	}
	return r.trim(product)
}

// convolve sets *dst to the sum of a[i] ⊗ b[m−i].
func (r series[W]) convolve(dst *W, a, b Polynomial[W], m int) {
	lo, hi := max(0, m-len(b)+1), min(m, len(a)-1)
	if lo > hi {
		*dst = r.base.Zero()
		return
	}
	first := r.n - 1 - (m - lo) // where down says m−lo
	r.kernel.Dot(dst, a[lo:hi+1], nil, b, r.down[first:first+hi+1-lo])
}

// solve returns the x whose coefficient m follows from a convolution of a, from one
// side, with the coefficients of x before it: no a₀ takes part.
func (r series[W]) solve(convolve func(dst *W, x Polynomial[W], m int), next func(m int, sum W) W) Polynomial[W] {
	x := make(Polynomial[W], 0, r.n)
	for m := range r.n {
		var sum W
		convolve(&sum, x, m)
		x = append(x, next(m, sum))
	}
	return r.trim(x)
}

// before and after give the sides for solve.
func (r series[W]) before(a Polynomial[W]) func(*W, Polynomial[W], int) {
	return func(dst *W, x Polynomial[W], m int) { r.convolve(dst, a, x, m) }
}

func (r series[W]) after(a Polynomial[W]) func(*W, Polynomial[W], int) {
	return func(dst *W, x Polynomial[W], m int) { r.convolve(dst, x, a, m) }
}

// As answers the package's As.
func (r series[W]) As(target any) bool {
	type X = Polynomial[W]
	switch target := target.(type) {
	case *Lawful:
		*target = lawful(LawsOf(r.base) & (Commutative | Idempotent))
		return true
	case *OneSided:
		*target = Distributes(r.base)
		return true
	case *Closed[X]:
		return joinBase(r.base, target, func(c Closed[W]) Closed[X] { return seriesStar[W]{r, c} })
	case *Divider[X]:
		c, okBase := As[Divider[W]](r.base)
		n, okSub := As[Negater[W]](r.base)
		*target = seriesDiv[W]{r, c, n}
		return okBase && okSub
	case *Kernel[X]:
		*target = newSeriesKernel(r)
		return LawsOf(r.base).Has(Commutative)
	case *Negater[X]:
		return joinBase(r.base, target, func(c Negater[W]) Negater[X] { return seriesNeg[W]{c} })
	case *Metric[X]:
		return joinBase(r.base, target, func(c Metric[W]) Metric[X] { return listDist[X, W]{r.base, c} })
	case *Prober[X]:
		return joinBase(r.base, target, func(c Prober[W]) Prober[X] { return listProb[X, W]{r.base, c} })
	case *scaledReader[X]:
		read, err := FromScaled(r.base)
		*target = listReader[X, W]{r.base, read}
		return err == nil
	case *Ranged[X]:
		return joinBase(r.base, target, func(c Ranged[W]) Ranged[X] { return seriesRange[W]{r, c} })
	case *Keyer[X]:
		return joinBase(r.base, target, func(c Keyer[W]) Keyer[X] { return seriesKey[W]{r, c} })
	case *Texter[X]:
		return joinBase(r.base, target, func(c Texter[W]) Texter[X] { return seriesText[W]{r, c} })
	case *Reverser[X]:
		return joinBase(r.base, target, func(c Reverser[W]) Reverser[X] { return listReverse[X, W]{c} })
	}
	return false
}
