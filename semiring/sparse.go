package semiring

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
)

// SparseVector is a vector of Sparse: component Index[i] is Value[i], all others
// are 0̄. Index is strictly increasing.
type SparseVector[W any] struct {
	Index []int32
	Value []W
}

// Sparse returns the module of vectors that store their non-zero components only:
// expected counts of a few among very many parameters. Sums cost the number of stored
// components. Its Metric is the greatest distance of two
// components.
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

// union calls f for every index that u or v stores, in order, with the component
// of each.
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
					dst = appendPart(dst, keyer, v.Value[i], delta)
					dst = binary.BigEndian.AppendUint32(dst, uint32(index))
				}
			}
			return dst
		}
	}
	if texter, ok := As[Texter[W]](m.base); ok {
		m.format = func(v V) string {
			parts := make([]string, len(v.Index))
			for i, index := range v.Index {
				parts[i] = strconv.Itoa(int(index)) + ":" + texter.Format(v.Value[i])
			}
			return formatList('{', parts, '}')
		}
		m.parse = func(s string) (V, error) { return parseSparse(s, texter) }
	}
}

func parseSparse[W any](s string, texter Texter[W]) (SparseVector[W], error) {
	var v SparseVector[W]
	parts, err := cutList(s, '{', '}')
	if err != nil {
		return v, err
	}
	for _, part := range parts {
		number, weight, _ := strings.Cut(part, ":")
		index, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			return SparseVector[W]{}, fmt.Errorf("semiring: component %s is not of the form index:value", text.Quote(part))
		}
		if n := len(v.Index); n > 0 && index <= int64(v.Index[n-1]) {
			return SparseVector[W]{}, fmt.Errorf("semiring: index %d is out of order in %s", index, text.Quote(s))
		}
		value, err := texter.Parse(weight)
		if err != nil {
			return SparseVector[W]{}, err
		}
		v.Index, v.Value = append(v.Index, int32(index)), append(v.Value, value)
	}
	return v, nil
}
