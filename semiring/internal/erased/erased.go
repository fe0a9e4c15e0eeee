// Package erased hides the type of a ring's weights. The idea: a generic function, with
// everything that it calls, is compiled again for every type of weights. A sum over a ring
// derived from W thus doubles the code that a caller with W compiles and links; over [any] all
// rings share one copy. The price is an allocation per weight: use erased rings for rare sums, or
// rings that are slow anyway.
package erased

import "example.org/pathsum/semiring"

// Of returns ring with its weights as values of type any. It has the capabilities of ring that
// concern one or two weights, but no bulk operations such as Kernel (see Bulk). A nil weight is
// the zero value of W, as in fresh storage.
func Of[W any](ring semiring.Semiring[W]) semiring.Semiring[any] { return &erased[W]{ring} }

// Weight returns the weight of type W in a, a weight of an erased ring.
func Weight[W any](a any) W {
	w, _ := a.(W)
	return w
}

type erased[W any] struct{ ring semiring.Semiring[W] }

func (r *erased[W]) Zero() any          { return r.ring.Zero() }
func (r *erased[W]) One() any           { return r.ring.One() }
func (r *erased[W]) Plus(a, b any) any  { return r.ring.Plus(Weight[W](a), Weight[W](b)) }
func (r *erased[W]) Times(a, b any) any { return r.ring.Times(Weight[W](a), Weight[W](b)) }
func (r *erased[W]) IsZero(a any) bool  { return r.ring.IsZero(Weight[W](a)) }

// As implements semiring.As.
func (r *erased[W]) As(target any) (ok bool) {
	switch target := target.(type) {
	case *semiring.Lawful:
		*target, ok = semiring.As[semiring.Lawful](r.ring)
	case *semiring.OneSided:
		*target, ok = semiring.As[semiring.OneSided](r.ring)
	case *semiring.Closed[any]:
		c := new(closed[W])
		c.of, ok = semiring.As[semiring.Closed[W]](r.ring)
		*target = c
	case *semiring.Divider[any]:
		c := new(divider[W])
		c.of, ok = semiring.As[semiring.Divider[W]](r.ring)
		*target = c
	case *semiring.Negater[any]:
		c := new(negater[W])
		c.of, ok = semiring.As[semiring.Negater[W]](r.ring)
		*target = c
	case *semiring.Textual[any]:
		c := new(texter[W])
		c.of, ok = semiring.As[semiring.Textual[W]](r.ring)
		*target = c
	case *semiring.Reverser[any]:
		c := new(reverser[W])
		c.of, ok = semiring.As[semiring.Reverser[W]](r.ring)
		*target = c
	case *semiring.Ordered[any]:
		c := new(ordered[W])
		c.of, ok = semiring.As[semiring.Ordered[W]](r.ring)
		*target = c
	case *semiring.Metric[any]:
		c := new(metric[W])
		c.of, ok = semiring.As[semiring.Metric[W]](r.ring)
		*target = c
	case *semiring.Probabilistic[any]:
		c := new(prober[W])
		c.of, ok = semiring.As[semiring.Probabilistic[W]](r.ring)
		*target = c
	case *semiring.Ranged[any]:
		c := new(ranged[W])
		c.of, ok = semiring.As[semiring.Ranged[W]](r.ring)
		*target = c
	case *semiring.Keyer[any]:
		c := new(keyer[W])
		c.of, ok = semiring.As[semiring.Keyer[W]](r.ring)
		*target = c
	}
	return ok
}

type closed[W any] struct{ of semiring.Closed[W] }

func (c *closed[W]) Star(a any) (any, bool) {
	s, ok := c.of.Star(Weight[W](a))
	return s, ok
}

type divider[W any] struct{ of semiring.Divider[W] }

func (c *divider[W]) LDiv(a, b any) (any, bool) {
	q, ok := c.of.LDiv(Weight[W](a), Weight[W](b))
	return q, ok
}

func (c *divider[W]) RDiv(a, b any) (any, bool) {
	q, ok := c.of.RDiv(Weight[W](a), Weight[W](b))
	return q, ok
}

type negater[W any] struct{ of semiring.Negater[W] }

func (c *negater[W]) Neg(a any) any { return c.of.Neg(Weight[W](a)) }

type texter[W any] struct{ of semiring.Textual[W] }

func (c *texter[W]) Parse(s string) (any, error) {
	w, err := c.of.Parse(s)
	return w, err
}

func (c *texter[W]) Format(a any) string { return c.of.Format(Weight[W](a)) }

type reverser[W any] struct{ of semiring.Reverser[W] }

func (c *reverser[W]) Reverse(a any) any { return c.of.Reverse(Weight[W](a)) }

type ordered[W any] struct{ of semiring.Ordered[W] }

func (c *ordered[W]) Compare(a, b any) int { return c.of.Compare(Weight[W](a), Weight[W](b)) }

type metric[W any] struct{ of semiring.Metric[W] }

func (c *metric[W]) Dist(a, b any) float64 { return c.of.Dist(Weight[W](a), Weight[W](b)) }

type prober[W any] struct{ of semiring.Probabilistic[W] }

func (c *prober[W]) FromLog(logp float64) any { return c.of.FromLog(logp) }
func (c *prober[W]) Log(a any) float64        { return c.of.Log(Weight[W](a)) }

type ranged[W any] struct{ of semiring.Ranged[W] }

func (c *ranged[W]) InRange(x, a, b any) bool {
	return c.of.InRange(Weight[W](x), Weight[W](a), Weight[W](b))
}

type keyer[W any] struct{ of semiring.Keyer[W] }

func (c *keyer[W]) AppendKey(dst []byte, a any, delta float64) []byte {
	return c.of.AppendKey(dst, Weight[W](a), delta)
}
