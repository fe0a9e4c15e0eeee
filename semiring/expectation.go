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
// Division is by weights whose P has an inverse. What is left of a V that is taken from
// itself, up to 32 roundings, is 0.
//
// V may be a difference, and of values that cancel rounding leaves something. So numbers of
// Real and Scaled in V are compared as V/P: absolutely below 1, relative to themselves above.
//
// Capabilities: Closed, Prober and Ranged (of P) and FromScaled if the base has them;
// Metric (the greater distance, of P or of V/P), Negater, Keyer and Texter if base and module
// have them; Divider if the base has it and the module is a Negater; Kernel if
// the base is commutative and the module an Accumulator; Sweeper for one number in
// Scaled with Scaled.
func Expectation[W, V any](base Semiring[W], m Module[W, V]) Semiring[Expected[W, V]] {
	r := expectation[W, V]{base, m, new(derived[Expected[W, V]])}
	r.derive()
	return r
}

type expectation[W, V any] struct {
	base   Semiring[W]
	module Module[W, V]
	*derived[Expected[W, V]]
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

// derive sets the capabilities that the parts allow.
func (r expectation[W, V]) derive() {
	type X = Expected[W, V]
	base, m := r.base, r.module
	r.laws = LawsOf(base) & Commutative
	r.sides = Distributes(base)
	r.kernel, r.sweeper = expectationKernelOf(r), expectationSweeperOf(r)
	if closed, ok := As[Closed[W]](base); ok {
		r.star = func(a X) (X, bool) {
			star, ok := closed.Star(a.P)
			return X{star, m.Right(m.Left(star, a.V), star)}, ok
		}
	}
	v := gaugeOf[W, V](m)
	if divider, negater, ok := both[Divider[W], Negater[V]](base, m); ok {
		minus := minusOf(v, m.Plus, negater.Neg)
		r.lDiv = func(a, b X) (X, bool) { return r.leftQuotient(divider, minus, a, b) }
		r.rDiv = func(a, b X) (X, bool) { return r.rightQuotient(divider, minus, a, b) }
	}
	if p, v, ok := both[Negater[W], Negater[V]](base, m); ok {
		r.neg = func(a X) X { return X{p.Neg(a.P), v.Neg(a.V)} }
	}
	if p, ok := As[Metric[W]](base); ok && v.dist != nil {
		r.dist = func(a, b X) float64 { return max(p.Dist(a.P, b.P), v.dist(a.V, b.V, a.P, b.P)) }
	}
	if prober, ok := As[Prober[W]](base); ok {
		r.fromLog = func(logp float64) X { return X{prober.FromLog(logp), m.Zero()} }
		r.log = func(a X) float64 { return prober.Log(a.P) }
	}
	if read, err := FromScaled(base); err == nil {
		r.read = func(x ScaledFloat) X { return X{read(x), m.Zero()} }
	}
	if ranged, ok := As[Ranged[W]](base); ok {
		r.inRange = func(x, a, b X) bool { return ranged.InRange(x.P, a.P, b.P) }
	}
	if p, ok := As[Keyer[W]](base); ok && v.key != nil {
		r.key = func(dst []byte, a X, delta float64) []byte {
			return appendGauged(appendPart(dst, p, a.P, delta), v, a.V, a.P, delta)
		}
	}
	if p, v, ok := both[Texter[W], Texter[V]](base, m); ok {
		r.format = func(a X) string { return formatList('(', []string{p.Format(a.P), v.Format(a.V)}, ')') }
		r.parse = func(s string) (X, error) {
			pair, err := parsePair(s, p, v)
			return X{pair.First, pair.Second}, err
		}
	}
}

// leftQuotient solves ⟨p, u⟩ ⊗ ⟨r, s⟩ = ⟨q, v⟩: r = p\q and s = p⁻¹·(v − u·r).
func (r expectation[W, V]) leftQuotient(divider Divider[W], minus func(u, v V) V, a, b Expected[W, V]) (x Expected[W, V], ok bool) {
	inverse, ok := divider.LDiv(a.P, r.base.One())
	if !ok {
		return x, false
	}
	x.P = r.base.Times(inverse, b.P)
	x.V = r.module.Left(inverse, minus(b.V, r.module.Right(a.V, x.P)))
	return x, true
}

// rightQuotient solves ⟨r, s⟩ ⊗ ⟨q, v⟩ = ⟨p, u⟩: r = p/q and s = (u − r·v)·q⁻¹.
func (r expectation[W, V]) rightQuotient(divider Divider[W], minus func(u, v V) V, a, b Expected[W, V]) (x Expected[W, V], ok bool) {
	inverse, ok := divider.RDiv(r.base.One(), b.P)
	if !ok {
		return x, false
	}
	x.P = r.base.Times(a.P, inverse)
	x.V = r.module.Right(minus(a.V, r.module.Left(x.P, b.V)), inverse)
	return x, true
}
