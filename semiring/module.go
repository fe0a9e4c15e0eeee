package semiring

// Module is a two-sided module V over a semiring W: vectors that can be added,
// and multiplied from either side by a weight a. It is what Expectation carries
// along with a probability.
//
// Addition is associative and commutative with unit Zero. The actions distribute
// over both additions, 1̄·v = v = v·1̄, (a⊗b)·v = a·(b·v), v·(a⊗b) = (v·a)·b and
// (a·v)·b = a·(v·b). Over a commutative semiring a·v = v·a. Operations do not
// modify their arguments and are safe for concurrent use.
//
// A module may have the capabilities Metric, Negater, Keyer and Texter of its
// vectors, and Accumulator. It answers for them as a ring does (see As).
type Module[W, V any] interface {
	// Zero returns the zero vector.
	Zero() V
	// Plus returns u + v.
	Plus(u, v V) V
	// Left returns a·v.
	Left(a W, v V) V
	// Right returns v·a.
	Right(v V, a W) V
	// IsZero reports whether v is exactly the zero vector.
	IsZero(v V) bool
}

// Accumulator is the capability of a module over a commutative semiring to add
// in place: without it an Expectation has no Kernel.
type Accumulator[W, V any] interface {
	// Clear sets *dst to the zero vector and keeps its storage.
	Clear(dst *V)
	// AddScaled adds a·v to *dst, which shares no storage with v.
	AddScaled(dst *V, a W, v V)
}

// Scalar returns the module of a ring over itself: an Expectation with it
// carries one number. Its capabilities are those of the ring.
func Scalar[W any](base Semiring[W]) Module[W, W] { return scalar[W]{base} }

type scalar[W any] struct{ base Semiring[W] }

func (m scalar[W]) Zero() W         { return m.base.Zero() }
func (m scalar[W]) Plus(u, v W) W   { return m.base.Plus(u, v) }
func (m scalar[W]) Left(a, v W) W   { return m.base.Times(a, v) }
func (m scalar[W]) Right(v, a W) W  { return m.base.Times(v, a) }
func (m scalar[W]) IsZero(v W) bool { return m.base.IsZero(v) }
func (m scalar[W]) Clear(dst *W)    { *dst = m.base.Zero() }
func (m scalar[W]) AddScaled(dst *W, a, v W) {
	*dst = m.base.Plus(*dst, m.base.Times(a, v))
}

// As answers the package's As.
func (m scalar[W]) As(target any) bool {
	switch target := target.(type) {
	case *Accumulator[W, W]:
		*target = m
		return true
	case *Metric[W]:
		return forward(m.base, target)
	case *Negater[W]:
		return forward(m.base, target)
	case *Keyer[W]:
		return forward(m.base, target)
	case *Texter[W]:
		return forward(m.base, target)
	}
	return false
}

// forward sets *target to the capability of s.
func forward[C, W any](s Semiring[W], target *C) bool {
	c, ok := As[C](s)
	*target = c
	return ok
}
