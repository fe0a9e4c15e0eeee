package semiring

import "fmt"

// four holds a capability of the base and the three modules of an Expectation2.
type four[P, R, S, T any] struct {
	p P
	r R
	s S
	t T
}

func fourOf[CP, CR, CS, CT, W, R, S, T any](e expectation2[W, R, S, T]) (c four[CP, CR, CS, CT], ok bool) {
	var okP, okR, okS, okT bool
	c.p, okP = As[CP](e.base)
	c.r, okR = capability[CR](e.r)
	c.s, okS = capability[CS](e.s)
	c.t, okT = capability[CT](e.t)
	return c, okP && okR && okS && okT
}

type expected2Star[W, R, S, T any] struct {
	ring   expectation2[W, R, S, T]
	closed Closed[W]
}

// Star solves x = 1̄ ⊕ a ⊗ x part by part. For T that is t′ = p·t′ + p*·t + r⊗s′ + r′⊗s
// with r′ = p*p*·r and s′ = p*p*·s, so t′ = p*·(p*·t + p*p*·(r⊗s) + p*p*·(r⊗s)).
func (c expected2Star[W, R, S, T]) Star(a Expected2[W, R, S, T]) (Expected2[W, R, S, T], bool) {
	e := c.ring
	star, ok := c.closed.Star(a.P)
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

type expected2Div[W, R, S, T any] struct {
	ring    expectation2[W, R, S, T]
	divider Divider[W]
	neg     expected2Neg[W, R, S, T]
}

// LDiv solves ⟨p,r,s,t⟩ ⊗ x = b part by part.
func (c expected2Div[W, R, S, T]) LDiv(a, b Expected2[W, R, S, T]) (x Expected2[W, R, S, T], ok bool) {
	e := c.ring
	inverse, ok := c.divider.LDiv(a.P, e.base.One())
	if !ok {
		return x, false
	}
	x.P = e.base.Times(inverse, b.P)
	x.R = e.r.Left(inverse, e.r.Plus(b.R, c.neg.r.Neg(e.r.Left(x.P, a.R))))
	x.S = e.s.Left(inverse, e.s.Plus(b.S, c.neg.s.Neg(e.s.Left(x.P, a.S))))
	rest := e.t.Left(x.P, a.T)
	cross := e.t.Zero()
	e.product.AddProduct(&cross, e.base.One(), a.R, x.S)
	e.product.AddProduct(&cross, e.base.One(), x.R, a.S)
	x.T = e.t.Left(inverse, e.t.Plus(b.T, c.neg.t.Neg(e.t.Plus(rest, cross))))
	return x, true
}

// RDiv returns LDiv(b, a): the ring is commutative.
func (c expected2Div[W, R, S, T]) RDiv(a, b Expected2[W, R, S, T]) (Expected2[W, R, S, T], bool) {
	return c.LDiv(b, a)
}

type expected2Neg[W, R, S, T any] four[Negater[W], Negater[R], Negater[S], Negater[T]]

func (c expected2Neg[W, R, S, T]) Neg(a Expected2[W, R, S, T]) Expected2[W, R, S, T] {
	return Expected2[W, R, S, T]{c.p.Neg(a.P), c.r.Neg(a.R), c.s.Neg(a.S), c.t.Neg(a.T)}
}

type expected2Dist[W, R, S, T any] four[Metric[W], Metric[R], Metric[S], Metric[T]]

func (c expected2Dist[W, R, S, T]) Dist(a, b Expected2[W, R, S, T]) float64 {
	return max(c.p.Dist(a.P, b.P), c.r.Dist(a.R, b.R), c.s.Dist(a.S, b.S), c.t.Dist(a.T, b.T))
}

type expected2Prob[W, R, S, T any] struct {
	ring   expectation2[W, R, S, T]
	prober Prober[W]
}

func (c expected2Prob[W, R, S, T]) FromLog(logp float64) Expected2[W, R, S, T] {
	return c.ring.of(c.prober.FromLog(logp))
}

func (c expected2Prob[W, R, S, T]) Log(a Expected2[W, R, S, T]) float64 { return c.prober.Log(a.P) }

type expected2Reader[W, R, S, T any] struct {
	ring expectation2[W, R, S, T]
	read func(ScaledFloat) W
}

func (c expected2Reader[W, R, S, T]) fromScaled(x ScaledFloat) Expected2[W, R, S, T] {
	return c.ring.of(c.read(x))
}

type expected2Key[W, R, S, T any] four[Keyer[W], Keyer[R], Keyer[S], Keyer[T]]

func (c expected2Key[W, R, S, T]) AppendKey(dst []byte, a Expected2[W, R, S, T], delta float64) []byte {
	dst = appendPart(dst, c.p, a.P, delta)
	dst = appendPart(dst, c.r, a.R, delta)
	dst = appendPart(dst, c.s, a.S, delta)
	return appendPart(dst, c.t, a.T, delta)
}

type expected2Text[W, R, S, T any] four[Texter[W], Texter[R], Texter[S], Texter[T]]

func (c expected2Text[W, R, S, T]) Format(a Expected2[W, R, S, T]) string {
	return formatList('(', []string{c.p.Format(a.P), c.r.Format(a.R), c.s.Format(a.S), c.t.Format(a.T)}, ')')
}

func (c expected2Text[W, R, S, T]) Parse(text string) (a Expected2[W, R, S, T], err error) {
	parts, err := cutList(text, '(', ')')
	if err == nil && len(parts) != 4 {
		err = fmt.Errorf("semiring: %q is not of the form (p,r,s,t)", text)
	}
	if err != nil {
		return a, err
	}
	if a.P, err = c.p.Parse(parts[0]); err != nil {
		return a, err
	}
	if a.R, err = c.r.Parse(parts[1]); err != nil {
		return a, err
	}
	if a.S, err = c.s.Parse(parts[2]); err != nil {
		return a, err
	}
	a.T, err = c.t.Parse(parts[3])
	return a, err
}
