package semiring

import (
	"fmt"
	"slices"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Expected2 is the weight of an Expectation2: a mass P with two vectors R and S and their product
// T.
type Expected2[W, R, S, T any] struct {
	P W
	R R
	S S
	T T
}

// Expectation2 returns the second-order expectation semiring (Z. Li and J. Eisner,
// First- and second-order expectation semirings, EMNLP 2009) over a commutative base
// ring and a bilinear product:
//
//	⟨p,r,s,t⟩ ⊕ ⟨p′,r′,s′,t′⟩ = ⟨p⊕p′, r+r′, s+s′, t+t′⟩
//	⟨p,r,s,t⟩ ⊗ ⟨p′,r′,s′,t′⟩ = ⟨p⊗p′, p·r′+p′·r, p·s′+p′·s, p·t′+p′·t + r⊗s′+r′⊗s⟩
//	⟨p,r,s,t⟩* = ⟨p*, p*p*·r, p*p*·s, p*p*·(t + p*·(r⊗s) + p*·(r⊗s))⟩
//
// Two values r and s add up along a path: an arc of mass p that contributes them has
// the weight ⟨p, p·r, p·s, p·(r⊗s)⟩. The path sum ⟨P, R, S, T⟩ then gives the expected
// values R/P and S/P and the expected product T/P, and so the covariance
// T/P − (R⊗S)/P². With ⟨p, ∇p, ∇p, ∇²p⟩ for an arc the path sum is ⟨Z, ∇Z, ∇Z, ∇²Z⟩.
// If only s is a gradient, of ln p, T/P − (R⊗S)/P² is the gradient of the expected value R/P.
//
// The maps to P, to ⟨P, R⟩ and to ⟨P, S⟩ are homomorphisms to the base and to
// Expectations. Division is by weights whose P has an inverse.
//
// Capabilities: Closed, Probabilistic and Ranged (of P) and FromScaled if the base has them;
// Metric (the greatest distance, of R, S and T by the scale of P as in Expectation), Negater,
// Keyer and Textual if base and modules have them; Divider if the base has it and the modules are
// Negaters. The error wraps ErrCapability if the base is not commutative.
func Expectation2[W, R, S, T any](base Semiring[W], product Bilinear[W, R, S, T]) (Semiring[Expected2[W, R, S, T]], error) {
	if err := RequireCommutative(base); err != nil {
		return nil, nested.Errorf("the base of Expectation2: %w", err)
	}
	r, s, t := product.Modules()
	e := expectation2[W, R, S, T]{base, r, s, t, product, new(derived[Expected2[W, R, S, T]])}
	e.derive()
	return e, nil
}

type expectation2[W, R, S, T any] struct {
	base    Semiring[W]
	r       Module[W, R]
	s       Module[W, S]
	t       Module[W, T]
	product Bilinear[W, R, S, T]
	*derived[Expected2[W, R, S, T]]
}

func (e expectation2[W, R, S, T]) of(p W) Expected2[W, R, S, T] {
	return Expected2[W, R, S, T]{p, e.r.Zero(), e.s.Zero(), e.t.Zero()}
}

func (e expectation2[W, R, S, T]) Zero() Expected2[W, R, S, T] { return e.of(e.base.Zero()) }
func (e expectation2[W, R, S, T]) One() Expected2[W, R, S, T]  { return e.of(e.base.One()) }

func (e expectation2[W, R, S, T]) Plus(a, b Expected2[W, R, S, T]) Expected2[W, R, S, T] {
	return Expected2[W, R, S, T]{
		e.base.Plus(a.P, b.P), e.r.Plus(a.R, b.R), e.s.Plus(a.S, b.S), e.t.Plus(a.T, b.T),
	}
}

func (e expectation2[W, R, S, T]) Times(a, b Expected2[W, R, S, T]) Expected2[W, R, S, T] {
	cross := e.t.Zero()
	e.product.AddProduct(&cross, e.base.One(), a.R, b.S)
	e.product.AddProduct(&cross, e.base.One(), b.R, a.S)
	return Expected2[W, R, S, T]{
		e.base.Times(a.P, b.P),
		e.r.Plus(e.r.Left(a.P, b.R), e.r.Left(b.P, a.R)),
		e.s.Plus(e.s.Left(a.P, b.S), e.s.Left(b.P, a.S)),
		e.t.Plus(cross, e.t.Plus(e.t.Left(a.P, b.T), e.t.Left(b.P, a.T))),
	}
}

func (e expectation2[W, R, S, T]) IsZero(a Expected2[W, R, S, T]) bool {
	return e.base.IsZero(a.P) && e.r.IsZero(a.R) && e.s.IsZero(a.S) && e.t.IsZero(a.T)
}

// derive sets the capabilities that the parts allow.
func (e expectation2[W, R, S, T]) derive() {
	type X = Expected2[W, R, S, T]
	e.laws = Commutative
	e.sides = Distributes(e.base)
	if closed, ok := As[Closed[W]](e.base); ok {
		e.star = func(a X) (X, bool) { return e.closure(closed, a) }
	}
	if p, r, s, t, ok := four[Negater[W], Negater[R], Negater[S], Negater[T]](e.base, e.r, e.s, e.t); ok {
		e.neg = func(a X) X { return X{p.Neg(a.P), r.Neg(a.R), s.Neg(a.S), t.Neg(a.T)} }
		if divider, ok := As[Divider[W]](e.base); ok {
			minusR := minusOf(gaugeOf[W, R](e.r), e.r.Plus, r.Neg)
			minusS := minusOf(gaugeOf[W, S](e.s), e.s.Plus, s.Neg)
			minusT := minusOf(gaugeOf[W, T](e.t), e.t.Plus, t.Neg)
			e.lDiv = func(a, b X) (X, bool) { return e.quotient(divider, minusR, minusS, minusT, a, b) }
			e.rDiv = func(a, b X) (X, bool) { return e.lDiv(b, a) }
		}
	}
	e.deriveGauged()
	if prober, ok := As[Probabilistic[W]](e.base); ok {
		e.fromLog = func(logp float64) X { return e.of(prober.FromLog(logp)) }
		e.log = func(a X) float64 { return prober.Log(a.P) }
	}
	if read, err := FromScaled(e.base); err == nil {
		e.read = func(x ScaledFloat) X { return e.of(read(x)) }
	}
	if ranged, ok := As[Ranged[W]](e.base); ok {
		e.inRange = func(x, a, b X) bool { return ranged.InRange(x.P, a.P, b.P) }
	}
	if p, r, s, t, ok := four[Textual[W], Textual[R], Textual[S], Textual[T]](e.base, e.r, e.s, e.t); ok {
		e.format = func(a X) string {
			return formatList('(', []string{p.Format(a.P), r.Format(a.R), s.Format(a.S), t.Format(a.T)}, ')')
		}
		e.parse = func(text string) (X, error) { return parseExpected2(text, p, r, s, t) }
	}
}

// deriveGauged sets Metric and Keyer: R, S and T are measured by the scale of P.
func (e expectation2[W, R, S, T]) deriveGauged() {
	type X = Expected2[W, R, S, T]
	r, s, t := gaugeOf[W, R](e.r), gaugeOf[W, S](e.s), gaugeOf[W, T](e.t)
	if p, ok := As[Metric[W]](e.base); ok && r.dist != nil && s.dist != nil && t.dist != nil {
		e.dist = func(a, b X) float64 {
			return max(p.Dist(a.P, b.P), r.dist(a.R, b.R, a.P, b.P), s.dist(a.S, b.S, a.P, b.P), t.dist(a.T, b.T, a.P, b.P))
		}
	}
	if p, ok := As[Keyer[W]](e.base); ok && r.key != nil && s.key != nil && t.key != nil {
		e.key = func(dst []byte, a X, delta float64) []byte {
			dst = appendGauged(appendItem(dst, p, a.P, delta), r, a.R, a.P, delta)
			return appendGauged(appendGauged(dst, s, a.S, a.P, delta), t, a.T, a.P, delta)
		}
	}
}

// closure solves x = 1̄ ⊕ a ⊗ x part by part. For T that is t′ = p·t′ + p*·t + r⊗s′ + r′⊗s
// with r′ = p*p*·r and s′ = p*p*·s, so t′ = p*·(p*·t + p*p*·(r⊗s) + p*p*·(r⊗s)).
func (e expectation2[W, R, S, T]) closure(closed Closed[W], a Expected2[W, R, S, T]) (Expected2[W, R, S, T], bool) {
	star, ok := closed.Star(a.P)
	if !ok {
		return Expected2[W, R, S, T]{}, false
	}
	square := e.base.Times(star, star)
	cube := e.base.Times(square, star)
	cross := e.t.Zero()
	e.product.AddProduct(&cross, cube, a.R, a.S)
	e.product.AddProduct(&cross, cube, a.R, a.S)
	return Expected2[W, R, S, T]{
		star, e.r.Left(square, a.R), e.s.Left(square, a.S), e.t.Plus(e.t.Left(square, a.T), cross),
	}, true
}

// quotient solves ⟨p,r,s,t⟩ ⊗ x = b part by part.
func (e expectation2[W, R, S, T]) quotient(divider Divider[W], minusR func(a, b R) R, minusS func(a, b S) S, minusT func(a, b T) T, a, b Expected2[W, R, S, T]) (x Expected2[W, R, S, T], ok bool) {
	inverse, ok := divider.LDiv(a.P, e.base.One())
	if !ok {
		return x, false
	}
	x.P = e.base.Times(inverse, b.P)
	x.R = e.r.Left(inverse, minusR(b.R, e.r.Left(x.P, a.R)))
	x.S = e.s.Left(inverse, minusS(b.S, e.s.Left(x.P, a.S)))
	rest := e.t.Left(x.P, a.T)
	cross := e.t.Zero()
	e.product.AddProduct(&cross, e.base.One(), a.R, x.S)
	e.product.AddProduct(&cross, e.base.One(), x.R, a.S)
	x.T = e.t.Left(inverse, minusT(b.T, e.t.Plus(rest, cross)))
	return x, true
}

func parseExpected2[W, R, S, T any](list string, p Textual[W], r Textual[R], s Textual[S], t Textual[T]) (a Expected2[W, R, S, T], err error) {
	items, err := cutList(list, '(', ')')
	if err == nil && len(items) != 4 {
		err = nested.Errorf("semiring: %s is not of the form (p,r,s,t)", text.Quote(list))
	}
	if err != nil {
		return a, err
	}
	if a.P, err = p.Parse(items[0]); err != nil {
		return a, err
	}
	if a.R, err = r.Parse(items[1]); err != nil {
		return a, err
	}
	if a.S, err = s.Parse(items[2]); err != nil {
		return a, err
	}
	a.T, err = t.Parse(items[3])
	return a, err
}

// Polynomial is a weight of Series: a₀ + a₁X + a₂X² + …, coefficient by coefficient. Missing
// coefficients at the end are 0̄. Explicit zeros at the end are allowed, but operations do not
// write them.
type Polynomial[W any] []W

// Series returns the ring of power series over a base ring, cut off before Xⁿ. A counted arc of
// weight p has weight p·X, that is, Polynomial{0̄, p}. Then coefficient m of the path sum is the
// sum over the paths with m such arcs. If all arcs are counted, it is the distribution of the
// length of a path. ⊗ is the Cauchy product, in O(n²); 0̄ is empty and 1̄ is 1.
//
// a* = s has s₀ = a₀* and sₘ = s₀ ⊗ (a₁sₘ₋₁ ⊕ … ⊕ aₘs₀), and so exists if a₀* does: a counted
// cycle may have any mass. Division is by series whose a₀ has an inverse. If a coefficient is
// subtracted from itself, a residue of up to 32 roundings counts as 0̄.
//
// The maps to a₀ and from c to the constant series c are homomorphisms; so is the map of
// Series(base, n) to Series(base, m), m < n, that cuts off at m. The sum of coefficients is not a
// homomorphism, as products are cut off.
//
// Capabilities: Closed, Probabilistic and Ranged (of a₀), FromScaled (constants), Negater, Metric,
// Keyer, Textual and Reverser if the base has them; Divider if the base has it and is a Negater.
// Metric is the greatest distance of two coefficients. Over Real and Scaled it is measured by the
// greatest coefficient, as they may cancel. Series panics if n < 1.
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

// solve returns the x whose coefficient m follows from a one-sided convolution of a with the
// coefficients of x before m; a₀ takes no part.
func (r series[W]) solve(convolve func(dst *W, x Polynomial[W], m int), next func(m int, sum W) W) Polynomial[W] {
	x := make(Polynomial[W], 0, r.n)
	for m := range r.n {
		var sum W
		convolve(&sum, x, m)
		x = append(x, next(m, sum))
	}
	return r.trim(x)
}

// before and after return the left and right convolutions for solve.
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
	if texter, ok := As[Textual[W]](r.base); ok {
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

func (r series[W]) parseSeries(texter Textual[W], s string) (Polynomial[W], error) {
	a, err := parseEntries(texter, s)
	if err == nil && len(a) > r.n {
		err = nested.Errorf("semiring: series of %d coefficients, want at most %d", len(a), r.n)
	}
	if err != nil {
		return nil, err
	}
	return r.trim(a), nil
}
