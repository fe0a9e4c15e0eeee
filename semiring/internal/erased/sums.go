package erased

import (
	"example.org/pathsum/internal/typename"
	"example.org/pathsum/semiring"
)

// Box holds weights of type W as values of type any, which point to them. It allocates room for
// some at a time. A nil value is the zero value of W.
type Box[W any] struct {
	free []W
	zero any // of the ring of Sums, which many share
}

// room is the number of weights allocated at a time. One that is in use keeps all.
const room = 16

// Put returns w in the box. Where it is called often, to inline it would compile it as often.
//
//go:noinline
func (b *Box[W]) Put(w W) any {
	if len(b.free) == 0 {
		b.free = make([]W, room)
	}
	x := &b.free[0]
	b.free = b.free[1:]
	*x = w
	return x
}

// Replace makes w the value of *a. It may overwrite the weight there, unless that is the Zero of a
// ring, and so nobody else must have it.
//
//go:noinline
func (b *Box[W]) Replace(a *any, w W) {
	if x, ok := (*a).(*W); ok && *a != b.zero {
		*x = w
	} else {
		*a = b.Put(w)
	}
}

// In returns the weight that Put returned as a.
func In[W any](a any) (w W) {
	if x, ok := a.(*W); ok {
		w = *x
	}
	return w
}

// Sums returns ring with its weights in a box. It has those capabilities alone that a sum over
// cycles needs: Closed, Ordered, Metric, Keyer, Prober, Lawful and OneSided. It is what a caller
// compiles anew for its type of weights, and so there is little of it. Unlike Of it belongs to one
// goroutine.
func Sums[W any](ring semiring.Semiring[W], box *Box[W]) semiring.Semiring[any] {
	box.zero = box.Put(ring.Zero())
	r := &sums{
		ring: ring, zero: box.zero, one: box.Put(ring.One()),
		plus:   func(a, b any) any { return box.Put(ring.Plus(In[W](a), In[W](b))) },
		times:  func(a, b any) any { return box.Put(ring.Times(In[W](a), In[W](b))) },
		isZero: func(a any) bool { return ring.IsZero(In[W](a)) },
	}
	r.lawful, _ = semiring.As[semiring.Lawful](ring)
	r.sided, _ = semiring.As[semiring.OneSided](ring)
	if c, ok := semiring.As[semiring.Closed[W]](ring); ok {
		r.star = func(a any) (any, bool) { s, ok := c.Star(In[W](a)); return box.Put(s), ok }
	}
	if c, ok := semiring.As[semiring.Ordered[W]](ring); ok {
		r.compare = func(a, b any) int { return c.Compare(In[W](a), In[W](b)) }
	}
	if c, ok := semiring.As[semiring.Metric[W]](ring); ok {
		r.dist = func(a, b any) float64 { return c.Dist(In[W](a), In[W](b)) }
	}
	if c, ok := semiring.As[semiring.Keyer[W]](ring); ok {
		r.key = func(dst []byte, a any, delta float64) []byte { return c.AppendKey(dst, In[W](a), delta) }
	}
	if c, ok := semiring.As[semiring.Prober[W]](ring); ok {
		r.log = func(a any) float64 { return c.Log(In[W](a)) }
		r.fromLog = func(logp float64) any { return box.Put(c.FromLog(logp)) }
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
