package semiring

import (
	"fmt"
	"slices"
)

// Polynomial is a weight of Series: a₀ + a₁X + a₂X² + …, coefficient by
// coefficient. Coefficients left out at the end are 0̄; those that are written there
// mean the same, and no operation writes them.
type Polynomial[W any] []W

// Series returns the ring of power series over a base ring, cut off before Xⁿ. An arc of
// weight p that is to be counted weighs p·X, that is Polynomial{0̄, p}. Then coefficient m
// of the path sum is the sum over the paths with m such arcs. With all arcs counted it is
// the distribution of the length of a path. ⊗ is the Cauchy product, in O(n²); 0̄ is empty
// and 1̄ is 1.
//
// a* = s has s₀ = a₀* and sₘ = s₀ ⊗ (a₁sₘ₋₁ ⊕ … ⊕ aₘs₀), and so exists where a₀*
// does: a cycle that is counted may have any mass. Division is by series whose a₀ has
// an inverse. What is left of a coefficient that is taken from itself, up to 32 roundings,
// is 0̄.
//
// The maps to a₀ and from c to the constant series c are homomorphisms; so is the
// map of Series(base, n) to Series(base, m), m < n, that cuts off at m. The sum of
// coefficients is none, as products lose what they cut off.
//
// Capabilities: Closed, Prober and Ranged (of a₀), FromScaled (constants), Negater, Metric (the
// greatest distance of two coefficients, those of Real and Scaled measured by the greatest
// coefficient, as they may cancel), Keyer, Texter and Reverser if the base has
// them; Divider if the base has it and is a Negater. Series panics if n < 1.
func Series[W any](base Semiring[W], n int) Semiring[Polynomial[W]] {
	if n < 1 {
		panic(fmt.Sprintf("semiring: Series of %d coefficients", n))
	}
	return newSeries(base, n)
}

type series[W any] struct {
	base Semiring[W]
	n    int
	sums Kernel[W] // of the base
	down []int32   // n−1, …, 1, 0
	*derived[Polynomial[W]]
}

func newSeries[W any](base Semiring[W], n int) series[W] {
	down := slices.Clone(indices(nil, n))
	slices.Reverse(down)
	r := series[W]{base, n, KernelOf(base), down, new(derived[Polynomial[W]])}
	r.derive()
	return r
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
	r.sums.Dot(dst, a[lo:hi+1], nil, b, r.down[first:first+hi+1-lo])
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

// derive sets the capabilities that the parts allow.
func (r series[W]) derive() {
	type X = Polynomial[W]
	deriveLists(r.derived, r.base)
	r.laws = LawsOf(r.base) & (Commutative | Idempotent)
	r.sides = Distributes(r.base)
	if closed, ok := As[Closed[W]](r.base); ok {
		r.star = func(a X) (X, bool) { return r.closure(closed, a) }
	}
	divider, divides := As[Divider[W]](r.base)
	if negater, ok := As[Negater[W]](r.base); ok {
		r.neg = func(a X) X { return each(a, negater.Neg) }
		if divides {
			minus := minusOf(gaugeOf[W, W](r.base), r.base.Plus, negater.Neg)
			r.lDiv = func(a, b X) (X, bool) { return r.leftQuotient(divider, minus, a, b) }
			r.rDiv = func(a, b X) (X, bool) { return r.rightQuotient(divider, minus, a, b) }
		}
	}
	if ranged, ok := As[Ranged[W]](r.base); ok {
		r.inRange = func(x, a, b X) bool {
			return ranged.InRange(entry(r.base, x, 0), entry(r.base, a, 0), entry(r.base, b, 0))
		}
	}
	if keyer, ok := As[Keyer[W]](r.base); ok {
		r.key = func(dst []byte, a X, delta float64) []byte {
			return appendEntries(dst, keyer, r.trim(a), delta)
		}
	}
	r.deriveGauged()
	if texter, ok := As[Texter[W]](r.base); ok {
		r.format = func(a X) string { return formatEntries(texter, r.trim(a)) }
		r.parse = func(s string) (X, error) { return r.parseSeries(texter, s) }
	}
}

func (r series[W]) closure(closed Closed[W], a Polynomial[W]) (Polynomial[W], bool) {
	first, ok := closed.Star(entry(r.base, a, 0))
	if !ok {
		return nil, false
	}
	return r.solve(r.before(a), func(m int, sum W) W {
		if m == 0 {
			return first
		}
		return r.base.Times(first, sum)
	}), true
}

// leftQuotient solves a ⊗ x = b: xₘ = a₀⁻¹ ⊗ (bₘ − (a₁xₘ₋₁ + … + aₘx₀)).
func (r series[W]) leftQuotient(divider Divider[W], minus func(a, b W) W, a, b Polynomial[W]) (Polynomial[W], bool) {
	inverse, ok := divider.LDiv(entry(r.base, a, 0), r.base.One())
	if !ok {
		return nil, false
	}
	return r.solve(r.before(a), func(m int, sum W) W {
		return r.base.Times(inverse, minus(entry(r.base, b, m), sum))
	}), true
}

// rightQuotient solves x ⊗ b = a: xₘ = (aₘ − (xₘ₋₁b₁ + … + x₀bₘ)) ⊗ b₀⁻¹.
func (r series[W]) rightQuotient(divider Divider[W], minus func(a, b W) W, a, b Polynomial[W]) (Polynomial[W], bool) {
	inverse, ok := divider.RDiv(r.base.One(), entry(r.base, b, 0))
	if !ok {
		return nil, false
	}
	return r.solve(r.after(b), func(m int, sum W) W {
		return r.base.Times(minus(entry(r.base, a, m), sum), inverse)
	}), true
}

func (r series[W]) parseSeries(texter Texter[W], s string) (Polynomial[W], error) {
	a, err := parseEntries(texter, s)
	if err == nil && len(a) > r.n {
		err = fmt.Errorf("semiring: series of %d coefficients, want at most %d", len(a), r.n)
	}
	if err != nil {
		return nil, err
	}
	return r.trim(a), nil
}
