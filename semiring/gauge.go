package semiring

import (
	"encoding/binary"
	"math"
)

// A vector that accompanies a mass, as the V of an Expectation accompanies P, may be a
// difference. If its values cancel, rounding leaves a residue of 1e-17 of their size. Measured by
// itself such a residue is never near 0. So V is measured by the scale of P, as V/P: absolutely
// below 1, relative to itself above.

// gauge compares vectors V by the scale of the weights W that they accompany.
type gauge[W, V any] struct {
	dist func(u, v V, p, q W) float64 // of u, which accompanies p, and v, which accompanies q
	key  func(dst []byte, v V, p W, delta float64) []byte

	// minus returns u − v, or 0̄ in place of a residue of rounding, relative to the scale of the
	// terms. nil means that such residues are not detected.
	minus func(u, v V) V

	// wider returns the greater one of the scales of p and q, as a weight without a sign. It is
	// nil if the scale does not matter: for a ring or a module that does not subtract.
	wider func(p, q W) W
}

// residue is the largest relative rounding error that may remain if a number is subtracted from
// itself: 32 roundings, of the products and quotients that lead to it.
const residue = 0x1p-48

// minusOf returns the subtraction of the gauge, or by default the one by plus and neg. It is not
// a method: every package that mentions Real would compile it.
func minusOf[W, V any](g gauge[W, V], plus func(u, v V) V, neg func(V) V) func(u, v V) V {
	if g.minus != nil {
		return g.minus
	}
	return func(u, v V) V { return plus(u, neg(v)) }
}

// gauged is a ring or a module of numbers that has a gauge.
type gauged[W, V any] interface{ gauge() gauge[W, V] }

// gaugeOf returns the gauge of a ring or a module. A ring without a gauge is measured by its
// Metric and its Keyer, regardless of scale; a missing capability gives a nil function.
func gaugeOf[W, V any](of any) gauge[W, V] {
	if g, ok := of.(gauged[W, V]); ok {
		return g.gauge()
	}
	var g gauge[W, V]
	if metric, ok := capability[Metric[V]](of); ok {
		g.dist = func(u, v V, _, _ W) float64 { return metric.Dist(u, v) }
	}
	if keyer, ok := capability[Keyer[V]](of); ok {
		g.key = func(dst []byte, v V, _ W, delta float64) []byte { return keyer.AppendKey(dst, v, delta) }
	}
	return g
}

// appendGauged is appendItem by a gauge.
func appendGauged[W, V any](dst []byte, g gauge[W, V], v V, p W, delta float64) []byte {
	start := len(dst)
	return appendLength(g.key(dst, v, p, delta), start)
}

// listGauge is the gauge of lists of weights of base that accompany a weight of base. Keys omit
// trailing entries that are 0̄ up to delta.
func listGauge[L ~[]W, W any](base Semiring[W]) gauge[W, L] {
	entries := gaugeOf[W, W](base)
	g := gauge[W, L]{wider: entries.wider}
	if entries.minus != nil {
		g.minus = func(u, v L) L {
			rest := make(L, max(len(u), len(v)))
			for n := range rest {
				rest[n] = entries.minus(entry(base, u, n), entry(base, v, n))
			}
			return rest
		}
	}
	if entries.dist != nil {
		g.dist = func(u, v L, p, q W) float64 {
			most := 0.0
			for n := range max(len(u), len(v)) {
				most = max(most, entries.dist(entry(base, u, n), entry(base, v, n), p, q))
			}
			return most
		}
	}
	if entries.key != nil {
		g.key = func(dst []byte, v L, p W, delta float64) []byte {
			none := string(entries.key(nil, base.Zero(), p, delta))
			end := len(dst)
			for _, x := range v {
				start := len(dst)
				dst = appendGauged(dst, entries, x, p, delta)
				if string(dst[start:len(dst)-lengthSize]) != none {
					end = len(dst)
				}
			}
			return dst[:end]
		}
	}
	return g
}

func (Real) gauge() gauge[float64, float64] {
	return gauge[float64, float64]{
		dist: func(u, v, p, q float64) float64 {
			return gaugedDistance(NewScaled(u), NewScaled(v), NewScaled(p), NewScaled(q))
		},
		key: func(dst []byte, v, p, delta float64) []byte {
			return appendGaugedKey(dst, NewScaled(v), NewScaled(p), delta)
		},
		minus: func(u, v float64) float64 {
			if d := u - v; !(math.Abs(d) <= residue*max(math.Abs(u), math.Abs(v))) {
				return d
			}
			return 0
		},
		wider: func(p, q float64) float64 { return max(math.Abs(p), math.Abs(q)) },
	}
}

func (Scaled) gauge() gauge[ScaledFloat, ScaledFloat] {
	return gauge[ScaledFloat, ScaledFloat]{
		dist: gaugedDistance,
		key:  appendGaugedKey,
		minus: func(u, v ScaledFloat) ScaledFloat {
			d := u.Sub(v)
			if limit := widerScaled(u, v).Mul(NewScaled(residue)); !d.IsNaN() && !limit.IsNaN() && widerScaled(d, d).Cmp(limit) <= 0 {
				return ScaledFloat{}
			}
			return d
		},
		wider: widerScaled,
	}
}

// widerScaled returns max(|p|, |q|).
func widerScaled(p, q ScaledFloat) ScaledFloat {
	if p.Mant < 0 {
		p = p.Neg()
	}
	if q.Mant < 0 {
		q = q.Neg()
	}
	return Viterbi{}.Plus(p, q)
}

// gaugedDistance returns |u/p − v/q| / max(1, |u/p|, |v/q|): 0 only for u = v, if p = q. Without
// a scale it returns the distance of u and v themselves.
func gaugedDistance(u, v, p, q ScaledFloat) float64 {
	if u == v && p == q {
		return 0
	}
	if !hasScale(u, p) || !hasScale(v, q) {
		return scaledDistance(u, v)
	}
	x, y := u.Div(p), v.Div(q)
	scale := widerScaled(ScaledFloat{Mant: 1}, widerScaled(x, y))
	d := math.Abs(x.Sub(y).Div(scale).Float64())
	if d == 0 && u != v {
		return math.SmallestNonzeroFloat64
	}
	return d
}

// appendGaugedKey appends arsinh(v/p) rounded to a multiple of delta, so that delta is
// relative to max(1, |v/p|).
func appendGaugedKey(dst []byte, v, p ScaledFloat, delta float64) []byte {
	if delta == 0 || !hasScale(v, p) {
		return appendScaledKey(dst, v, delta)
	}
	x := v.Div(p)
	if y := x.Float64(); math.Abs(y) < 1e300 {
		return appendFloatKey(dst, math.Asinh(y), delta)
	}
	if x.Mant < 0 {
		return appendFloatKey(dst, -math.Ln2-x.Neg().Log(), delta)
	}
	return appendFloatKey(dst, math.Ln2+x.Log(), delta)
}

// hasScale reports whether v can be measured by p.
func hasScale(v, p ScaledFloat) bool { return v.IsFinite() && p.IsFinite() && !p.IsZero() }

func (m scalar[W]) gauge() gauge[W, W] { return gaugeOf[W, W](m.Semiring) }

func (m dense[W]) gauge() gauge[W, []W] { return listGauge[[]W](m.base) }

func (m sparse[W]) gauge() gauge[W, SparseVector[W]] {
	type V = SparseVector[W]
	components := gaugeOf[W, W](m.base)
	g := gauge[W, V]{wider: components.wider}
	if components.minus != nil {
		g.minus = func(u, v V) V {
			var rest V
			m.union(u, v, func(index int32, a, b W) {
				if x := components.minus(a, b); !m.base.IsZero(x) {
					rest.Index, rest.Value = append(rest.Index, index), append(rest.Value, x)
				}
			})
			return rest
		}
	}
	if components.dist != nil {
		g.dist = func(u, v V, p, q W) float64 {
			most := 0.0
			m.union(u, v, func(_ int32, a, b W) { most = max(most, components.dist(a, b, p, q)) })
			return most
		}
	}
	if components.key != nil {
		g.key = func(dst []byte, v V, p W, delta float64) []byte {
			none := string(components.key(nil, m.base.Zero(), p, delta))
			for i, index := range v.Index {
				start := len(dst)
				dst = components.key(dst, v.Value[i], p, delta)
				if m.base.IsZero(v.Value[i]) || string(dst[start:]) == none {
					dst = dst[:start]
					continue
				}
				dst = binary.BigEndian.AppendUint32(appendLength(dst, start), uint32(index))
			}
			return dst
		}
	}
	return g
}

func (p product[A, B]) gauge() gauge[Pair[A, B], Pair[A, B]] {
	type W = Pair[A, B]
	first, second := gaugeOf[A, A](p.a), gaugeOf[B, B](p.b)
	var g gauge[W, W]
	if first.minus != nil && second.minus != nil {
		g.minus = func(x, y W) W { return W{first.minus(x.First, y.First), second.minus(x.Second, y.Second)} }
	}
	if first.dist != nil && second.dist != nil {
		g.dist = func(x, y, s, t W) float64 {
			return max(first.dist(x.First, y.First, s.First, t.First), second.dist(x.Second, y.Second, s.Second, t.Second))
		}
	}
	if first.key != nil && second.key != nil {
		g.key = func(dst []byte, x, s W, delta float64) []byte {
			return appendGauged(appendGauged(dst, first, x.First, s.First, delta), second, x.Second, s.Second, delta)
		}
	}
	if first.wider != nil || second.wider != nil {
		g.wider = func(x, y W) W { return W{widerOr(first, x.First, y.First), widerOr(second, x.Second, y.Second)} }
	}
	return g
}

// widerOr returns the greater scale, or x if g has no scale.
func widerOr[W any](g gauge[W, W], x, y W) W {
	if g.wider == nil {
		return x
	}
	return g.wider(x, y)
}

func (l lex[A, B]) gauge() gauge[Pair[A, B], Pair[A, B]] {
	type W = Pair[A, B]
	g := l.product.gauge()
	dist, key := g.dist, g.key
	if dist != nil {
		g.dist = func(x, y, s, t W) float64 { return dist(l.normal(x), l.normal(y), l.normal(s), l.normal(t)) }
	}
	if key != nil {
		g.key = func(dst []byte, x, s W, delta float64) []byte { return key(dst, l.normal(x), l.normal(s), delta) }
	}
	return g
}

func (r expectation[W, V]) gauge() gauge[Expected[W, V], Expected[W, V]] {
	type X = Expected[W, V]
	base, module := gaugeOf[W, W](r.base), gaugeOf[W, V](r.module)
	var g gauge[X, X]
	if base.minus != nil && module.minus != nil {
		g.minus = func(a, b X) X { return X{base.minus(a.P, b.P), module.minus(a.V, b.V)} }
	}
	if base.dist != nil && module.dist != nil {
		g.dist = func(a, b, p, q X) float64 {
			return max(base.dist(a.P, b.P, p.P, q.P), module.dist(a.V, b.V, p.P, q.P))
		}
	}
	if base.key != nil && module.key != nil {
		g.key = func(dst []byte, a, p X, delta float64) []byte {
			return appendGauged(appendGauged(dst, base, a.P, p.P, delta), module, a.V, p.P, delta)
		}
	}
	if base.wider != nil {
		g.wider = func(a, b X) X { return X{base.wider(a.P, b.P), r.module.Zero()} }
	}
	return g
}

func (e expectation2[W, R, S, T]) gauge() gauge[Expected2[W, R, S, T], Expected2[W, R, S, T]] {
	type X = Expected2[W, R, S, T]
	base, r, s, t := gaugeOf[W, W](e.base), gaugeOf[W, R](e.r), gaugeOf[W, S](e.s), gaugeOf[W, T](e.t)
	var g gauge[X, X]
	if base.minus != nil && r.minus != nil && s.minus != nil && t.minus != nil {
		g.minus = func(a, b X) X {
			return X{base.minus(a.P, b.P), r.minus(a.R, b.R), s.minus(a.S, b.S), t.minus(a.T, b.T)}
		}
	}
	if base.dist != nil && r.dist != nil && s.dist != nil && t.dist != nil {
		g.dist = func(a, b, p, q X) float64 {
			return max(base.dist(a.P, b.P, p.P, q.P), r.dist(a.R, b.R, p.P, q.P), s.dist(a.S, b.S, p.P, q.P), t.dist(a.T, b.T, p.P, q.P))
		}
	}
	if base.key != nil && r.key != nil && s.key != nil && t.key != nil {
		g.key = func(dst []byte, a, p X, delta float64) []byte {
			dst = appendGauged(appendGauged(dst, base, a.P, p.P, delta), r, a.R, p.P, delta)
			return appendGauged(appendGauged(dst, s, a.S, p.P, delta), t, a.T, p.P, delta)
		}
	}
	if base.wider != nil {
		g.wider = func(a, b X) X { return e.of(base.wider(a.P, b.P)) }
	}
	return g
}

// widest returns the greatest coefficient of a series as its scale.
func (r series[W]) widest(g gauge[W, W], a Polynomial[W]) W {
	scale := r.base.Zero()
	if g.wider == nil {
		return scale
	}
	for _, c := range a {
		scale = g.wider(scale, c)
	}
	return scale
}

func (r series[W]) gauge() gauge[Polynomial[W], Polynomial[W]] {
	type X = Polynomial[W]
	base, list := gaugeOf[W, W](r.base), listGauge[X](r.base)
	g := gauge[X, X]{}
	if list.minus != nil {
		g.minus = func(a, b X) X { return r.trim(list.minus(a, b)) }
	}
	if base.wider != nil {
		g.wider = func(a, b X) X { return singleton[X](r.base, base.wider(r.widest(base, a), r.widest(base, b))) }
	}
	if list.dist != nil {
		g.dist = func(a, b, p, q X) float64 { return list.dist(a, b, r.widest(base, p), r.widest(base, q)) }
	}
	if list.key != nil {
		g.key = func(dst []byte, a, p X, delta float64) []byte { return list.key(dst, a, r.widest(base, p), delta) }
	}
	return g
}

// deriveGauged sets Metric and Keyer for coefficients that may cancel: the scale of all is the
// greatest coefficient.
func (r series[W]) deriveGauged() {
	type X = Polynomial[W]
	base, list := gaugeOf[W, W](r.base), listGauge[X](r.base)
	if base.wider == nil {
		return
	}
	if list.dist != nil {
		r.dist = func(a, b X) float64 {
			scale := base.wider(r.widest(base, a), r.widest(base, b))
			return list.dist(a, b, scale, scale)
		}
	}
	if keyer, ok := As[Keyer[W]](r.base); ok {
		r.key = func(dst []byte, a X, delta float64) []byte {
			scale := r.widest(base, a)
			return list.key(appendItem(dst, keyer, scale, delta), a, scale, delta)
		}
	}
}
