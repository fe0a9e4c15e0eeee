package semiring

// Expected is the weight of an Expectation: a mass P and a vector V that it is
// accompanied by. A path of probability p along which a quantity takes the value
// v weighs ⟨p, p·v⟩, and so the path sum ⟨P, V⟩ gives its expected value V/P.
type Expected[W, V any] struct {
	P W
	V V
}

// Expectation returns the expectation semiring over a base ring and a module of
// it (J. Eisner, Parameter estimation for probabilistic finite-state
// transducers, ACL 2002):
//
//	⟨p, u⟩ ⊕ ⟨q, v⟩ = ⟨p ⊕ q, u + v⟩
//	⟨p, u⟩ ⊗ ⟨q, v⟩ = ⟨p ⊗ q, p·v + u·q⟩
//	⟨p, v⟩* = ⟨p*, p*·v·p*⟩
//
// The base need not be commutative. Values add up along a path: if an arc of
// weight p contributes v, give it ⟨p, p·v⟩. With v a gradient of ln p, the total
// is ⟨Z, ∇Z⟩.
//
// Division is by weights whose P has an inverse.
//
// Capabilities: Closed, Prober and Ranged (of P) and FromScaled if the base has them;
// Metric (the greater distance), Negater, Keyer and Texter if base and module
// have them; Divider if the base has it and the module is a Negater; Kernel if
// the base is commutative and the module an Accumulator; Sweeper if base and module
// are Scaled and Scalar of Scaled.
func Expectation[W, V any](base Semiring[W], m Module[W, V]) Semiring[Expected[W, V]] {
	return expectation[W, V]{base, m}
}

type expectation[W, V any] struct {
	base   Semiring[W]
	module Module[W, V]
}

func (r expectation[W, V]) Zero() Expected[W, V] {
	return Expected[W, V]{r.base.Zero(), r.module.Zero()}
}

func (r expectation[W, V]) One() Expected[W, V] {
	return Expected[W, V]{r.base.One(), r.module.Zero()}
}

func (r expectation[W, V]) Plus(a, b Expected[W, V]) Expected[W, V] {
	return Expected[W, V]{r.base.Plus(a.P, b.P), r.module.Plus(a.V, b.V)}
}

func (r expectation[W, V]) Times(a, b Expected[W, V]) Expected[W, V] {
	v := r.module.Plus(r.module.Left(a.P, b.V), r.module.Right(a.V, b.P))
	return Expected[W, V]{r.base.Times(a.P, b.P), v}
}

func (r expectation[W, V]) IsZero(a Expected[W, V]) bool {
	return r.base.IsZero(a.P) && r.module.IsZero(a.V)
}

// between returns a·v·b.
func (r expectation[W, V]) between(a W, v V, b W) V {
	return r.module.Right(r.module.Left(a, v), b)
}

// As answers the package's As.
func (r expectation[W, V]) As(target any) bool {
	type X = Expected[W, V]
	switch target := target.(type) {
	case *Lawful:
		*target = lawful(LawsOf(r.base) & Commutative)
		return true
	case *OneSided:
		*target = Distributes(r.base)
		return true
	case *Closed[X]:
		return joinBase(r.base, target, func(c Closed[W]) Closed[X] { return expectationStar[W, V]{r, c} })
	case *Divider[X]:
		c, okBase := As[Divider[W]](r.base)
		n, okModule := capability[Negater[V]](r.module)
		*target = expectationDiv[W, V]{r, c, n}
		return okBase && okModule
	case *Prober[X]:
		return joinBase(r.base, target, func(c Prober[W]) Prober[X] { return expectationProb[W, V]{r, c} })
	case *scaledReader[X]:
		f, err := FromScaled(r.base)
		*target = expectationReader[W, V]{r, f}
		return err == nil
	case *Kernel[X]:
		kernel, ok := newExpectationKernel(r)
		*target = kernel
		return ok
	case *Sweeper[X]:
		sweeper, ok := newExpectationSweep(r)
		*target = sweeper
		return ok
	case *Metric[X]:
		return joinParts(r, target, func(p Metric[W], v Metric[V]) Metric[X] { return expectedDist[W, V]{p, v} })
	case *Negater[X]:
		return joinParts(r, target, func(p Negater[W], v Negater[V]) Negater[X] { return expectedNeg[W, V]{p, v} })
	case *Ranged[X]:
		return joinBase(r.base, target, func(c Ranged[W]) Ranged[X] { return expectedRange[W, V]{c} })
	case *Keyer[X]:
		return joinParts(r, target, func(p Keyer[W], v Keyer[V]) Keyer[X] { return expectedKey[W, V]{pairKey[W, V]{p, v}} })
	case *Texter[X]:
		return joinParts(r, target, func(p Texter[W], v Texter[V]) Texter[X] { return expectedText[W, V]{pairText[W, V]{p, v}} })
	}
	return false
}

// joinParts sets *target to the capability made of those of base and module.
func joinParts[CW, CV, C, W, V any](r expectation[W, V], target *C, combine func(CW, CV) C) bool {
	p, okBase := As[CW](r.base)
	v, okModule := capability[CV](r.module)
	if okBase && okModule {
		*target = combine(p, v)
	}
	return okBase && okModule
}

type expectationStar[W, V any] struct {
	expectation[W, V]
	closed Closed[W]
}

func (c expectationStar[W, V]) Star(a Expected[W, V]) (Expected[W, V], bool) {
	star, ok := c.closed.Star(a.P)
	return Expected[W, V]{star, c.between(star, a.V, star)}, ok
}

type expectationDiv[W, V any] struct {
	expectation[W, V]
	divider Divider[W]
	negater Negater[V]
}

// LDiv solves ⟨p, u⟩ ⊗ ⟨r, s⟩ = ⟨q, v⟩: r = p\q and s = p⁻¹·(v − u·r).
func (c expectationDiv[W, V]) LDiv(a, b Expected[W, V]) (x Expected[W, V], ok bool) {
	inverse, ok := c.divider.LDiv(a.P, c.base.One())
	if !ok {
		return x, false
	}
	x.P = c.base.Times(inverse, b.P)
	rest := c.module.Plus(b.V, c.negater.Neg(c.module.Right(a.V, x.P)))
	x.V = c.module.Left(inverse, rest)
	return x, true
}

// RDiv solves ⟨r, s⟩ ⊗ ⟨q, v⟩ = ⟨p, u⟩: r = p/q and s = (u − r·v)·q⁻¹.
func (c expectationDiv[W, V]) RDiv(a, b Expected[W, V]) (x Expected[W, V], ok bool) {
	inverse, ok := c.divider.RDiv(c.base.One(), b.P)
	if !ok {
		return x, false
	}
	x.P = c.base.Times(a.P, inverse)
	rest := c.module.Plus(a.V, c.negater.Neg(c.module.Left(x.P, b.V)))
	x.V = c.module.Right(rest, inverse)
	return x, true
}

type expectationProb[W, V any] struct {
	expectation[W, V]
	prober Prober[W]
}

func (c expectationProb[W, V]) FromLog(logp float64) Expected[W, V] {
	return Expected[W, V]{c.prober.FromLog(logp), c.module.Zero()}
}

func (c expectationProb[W, V]) Log(a Expected[W, V]) float64 { return c.prober.Log(a.P) }

type expectationReader[W, V any] struct {
	expectation[W, V]
	read func(ScaledFloat) W
}

func (c expectationReader[W, V]) fromScaled(x ScaledFloat) Expected[W, V] {
	return Expected[W, V]{c.read(x), c.module.Zero()}
}

type expectedDist[W, V any] struct {
	p Metric[W]
	v Metric[V]
}

func (c expectedDist[W, V]) Dist(a, b Expected[W, V]) float64 {
	return max(c.p.Dist(a.P, b.P), c.v.Dist(a.V, b.V))
}

type expectedNeg[W, V any] struct {
	p Negater[W]
	v Negater[V]
}

func (c expectedNeg[W, V]) Neg(a Expected[W, V]) Expected[W, V] {
	return Expected[W, V]{c.p.Neg(a.P), c.v.Neg(a.V)}
}

type expectedKey[W, V any] struct{ pair pairKey[W, V] }

func (c expectedKey[W, V]) AppendKey(dst []byte, a Expected[W, V], delta float64) []byte {
	return c.pair.AppendKey(dst, Pair[W, V]{a.P, a.V}, delta)
}

type expectedText[W, V any] struct{ pair pairText[W, V] }

func (c expectedText[W, V]) Format(a Expected[W, V]) string {
	return c.pair.Format(Pair[W, V]{a.P, a.V})
}

func (c expectedText[W, V]) Parse(s string) (Expected[W, V], error) {
	pair, err := c.pair.Parse(s)
	return Expected[W, V]{pair.First, pair.Second}, err
}
