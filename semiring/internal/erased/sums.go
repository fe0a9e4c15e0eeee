package erased

import (
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// Sums is Of with those capabilities alone that a sum over cycles needs: Closed, Ordered, Metric,
// Keyer, Prober, Lawful and OneSided. It is what a caller compiles anew for its type of weights, and
// so there is little of it.
func Sums[W any](ring semiring.Semiring[W]) semiring.Semiring[any] {
	r := &sums{
		ring: ring, zero: ring.Zero(), one: ring.One(),
		plus:   func(a, b any) any { return ring.Plus(Weight[W](a), Weight[W](b)) },
		times:  func(a, b any) any { return ring.Times(Weight[W](a), Weight[W](b)) },
		isZero: func(a any) bool { return ring.IsZero(Weight[W](a)) },
	}
	r.lawful, _ = semiring.As[semiring.Lawful](ring)
	r.sided, _ = semiring.As[semiring.OneSided](ring)
	if c, ok := semiring.As[semiring.Closed[W]](ring); ok {
		r.star = func(a any) (any, bool) { s, ok := c.Star(Weight[W](a)); return s, ok }
	}
	if c, ok := semiring.As[semiring.Ordered[W]](ring); ok {
		r.compare = func(a, b any) int { return c.Compare(Weight[W](a), Weight[W](b)) }
	}
	if c, ok := semiring.As[semiring.Metric[W]](ring); ok {
		r.dist = func(a, b any) float64 { return c.Dist(Weight[W](a), Weight[W](b)) }
	}
	if c, ok := semiring.As[semiring.Keyer[W]](ring); ok {
		r.key = func(dst []byte, a any, delta float64) []byte { return c.AppendKey(dst, Weight[W](a), delta) }
	}
	if c, ok := semiring.As[semiring.Prober[W]](ring); ok {
		r.log = func(a any) float64 { return c.Log(Weight[W](a)) }
		r.fromLog = func(logp float64) any { return c.FromLog(logp) }
	}
	return r
}

// sums is an erased ring whose capabilities are functions, nil for one that it lacks.
type sums struct {
	ring        any
	zero, one   any
	plus, times func(a, b any) any
	isZero      func(a any) bool

	lawful  semiring.Lawful
	sided   semiring.OneSided
	star    func(a any) (any, bool)
	compare func(a, b any) int
	dist    func(a, b any) float64
	key     func(dst []byte, a any, delta float64) []byte
	log     func(a any) float64
	fromLog func(logp float64) any
}

func (r *sums) Zero() any          { return r.zero }
func (r *sums) One() any           { return r.one }
func (r *sums) Plus(a, b any) any  { return r.plus(a, b) }
func (r *sums) Times(a, b any) any { return r.times(a, b) }
func (r *sums) IsZero(a any) bool  { return r.isZero(a) }

// TypeName returns the name of the ring itself, for messages.
func (r *sums) TypeName() string { return typename.Of(r.ring) }

// As says which capabilities the ring has.
func (r *sums) As(target any) bool {
	switch target := target.(type) {
	case *semiring.Lawful:
		*target = r.lawful
		return r.lawful != nil
	case *semiring.OneSided:
		*target = r.sided
		return r.sided != nil
	case *semiring.Closed[any]:
		*target = capabilities{r}
		return r.star != nil
	case *semiring.Ordered[any]:
		*target = capabilities{r}
		return r.compare != nil
	case *semiring.Metric[any]:
		*target = capabilities{r}
		return r.dist != nil
	case *semiring.Keyer[any]:
		*target = capabilities{r}
		return r.key != nil
	case *semiring.Prober[any]:
		*target = capabilities{r}
		return r.log != nil
	}
	return false
}

type capabilities struct{ *sums }

func (c capabilities) Star(a any) (any, bool)   { return c.star(a) }
func (c capabilities) Compare(a, b any) int     { return c.compare(a, b) }
func (c capabilities) Dist(a, b any) float64    { return c.dist(a, b) }
func (c capabilities) Log(a any) float64        { return c.log(a) }
func (c capabilities) FromLog(logp float64) any { return c.fromLog(logp) }

func (c capabilities) AppendKey(dst []byte, a any, delta float64) []byte {
	return c.key(dst, a, delta)
}
