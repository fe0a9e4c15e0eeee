package semiring

import (
	"sync"
)

// Expected is the weight of an Expectation: a mass P with a vector V. If a quantity takes the
// value v along a path of probability p, the path has weight ⟨p, p·v⟩. So the path sum ⟨P, V⟩
// gives the expected value V/P.
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
// Division is by weights whose P has an inverse. If a V is subtracted from itself, a residue of
// up to 32 roundings counts as 0.
//
// V may be a difference, and rounding leaves a residue of values that cancel. So numbers of Real
// and Scaled in V are compared as V/P: absolutely below 1, relative to themselves above.
//
// Capabilities: Closed, Probabilistic and Ranged (of P) and FromScaled if the base has them;
// Metric (the greater distance, of P or of V/P), Negater, Keyer and Textual if base and module
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
	if prober, ok := As[Probabilistic[W]](base); ok {
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
			return appendGauged(appendItem(dst, p, a.P, delta), v, a.V, a.P, delta)
		}
	}
	if p, v, ok := both[Textual[W], Textual[V]](base, m); ok {
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

// expectationKernelOf returns the kernel of r, or nil if r does not have a kernel.
func expectationKernelOf[W, V any](r expectation[W, V]) Kernel[Expected[W, V]] {
	acc, ok := r.module.(Accumulator[W, V])
	if !ok || !r.laws.Has(Commutative) {
		return nil
	}
	var kernel Kernel[Expected[W, V]] = expectationKernel[W, V]{newExpectationMarginals[W, V](r.base), r, acc}
	if target, ok := any(&kernel).(*Kernel[Expected[W, W]]); ok { // V is W
		if m, ok := any(r.module).(scalar[W]); ok {
			base := any(r.base).(Semiring[W])
			*target = scalarKernel[W]{newExpectationMarginals[W, W](base), base, m.Semiring, KernelOf(m.Semiring)}
		}
	}
	return kernel
}

// expectationKernel adds vectors up in the storage of *dst. Once that is large enough, it does
// not allocate.
type expectationKernel[W, V any] struct {
	expectationMarginals[W, V]
	expectation[W, V]
	acc Accumulator[W, V]
}

func (c expectationKernel[W, V]) Dot(dst *Expected[W, V], w []Expected[W, V], k []int32, x []Expected[W, V], i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k = indices(k, n)[:len(i)]
	p := c.base.Zero()
	c.acc.Clear(&dst.V)
	for n, in := range i {
		a, b := &w[k[n]], &x[in]
		p = c.base.Plus(p, c.base.Times(a.P, b.P))
		c.acc.AddScaled(&dst.V, a.P, b.V)
		c.acc.AddScaled(&dst.V, b.P, a.V)
	}
	dst.P = p
}

func (c expectationKernel[W, V]) Dot2(dst *Expected[W, V], w []Expected[W, V], k []int32, x []Expected[W, V], i []int32, y []Expected[W, V], j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	p := c.base.Zero()
	c.acc.Clear(&dst.V)
	for n, in := range i {
		a, b, d := &w[k[n]], &x[in], &y[j[n]]
		ab := c.base.Times(a.P, b.P)
		p = c.base.Plus(p, c.base.Times(ab, d.P))
		c.acc.AddScaled(&dst.V, ab, d.V)
		c.acc.AddScaled(&dst.V, c.base.Times(a.P, d.P), b.V)
		c.acc.AddScaled(&dst.V, c.base.Times(b.P, d.P), a.V)
	}
	dst.P = p
}

// expectationMarginals computes marginals in the base ring.
type expectationMarginals[W, V any] struct {
	kernel  Kernel[W]  // of the base
	scratch *sync.Pool // of *gathered[W]
}

// gathered holds the parts of up to gatherSize operands in separate arrays, for kernels of the
// parts, and their results.
type gathered[W any] struct {
	w, x, y [3 * gatherSize]W
	p, v    W
}

// clear drops the results, which may have become part of a sum, so that their storage is not
// reused.
func (g *gathered[W]) clear() {
	var zero W
	g.p, g.v = zero, zero
}

const gatherSize = 64

func newExpectationMarginals[W, V any](base Semiring[W]) expectationMarginals[W, V] {
	return expectationMarginals[W, V]{KernelOf(base), &sync.Pool{New: func() any { return new(gathered[W]) }}}
}

func (c expectationMarginals[W, V]) Marginals(p []float64, a Expected[W, V], w []Expected[W, V], k []int32, x []Expected[W, V], i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, p = indices(k, n)[:len(i)], p[:len(i)]
	g := c.scratch.Get().(*gathered[W])
	defer c.scratch.Put(g)
	for start := 0; start < n; start += gatherSize {
		size := min(gatherSize, n-start)
		for m := range size {
			g.w[m], g.x[m] = w[k[start+m]].P, x[i[start+m]].P
		}
		c.kernel.Marginals(p[start:start+size], a.P, g.w[:size], nil, g.x[:], nil)
	}
}

func (c expectationMarginals[W, V]) Marginals2(p []float64, a Expected[W, V], w []Expected[W, V], k []int32, x []Expected[W, V], i []int32, y []Expected[W, V], j []int32) {
	n := terms(k, i, w)
	i, j = indices(i, n), indices(j, n)
	k, p = indices(k, n)[:len(i)], p[:len(i)]
	g := c.scratch.Get().(*gathered[W])
	defer c.scratch.Put(g)
	for start := 0; start < n; start += gatherSize {
		size := min(gatherSize, n-start)
		for m := range size {
			g.w[m], g.x[m], g.y[m] = w[k[start+m]].P, x[i[start+m]].P, y[j[start+m]].P
		}
		c.kernel.Marginals2(p[start:start+size], a.P, g.w[:size], nil, g.x[:], nil, g.y[:], nil)
	}
}

// scalarKernel is the kernel of an Expectation with one number. It gathers masses and numbers and
// computes the sums with kernels of plain weights.
type scalarKernel[W any] struct {
	expectationMarginals[W, W]
	base, module Semiring[W]
	moduleKernel Kernel[W]
}

func (c scalarKernel[W]) Dot(dst *Expected[W, W], w []Expected[W, W], k []int32, x []Expected[W, W], i []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k = indices(k, n)[:len(i)]
	g := c.scratch.Get().(*gathered[W])
	defer c.scratch.Put(g)
	sum := Expected[W, W]{c.base.Zero(), c.module.Zero()}
	for start := 0; start < n; start += gatherSize {
		size := min(gatherSize, n-start)
		for m := range size {
			a, b := &w[k[start+m]], &x[i[start+m]]
			g.w[m], g.x[m] = a.P, b.V
			g.w[size+m], g.x[size+m] = a.V, b.P
		}
		c.kernel.Dot(&g.p, g.w[:size], nil, g.x[size:], nil)
		c.moduleKernel.Dot(&g.v, g.w[:2*size], nil, g.x[:], nil)
		sum.P, sum.V = c.base.Plus(sum.P, g.p), c.module.Plus(sum.V, g.v)
		g.clear()
	}
	*dst = sum
}

func (c scalarKernel[W]) Dot2(dst *Expected[W, W], w []Expected[W, W], k []int32, x []Expected[W, W], i []int32, y []Expected[W, W], j []int32) {
	n := terms(k, i, w)
	i = indices(i, n)
	k, j = indices(k, n)[:len(i)], indices(j, n)[:len(i)]
	g := c.scratch.Get().(*gathered[W])
	defer c.scratch.Put(g)
	sum := Expected[W, W]{c.base.Zero(), c.module.Zero()}
	for start := 0; start < n; start += gatherSize {
		size := min(gatherSize, n-start)
		for m := range size {
			a, b, d := &w[k[start+m]], &x[i[start+m]], &y[j[start+m]]
			g.w[m], g.x[m], g.y[m] = a.P, b.P, d.V
			g.w[size+m], g.x[size+m], g.y[size+m] = a.P, b.V, d.P
			g.w[2*size+m], g.x[2*size+m], g.y[2*size+m] = a.V, b.P, d.P
		}
		c.kernel.Dot2(&g.p, g.w[:size], nil, g.x[:], nil, g.y[size:], nil)
		c.moduleKernel.Dot2(&g.v, g.w[:3*size], nil, g.x[:], nil, g.y[:], nil)
		sum.P, sum.V = c.base.Plus(sum.P, g.p), c.module.Plus(sum.V, g.v)
		g.clear()
	}
	*dst = sum
}

// scaledExpectationSweep makes the passes of an Expectation over Scaled with one
// number in Scaled, by the loop of Scaled.Sweep for the mass and for the number.
type scaledExpectationSweep struct{}

// expectationSweeperOf returns the Sweeper of r, or nil if r does not have a Sweeper.
func expectationSweeperOf[W, V any](r expectation[W, V]) Sweeper[Expected[W, V]] {
	module, ok := any(r.module).(scalar[ScaledFloat])
	if !ok || any(r.base) != any(Scaled{}) || any(module.Semiring) != any(Scaled{}) {
		return nil
	}
	sweeper, _ := any(scaledExpectationSweep{}).(Sweeper[Expected[W, V]])
	return sweeper
}

// Sweep adds Σ w ⊗ x[i] over row s to x[s], row by row.
func (scaledExpectationSweep) Sweep(x []Expected[ScaledFloat, ScaledFloat], order, row []int32, w []Expected[ScaledFloat, ScaledFloat], i []int32) {
	w = w[:len(i)]
	var e, f int64 // exponents of a sum that is still 0: guess the previous row's
	for _, s := range rowsOf(order, row) {
		sum := &x[s]
		p, v := sum.P.Mant, sum.V.Mant
		if p != 0 {
			e = sum.P.Exp
		}
		if v != 0 {
			f = sum.V.Exp
		}
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			b, a := &x[i[n]], &w[n]
			if t, q := a.P.Mant*b.P.Mant, a.P.Exp+b.P.Exp; q == e {
				p += t
			} else {
				p, e = addDigits(p, e, t, q)
			}
			if t, q := a.P.Mant*b.V.Mant, a.P.Exp+b.V.Exp; q == f {
				v += t
			} else {
				v, f = addDigits(v, f, t, q)
			}
			if t, q := a.V.Mant*b.P.Mant, a.V.Exp+b.P.Exp; q == f {
				v += t
			} else {
				v, f = addDigits(v, f, t, q)
			}
		}
		sum.P, sum.V = normalize(p, e), normalize(v, f)
	}
}

// Spread adds x[s] ⊗ w to x[i] over row s, row by row. Sums are normalized when their
// own row comes, or in the end.
func (scaledExpectationSweep) Spread(x []Expected[ScaledFloat, ScaledFloat], order, row []int32, w []Expected[ScaledFloat, ScaledFloat], i []int32) {
	w = w[:len(i)]
	for _, s := range rowsOf(order, row) {
		p, v := &x[s].P, &x[s].V
		*p, *v = normalize(p.Mant, p.Exp), normalize(v.Mant, v.Exp)
		hi := int(row[s+1])
		for n := int(row[s]); n < hi; n++ {
			sum, b := &x[i[n]], &w[n]
			gather(&sum.P, p.Mant*b.P.Mant, p.Exp+b.P.Exp)
			gather(&sum.V, p.Mant*b.V.Mant, p.Exp+b.V.Exp)
			gather(&sum.V, v.Mant*b.P.Mant, v.Exp+b.P.Exp)
		}
	}
	if omits(order, row) {
		for s := range x {
			p, v := &x[s].P, &x[s].V
			*p, *v = normalize(p.Mant, p.Exp), normalize(v.Mant, v.Exp)
		}
	}
}

// gather adds the product t × 2^(512·q) to a sum that need not be normalized.
func gather(sum *ScaledFloat, t float64, q int64) {
	if q == sum.Exp {
		sum.Mant += t
	} else {
		sum.Mant, sum.Exp = addDigits(sum.Mant, sum.Exp, t, q)
	}
}
