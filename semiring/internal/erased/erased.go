// Package erased hides the type of a ring's weights. The idea: a generic function, with all
// that it calls, is compiled anew for every type of weights. A sum over a ring derived from W
// thus doubles what a caller with W compiles and links; over [any] there is one copy for all
// rings. A weight costs an allocation then: erased rings are for sums that are rare, or whose
// ring is slow anyhow.
package erased

import "example.org/pathsum/semiring"

// Of returns ring with its weights as values of type any. It has the capabilities of ring
// that concern one or two weights, and no Kernel and its like. A nil weight is the zero
// value of W, as in storage that was not written to.
func Of[W any](ring semiring.Semiring[W]) semiring.Semiring[any] { return erased[W]{ring} }

// weight returns the weight in a.
func weight[W any](a any) W {
	w, _ := a.(W)
	return w
}

type erased[W any] struct{ ring semiring.Semiring[W] }

func (r erased[W]) Zero() any          { return r.ring.Zero() }
func (r erased[W]) One() any           { return r.ring.One() }
func (r erased[W]) Plus(a, b any) any  { return r.ring.Plus(weight[W](a), weight[W](b)) }
func (r erased[W]) Times(a, b any) any { return r.ring.Times(weight[W](a), weight[W](b)) }
func (r erased[W]) IsZero(a any) bool  { return r.ring.IsZero(weight[W](a)) }

// As says which capabilities the ring has.
func (r erased[W]) As(target any) (ok bool) {
	switch target := target.(type) {
	case *semiring.Lawful:
		*target, ok = semiring.As[semiring.Lawful](r.ring)
	case *semiring.OneSided:
		*target, ok = semiring.As[semiring.OneSided](r.ring)
	case *semiring.Closed[any]:
		var c closed[W]
		c.of, ok = semiring.As[semiring.Closed[W]](r.ring)
		*target = c
	case *semiring.Divider[any]:
		var c divider[W]
		c.of, ok = semiring.As[semiring.Divider[W]](r.ring)
		*target = c
	case *semiring.Ordered[any]:
		var c ordered[W]
		c.of, ok = semiring.As[semiring.Ordered[W]](r.ring)
		*target = c
	case *semiring.Metric[any]:
		var c metric[W]
		c.of, ok = semiring.As[semiring.Metric[W]](r.ring)
		*target = c
	case *semiring.Prober[any]:
		var c prober[W]
		c.of, ok = semiring.As[semiring.Prober[W]](r.ring)
		*target = c
	case *semiring.Ranged[any]:
		var c ranged[W]
		c.of, ok = semiring.As[semiring.Ranged[W]](r.ring)
		*target = c
	case *semiring.Keyer[any]:
		var c keyer[W]
		c.of, ok = semiring.As[semiring.Keyer[W]](r.ring)
		*target = c
	}
	return ok
}

type closed[W any] struct{ of semiring.Closed[W] }

func (c closed[W]) Star(a any) (any, bool) {
	s, ok := c.of.Star(weight[W](a))
	return s, ok
}

type divider[W any] struct{ of semiring.Divider[W] }

func (c divider[W]) LDiv(a, b any) (any, bool) {
	q, ok := c.of.LDiv(weight[W](a), weight[W](b))
	return q, ok
}

func (c divider[W]) RDiv(a, b any) (any, bool) {
	q, ok := c.of.RDiv(weight[W](a), weight[W](b))
	return q, ok
}

type ordered[W any] struct{ of semiring.Ordered[W] }

func (c ordered[W]) Compare(a, b any) int { return c.of.Compare(weight[W](a), weight[W](b)) }

type metric[W any] struct{ of semiring.Metric[W] }

func (c metric[W]) Dist(a, b any) float64 { return c.of.Dist(weight[W](a), weight[W](b)) }

type prober[W any] struct{ of semiring.Prober[W] }

func (c prober[W]) FromLog(logp float64) any { return c.of.FromLog(logp) }
func (c prober[W]) Log(a any) float64        { return c.of.Log(weight[W](a)) }

type ranged[W any] struct{ of semiring.Ranged[W] }

func (c ranged[W]) InRange(x, a, b any) bool {
	return c.of.InRange(weight[W](x), weight[W](a), weight[W](b))
}

type keyer[W any] struct{ of semiring.Keyer[W] }

func (c keyer[W]) AppendKey(dst []byte, a any, delta float64) []byte {
	return c.of.AppendKey(dst, weight[W](a), delta)
}
