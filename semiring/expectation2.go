package semiring

import (
	"fmt"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Expected2 is the weight of an Expectation2: a mass P, two vectors R and S that it
// is accompanied by, and their product T.
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
// Where only s is a gradient, of ln p, T/P − (R⊗S)/P² is the gradient of the
// expected value R/P.
//
// The maps to P, to ⟨P, R⟩ and to ⟨P, S⟩ are homomorphisms to the base and to
// Expectations. Division is by weights whose P has an inverse.
//
// Capabilities: Closed, Prober and Ranged (of P) and FromScaled if the base has them;
// Metric (the greatest distance, of R, S and T by the scale of P as in Expectation), Negater,
// Keyer and Texter if base and modules have them; Divider if the base has it and the modules are
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
	if prober, ok := As[Prober[W]](e.base); ok {
		e.fromLog = func(logp float64) X { return e.of(prober.FromLog(logp)) }
		e.log = func(a X) float64 { return prober.Log(a.P) }
	}
	if read, err := FromScaled(e.base); err == nil {
		e.read = func(x ScaledFloat) X { return e.of(read(x)) }
	}
	if ranged, ok := As[Ranged[W]](e.base); ok {
		e.inRange = func(x, a, b X) bool { return ranged.InRange(x.P, a.P, b.P) }
	}
	if p, r, s, t, ok := four[Texter[W], Texter[R], Texter[S], Texter[T]](e.base, e.r, e.s, e.t); ok {
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
			dst = appendGauged(appendPart(dst, p, a.P, delta), r, a.R, a.P, delta)
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

func parseExpected2[W, R, S, T any](list string, p Texter[W], r Texter[R], s Texter[S], t Texter[T]) (a Expected2[W, R, S, T], err error) {
	parts, err := cutList(list, '(', ')')
	if err == nil && len(parts) != 4 {
		err = fmt.Errorf("semiring: %s is not of the form (p,r,s,t)", text.Quote(list))
	}
	if err != nil {
		return a, err
	}
	if a.P, err = p.Parse(parts[0]); err != nil {
		return a, err
	}
	if a.R, err = r.Parse(parts[1]); err != nil {
		return a, err
	}
	if a.S, err = s.Parse(parts[2]); err != nil {
		return a, err
	}
	a.T, err = t.Parse(parts[3])
	return a, err
}
