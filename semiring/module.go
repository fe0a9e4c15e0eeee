package semiring

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// Module is a two-sided module V over a semiring W: vectors that can be added, and multiplied
// from either side by a weight a. An Expectation carries such a vector along with a probability.
//
// Addition is associative and commutative with unit Zero. The actions distribute
// over both additions, 1̄·v = v = v·1̄, (a⊗b)·v = a·(b·v), v·(a⊗b) = (v·a)·b and
// (a·v)·b = a·(v·b). Over a commutative semiring a·v = v·a. Operations do not
// modify their arguments and are safe for concurrent use.
//
// A module may have the capabilities Metric, Negater, Keyer, Textual and Ordered for its vectors,
// and answers for them as a ring does (see As). It may be an Accumulator. Ordered is a total
// order that is compatible with sums and with products by non-negative weights; KBest needs it.
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

// Accumulator is an optional interface of a module over a commutative semiring: it adds in place.
// Without it an Expectation has no Kernel.
type Accumulator[W, V any] interface {
	// Clear sets *dst to the zero vector and keeps its storage.
	Clear(dst *V)
	// AddScaled adds a·v to *dst, which shares no storage with v.
	AddScaled(dst *V, a W, v V)
}

// Scalar returns the module of a ring over itself: an Expectation with it carries one number. It
// has the ring's capabilities.
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
	case *Textual[W]:
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

// Dense returns the module of vectors of n weights, all of them stored. An empty slice is also
// the zero vector, so a weight without a value takes no storage. Its Metric is the greatest
// distance of two components.
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
	if texter, ok := As[Textual[W]](m.base); ok {
		m.format = func(v []W) string { return formatEntries(texter, v) }
		m.parse = func(s string) ([]W, error) { return m.parseVector(texter, s) }
	}
}

func (m dense[W]) parseVector(texter Textual[W], s string) ([]W, error) {
	v, err := parseEntries(texter, s)
	if err == nil && len(v) != 0 && len(v) != m.n {
		err = nested.Errorf("semiring: vector of %d components, want %d", len(v), m.n)
	}
	if err != nil || len(v) == 0 {
		return nil, err
	}
	return v, nil
}

// Bilinear is a product r⊗s of a vector of module R and a vector of module S, which is a vector
// of module T: the outer product of numbers, or of vectors. All are modules of one commutative
// semiring, and the product is linear in both factors: (a·r)⊗s = a·(r⊗s) = r⊗(a·s), and it
// distributes over both additions.
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

// SparseVector is a vector of Sparse: component Index[i] is Value[i], all others
// are 0̄. Index is strictly increasing.
type SparseVector[W any] struct {
	Index []int32
	Value []W
}

// Sparse returns the module of vectors that store only their non-zero components, such as
// expected counts of a few among very many parameters. A sum takes time proportional to the
// number of stored components. Its Metric is the greatest distance of two components.
func Sparse[W any](base Semiring[W]) Module[W, SparseVector[W]] {
	m := sparse[W]{base, new(derived[SparseVector[W]])}
	m.derive()
	return m
}

type sparse[W any] struct {
	base Semiring[W]
	*derived[SparseVector[W]]
}

func (m sparse[W]) Zero() SparseVector[W] { return SparseVector[W]{} }

func (m sparse[W]) Plus(u, v SparseVector[W]) SparseVector[W] {
	switch {
	case len(u.Index) == 0:
		return v
	case len(v.Index) == 0:
		return u
	}
	n := len(u.Index) + len(v.Index)
	sum := SparseVector[W]{make([]int32, 0, n), make([]W, 0, n)}
	m.union(u, v, func(index int32, a, b W) {
		sum.Index = append(sum.Index, index)
		sum.Value = append(sum.Value, m.base.Plus(a, b))
	})
	return sum
}

// union calls f in order for every index that u or v stores, with the components of both.
func (m sparse[W]) union(u, v SparseVector[W], f func(index int32, a, b W)) {
	zero := m.base.Zero()
	i, j := 0, 0
	for i < len(u.Index) || j < len(v.Index) {
		switch {
		case j == len(v.Index) || i < len(u.Index) && u.Index[i] < v.Index[j]:
			f(u.Index[i], u.Value[i], zero)
			i++
		case i == len(u.Index) || u.Index[i] > v.Index[j]:
			f(v.Index[j], zero, v.Value[j])
			j++
		default:
			f(u.Index[i], u.Value[i], v.Value[j])
			i++
			j++
		}
	}
}

func (m sparse[W]) Left(a W, v SparseVector[W]) SparseVector[W] {
	return m.each(v, func(x W) W { return m.base.Times(a, x) })
}

func (m sparse[W]) Right(v SparseVector[W], a W) SparseVector[W] {
	return m.each(v, func(x W) W { return m.base.Times(x, a) })
}

func (m sparse[W]) each(v SparseVector[W], f func(W) W) SparseVector[W] {
	result := SparseVector[W]{v.Index, make([]W, len(v.Value))}
	for i, x := range v.Value {
		result.Value[i] = f(x)
	}
	return result
}

func (m sparse[W]) IsZero(v SparseVector[W]) bool {
	for _, x := range v.Value {
		if !m.base.IsZero(x) {
			return false
		}
	}
	return true
}

func (m sparse[W]) Clear(dst *SparseVector[W]) {
	dst.Index, dst.Value = dst.Index[:0], dst.Value[:0]
}

func (m sparse[W]) AddScaled(dst *SparseVector[W], a W, v SparseVector[W]) {
	old := len(dst.Index)
	i, fresh := 0, 0
	for _, index := range v.Index {
		for i < old && dst.Index[i] < index {
			i++
		}
		if i == old || dst.Index[i] != index {
			fresh++
		}
	}
	dst.Index = slices.Grow(dst.Index, fresh)[:old+fresh]
	dst.Value = slices.Grow(dst.Value, fresh)[:old+fresh]
	// Merging from the end needs no second buffer.
	i = old - 1
	for j, to := len(v.Index)-1, old+fresh-1; j >= 0; to-- {
		switch index := v.Index[j]; {
		case i >= 0 && dst.Index[i] > index:
			dst.Index[to], dst.Value[to] = dst.Index[i], dst.Value[i]
			i--
			continue
		case i >= 0 && dst.Index[i] == index:
			dst.Index[to], dst.Value[to] = index, m.base.Plus(dst.Value[i], m.base.Times(a, v.Value[j]))
			i--
		default:
			dst.Index[to], dst.Value[to] = index, m.base.Times(a, v.Value[j])
		}
		j--
	}
}

// derive sets the capabilities that the parts allow.
func (m sparse[W]) derive() {
	type V = SparseVector[W]
	if metric, ok := As[Metric[W]](m.base); ok {
		m.dist = func(u, v V) float64 {
			most := 0.0
			m.union(u, v, func(_ int32, a, b W) { most = max(most, metric.Dist(a, b)) })
			return most
		}
	}
	if negater, ok := As[Negater[W]](m.base); ok {
		m.neg = func(v V) V { return m.each(v, negater.Neg) }
	}
	if keyer, ok := As[Keyer[W]](m.base); ok {
		m.key = func(dst []byte, v V, delta float64) []byte {
			for i, index := range v.Index {
				if !m.base.IsZero(v.Value[i]) {
					dst = appendItem(dst, keyer, v.Value[i], delta)
					dst = binary.BigEndian.AppendUint32(dst, uint32(index))
				}
			}
			return dst
		}
	}
	if texter, ok := As[Textual[W]](m.base); ok {
		m.format = func(v V) string {
			items := make([]string, len(v.Index))
			for i, index := range v.Index {
				items[i] = strconv.Itoa(int(index)) + ":" + texter.Format(v.Value[i])
			}
			return formatList('{', items, '}')
		}
		m.parse = func(s string) (V, error) { return parseSparse(s, texter) }
	}
}

func parseSparse[W any](s string, texter Textual[W]) (SparseVector[W], error) {
	var v SparseVector[W]
	items, err := cutList(s, '{', '}')
	if err != nil {
		return v, err
	}
	for _, item := range items {
		number, value, _ := strings.Cut(item, ":")
		index, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			return SparseVector[W]{}, nested.Errorf("semiring: component %s is not of the form index:value", text.Quote(item))
		}
		if n := len(v.Index); n > 0 && index <= int64(v.Index[n-1]) {
			return SparseVector[W]{}, nested.Errorf("semiring: index %d is out of order in %s", index, text.Quote(s))
		}
		w, err := texter.Parse(value)
		if err != nil {
			return SparseVector[W]{}, err
		}
		v.Index, v.Value = append(v.Index, int32(index)), append(v.Value, w)
	}
	return v, nil
}
