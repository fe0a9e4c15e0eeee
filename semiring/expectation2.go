package semiring

import "fmt"

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
// Where only s is a gradient, that of ln p, T/P − (R⊗S)/P² is the gradient of the
// expected value R/P.
//
// The maps to P, to ⟨P, R⟩ and to ⟨P, S⟩ are homomorphisms to the base and to
// Expectations. Division is by weights whose P has an inverse.
//
// Capabilities: Closed, Prober and Ranged (of P) and FromScaled if the base has them; Metric
// (the greatest distance), Negater, Keyer and Texter if base and modules have them;
// Divider if the base has it and the modules are Negaters; Kernel if the modules are
// Accumulators. The error wraps ErrCapability if the base is not commutative.
func Expectation2[W, R, S, T any](base Semiring[W], product Bilinear[W, R, S, T]) (Semiring[Expected2[W, R, S, T]], error) {
	if !LawsOf(base).Has(Commutative) {
		return nil, fmt.Errorf("%w: %T is not Commutative, as the base of Expectation2 has to be", ErrCapability, base)
	}
	r, s, t := product.Modules()
	return expectation2[W, R, S, T]{base, r, s, t, product}, nil
}

type expectation2[W, R, S, T any] struct {
	base    Semiring[W]
	r       Module[W, R]
	s       Module[W, S]
	t       Module[W, T]
	product Bilinear[W, R, S, T]
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

// As answers the package's As.
func (e expectation2[W, R, S, T]) As(target any) bool {
	type X = Expected2[W, R, S, T]
	switch target := target.(type) {
	case *Lawful:
		*target = lawful(Commutative)
		return true
	case *OneSided:
		*target = Distributes(e.base)
		return true
	case *Closed[X]:
		return joinBase(e.base, target, func(c Closed[W]) Closed[X] { return expected2Star[W, R, S, T]{e, c} })
	case *Prober[X]:
		return joinBase(e.base, target, func(c Prober[W]) Prober[X] { return expected2Prob[W, R, S, T]{e, c} })
	case *scaledReader[X]:
		read, err := FromScaled(e.base)
		*target = expected2Reader[W, R, S, T]{e, read}
		return err == nil
	case *Kernel[X]:
		kernel, ok := newExpectation2Kernel(e)
		*target = kernel
		return ok
	case *Divider[X]:
		c, okBase := As[Divider[W]](e.base)
		n, ok := fourOf[Negater[W], Negater[R], Negater[S], Negater[T]](e)
		*target = expected2Div[W, R, S, T]{e, c, expected2Neg[W, R, S, T](n)}
		return okBase && ok
	case *Negater[X]:
		c, ok := fourOf[Negater[W], Negater[R], Negater[S], Negater[T]](e)
		*target = expected2Neg[W, R, S, T](c)
		return ok
	case *Metric[X]:
		c, ok := fourOf[Metric[W], Metric[R], Metric[S], Metric[T]](e)
		*target = expected2Dist[W, R, S, T](c)
		return ok
	case *Ranged[X]:
		return joinBase(e.base, target, func(c Ranged[W]) Ranged[X] { return expected2Range[W, R, S, T]{c} })
	case *Keyer[X]:
		c, ok := fourOf[Keyer[W], Keyer[R], Keyer[S], Keyer[T]](e)
		*target = expected2Key[W, R, S, T](c)
		return ok
	case *Texter[X]:
		c, ok := fourOf[Texter[W], Texter[R], Texter[S], Texter[T]](e)
		*target = expected2Text[W, R, S, T](c)
		return ok
	}
	return false
}
