package semiring

import (
	"fmt"
	"slices"
)

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
// vectors. It answers for them as a ring does (see As). It may be an Accumulator.
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

// Accumulator is what a module over a commutative semiring may do besides: add in
// place. Without it an Expectation has no Kernel.
type Accumulator[W, V any] interface {
	// Clear sets *dst to the zero vector and keeps its storage.
	Clear(dst *V)
	// AddScaled adds a·v to *dst, which shares no storage with v.
	AddScaled(dst *V, a W, v V)
}

// Scalar returns the module of a ring over itself: an Expectation with it
// carries one number. It has the ring's capabilities.
func Scalar[W any](base Semiring[W]) Module[W, W] { return scalar[W]{base} }

type scalar[W any] struct{ Semiring[W] }

func (m scalar[W]) Left(a, v W) W            { return m.Times(a, v) }
func (m scalar[W]) Right(v, a W) W           { return m.Times(v, a) }
func (m scalar[W]) Clear(dst *W)             { *dst = m.Zero() }
func (m scalar[W]) AddScaled(dst *W, a, v W) { *dst = m.Plus(*dst, m.Times(a, v)) }

// As answers the package's As.
func (m scalar[W]) As(target any) bool {
	switch target := target.(type) {
	case *Metric[W]:
		return forward(m.Semiring, target)
	case *Negater[W]:
		return forward(m.Semiring, target)
	case *Keyer[W]:
		return forward(m.Semiring, target)
	case *Texter[W]:
		return forward(m.Semiring, target)
	}
	return false
}

// forward sets *target to the capability of s.
func forward[C, W any](s Semiring[W], target *C) bool {
	c, ok := As[C](s)
	*target = c
	return ok
}

// Dense returns the module of vectors of n weights, all of them stored. An empty
// slice is the zero vector too, so that a weight without a value costs nothing.
// Its Metric is the greatest distance of two components.
//
// Sparse is for vectors of few non-zero components.
func Dense[W any](base Semiring[W], n int) Module[W, []W] { return newDense(base, n) }

type dense[W any] struct {
	base Semiring[W]
	n    int
	*derived[[]W]
}

func newDense[W any](base Semiring[W], n int) dense[W] {
	m := dense[W]{base, n, new(derived[[]W])}
	m.derive()
	return m
}

func (m dense[W]) Zero() []W { return nil }

func (m dense[W]) Plus(u, v []W) []W {
	switch {
	case len(u) == 0:
		return v
	case len(v) == 0:
		return u
	}
	sum := make([]W, m.n)
	for i := range sum {
		sum[i] = m.base.Plus(u[i], v[i])
	}
	return sum
}

func (m dense[W]) Left(a W, v []W) []W {
	return m.each(v, func(x W) W { return m.base.Times(a, x) })
}

func (m dense[W]) Right(v []W, a W) []W {
	return m.each(v, func(x W) W { return m.base.Times(x, a) })
}

func (m dense[W]) each(v []W, f func(W) W) []W {
	if len(v) == 0 {
		return nil
	}
	result := make([]W, m.n)
	for i := range result {
		result[i] = f(v[i])
	}
	return result
}

func (m dense[W]) IsZero(v []W) bool {
	for _, x := range v {
		if !m.base.IsZero(x) {
			return false
		}
	}
	return true
}

func (m dense[W]) Clear(dst *[]W) { *dst = (*dst)[:0] }

func (m dense[W]) AddScaled(dst *[]W, a W, v []W) {
	if len(v) == 0 {
		return
	}
	if len(*dst) == 0 {
		*dst = slices.Grow(*dst, m.n)[:m.n]
		for i := range *dst {
			(*dst)[i] = m.base.Zero()
		}
	}
	for i, x := range v {
		(*dst)[i] = m.base.Plus((*dst)[i], m.base.Times(a, x))
	}
}

// full returns v with all its components stored.
func (m dense[W]) full(v []W) []W {
	if len(v) != 0 {
		return v
	}
	v = make([]W, m.n)
	for i := range v {
		v[i] = m.base.Zero()
	}
	return v
}

// derive sets the capabilities that the parts allow.
func (m dense[W]) derive() {
	deriveLists(m.derived, m.base)
	if negater, ok := As[Negater[W]](m.base); ok {
		m.neg = func(v []W) []W { return m.each(v, negater.Neg) }
	}
	if keyer, ok := As[Keyer[W]](m.base); ok {
		m.key = func(dst []byte, v []W, delta float64) []byte {
			return appendEntries(dst, keyer, m.full(v), delta)
		}
	}
	if texter, ok := As[Texter[W]](m.base); ok {
		m.format = func(v []W) string { return formatEntries(texter, v) }
		m.parse = func(s string) ([]W, error) { return m.parseVector(texter, s) }
	}
}

func (m dense[W]) parseVector(texter Texter[W], s string) ([]W, error) {
	v, err := parseEntries(texter, s)
	if err == nil && len(v) != 0 && len(v) != m.n {
		err = fmt.Errorf("semiring: vector of %d components, want %d", len(v), m.n)
	}
	if err != nil || len(v) == 0 {
		return nil, err
	}
	return v, nil
}

// Bilinear is a product r⊗s of a vector of module R and one of module S, a vector of
// module T: the outer product of numbers, or of vectors. All are modules of one
// commutative semiring, and the product is linear in both factors:
// (a·r)⊗s = a·(r⊗s) = r⊗(a·s), and it distributes over both additions.
type Bilinear[W, R, S, T any] interface {
	// Modules returns the modules of r, s and r⊗s.
	Modules() (Module[W, R], Module[W, S], Module[W, T])
	// AddProduct adds a·(r⊗s) to *dst, which shares no storage with r and s. It
	// uses the storage of *dst where it can.
	AddProduct(dst *T, a W, r R, s S)
}

// ScalarProduct returns ⊗ of a commutative ring as a product of its Scalar module.
func ScalarProduct[W any](base Semiring[W]) Bilinear[W, W, W, W] {
	return scalarProduct[W]{scalar[W]{base}}
}

type scalarProduct[W any] struct{ module scalar[W] }

func (p scalarProduct[W]) Modules() (r, s, t Module[W, W]) { return p.module, p.module, p.module }

func (p scalarProduct[W]) AddProduct(dst *W, a, r, s W) {
	base := p.module
	*dst = base.Plus(*dst, base.Times(base.Times(a, r), s))
}

// DenseProduct returns the outer product of Dense vectors of m and n weights of a
// commutative ring: a vector of m·n weights, in which r[i] ⊗ s[j] is component
// i·n+j, a matrix row by row.
func DenseProduct[W any](base Semiring[W], m, n int) Bilinear[W, []W, []W, []W] {
	return denseProduct[W]{newDense(base, m), newDense(base, n), newDense(base, m*n)}
}

type denseProduct[W any] struct{ r, s, t dense[W] }

func (p denseProduct[W]) Modules() (r, s, t Module[W, []W]) { return p.r, p.s, p.t }

func (p denseProduct[W]) AddProduct(dst *[]W, a W, r, s []W) {
	if len(r) == 0 || len(s) == 0 {
		return
	}
	base := p.t.base
	if len(*dst) == 0 {
		*dst = slices.Grow(*dst, p.t.n)[:p.t.n]
		for i := range *dst {
			(*dst)[i] = base.Zero()
		}
	}
	for i, x := range r {
		row := (*dst)[i*p.s.n:][:p.s.n]
		x = base.Times(a, x)
		for j, y := range s {
			row[j] = base.Plus(row[j], base.Times(x, y))
		}
	}
}
