package fst

import (
	"fmt"

	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// numbered is a ring of numbers that stand for the weights of another ring: the places of a
// table, which grows with every result. Whoever computes with numbers is compiled once for
// all rings, and a number costs no allocation. The table is for one operation in one
// goroutine: nothing leaves it before its end.
type numbered[W any] struct {
	ring    semiring.Semiring[W]
	weights []W // of which 0̄ and 1̄ are the first
}

// The numbers of 0̄ and 1̄.
const numberedZero, numberedOne = 0, 1

func numberedOf[W any](ring semiring.Semiring[W]) *numbered[W] {
	return &numbered[W]{ring, []W{ring.Zero(), ring.One()}}
}

// number returns one that stands for w.
func (r *numbered[W]) number(w W) int {
	r.weights = append(r.weights, w)
	return len(r.weights) - 1
}

// text returns what a stands for as text.
func (r *numbered[W]) text(a int) string { return fmt.Sprint(r.weights[a]) }

// TypeName returns the name of the ring whose weights they stand for.
func (r *numbered[W]) TypeName() string { return typename.Of(r.ring) }

func (r *numbered[W]) Zero() int          { return numberedZero }
func (r *numbered[W]) One() int           { return numberedOne }
func (r *numbered[W]) Plus(a, b int) int  { return r.number(r.ring.Plus(r.weights[a], r.weights[b])) }
func (r *numbered[W]) IsZero(a int) bool  { return r.ring.IsZero(r.weights[a]) }
func (r *numbered[W]) Times(a, b int) int { return r.number(r.ring.Times(r.weights[a], r.weights[b])) }

// As says which of the capabilities that the operations on transducers use the ring has.
func (r *numbered[W]) As(target any) (ok bool) {
	switch target := target.(type) {
	case *semiring.Lawful:
		*target, ok = semiring.As[semiring.Lawful](r.ring)
	case *semiring.OneSided:
		*target, ok = semiring.As[semiring.OneSided](r.ring)
	case *semiring.Divider[int]:
		c := numberedDivider[W]{numbered: r}
		c.of, ok = semiring.As[semiring.Divider[W]](r.ring)
		*target = c
	case *semiring.Ordered[int]:
		c := numberedOrder[W]{numbered: r}
		c.of, ok = semiring.As[semiring.Ordered[W]](r.ring)
		*target = c
	case *semiring.Ranged[int]:
		c := numberedRange[W]{numbered: r}
		c.of, ok = semiring.As[semiring.Ranged[W]](r.ring)
		*target = c
	case *semiring.Prober[int]:
		c := numberedProber[W]{numbered: r}
		c.of, ok = semiring.As[semiring.Prober[W]](r.ring)
		*target = c
	case *semiring.Keyer[int]:
		c := numberedKeyer[W]{numbered: r}
		c.of, ok = semiring.As[semiring.Keyer[W]](r.ring)
		*target = c
	}
	return ok
}

type numberedDivider[W any] struct {
	*numbered[W]
	of semiring.Divider[W]
}

func (c numberedDivider[W]) LDiv(a, b int) (int, bool) {
	if q, ok := c.of.LDiv(c.weights[a], c.weights[b]); ok {
		return c.number(q), true
	}
	return 0, false
}

func (c numberedDivider[W]) RDiv(a, b int) (int, bool) {
	if q, ok := c.of.RDiv(c.weights[a], c.weights[b]); ok {
		return c.number(q), true
	}
	return 0, false
}

type numberedOrder[W any] struct {
	*numbered[W]
	of semiring.Ordered[W]
}

func (c numberedOrder[W]) Compare(a, b int) int { return c.of.Compare(c.weights[a], c.weights[b]) }

type numberedRange[W any] struct {
	*numbered[W]
	of semiring.Ranged[W]
}

func (c numberedRange[W]) InRange(x, a, b int) bool {
	return c.of.InRange(c.weights[x], c.weights[a], c.weights[b])
}

type numberedProber[W any] struct {
	*numbered[W]
	of semiring.Prober[W]
}

func (c numberedProber[W]) FromLog(logp float64) int { return c.number(c.of.FromLog(logp)) }
func (c numberedProber[W]) Log(a int) float64        { return c.of.Log(c.weights[a]) }

type numberedKeyer[W any] struct {
	*numbered[W]
	of semiring.Keyer[W]
}

func (c numberedKeyer[W]) AppendKey(dst []byte, a int, delta float64) []byte {
	return c.of.AppendKey(dst, c.weights[a], delta)
}
