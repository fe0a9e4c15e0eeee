package semiring

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SparseVector is a vector of Sparse: component Index[i] is Value[i], all others
// are 0̄. Index is strictly increasing.
type SparseVector[W any] struct {
	Index []int32
	Value []W
}

// Sparse returns the module of vectors of which only the non-zero components are
// stored: expected counts of a few among very many parameters. Sums cost the
// number of stored components. Its Metric is the greatest distance of two
// components.
func Sparse[W any](base Semiring[W]) Module[W, SparseVector[W]] { return sparse[W]{base} }

type sparse[W any] struct{ base Semiring[W] }

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

// As answers the package's As.
func (m sparse[W]) As(target any) bool {
	switch target := target.(type) {
	case *Accumulator[W, SparseVector[W]]:
		*target = m
		return true
	case *Metric[SparseVector[W]]:
		return joinBase(m.base, target, func(c Metric[W]) Metric[SparseVector[W]] { return sparseDist[W]{m, c} })
	case *Negater[SparseVector[W]]:
		return joinBase(m.base, target, func(c Negater[W]) Negater[SparseVector[W]] { return sparseNeg[W]{m, c} })
	case *Keyer[SparseVector[W]]:
		return joinBase(m.base, target, func(c Keyer[W]) Keyer[SparseVector[W]] { return sparseKey[W]{m, c} })
	case *Texter[SparseVector[W]]:
		return joinBase(m.base, target, func(c Texter[W]) Texter[SparseVector[W]] { return sparseText[W]{m, c} })
	}
	return false
}

type sparseDist[W any] struct {
	sparse[W]
	metric Metric[W]
}

func (c sparseDist[W]) Dist(u, v SparseVector[W]) float64 {
	d := 0.0
	c.union(u, v, func(_ int32, a, b W) { d = max(d, c.metric.Dist(a, b)) })
	return d
}

type sparseNeg[W any] struct {
	sparse[W]
	negater Negater[W]
}

func (c sparseNeg[W]) Neg(v SparseVector[W]) SparseVector[W] { return c.each(v, c.negater.Neg) }

type sparseKey[W any] struct {
	sparse[W]
	keyer Keyer[W]
}

func (c sparseKey[W]) AppendKey(dst []byte, v SparseVector[W], delta float64) []byte {
	for i, index := range v.Index {
		if c.base.IsZero(v.Value[i]) {
			continue
		}
		dst = appendPart(dst, c.keyer, v.Value[i], delta)
		dst = binary.BigEndian.AppendUint32(dst, uint32(index))
	}
	return dst
}

type sparseText[W any] struct {
	sparse[W]
	texter Texter[W]
}

func (c sparseText[W]) Format(v SparseVector[W]) string {
	parts := make([]string, len(v.Index))
	for i, index := range v.Index {
		parts[i] = strconv.Itoa(int(index)) + ":" + c.texter.Format(v.Value[i])
	}
	return formatList('{', parts, '}')
}

func (c sparseText[W]) Parse(s string) (SparseVector[W], error) {
	var v SparseVector[W]
	parts, err := cutList(s, '{', '}')
	if err != nil {
		return v, err
	}
	for _, part := range parts {
		number, text, _ := strings.Cut(part, ":")
		index, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			return SparseVector[W]{}, fmt.Errorf("semiring: component %q is not of the form index:value", part)
		}
		if n := len(v.Index); n > 0 && index <= int64(v.Index[n-1]) {
			return SparseVector[W]{}, fmt.Errorf("semiring: index %d is out of order in %q", index, s)
		}
		value, err := c.texter.Parse(text)
		if err != nil {
			return SparseVector[W]{}, err
		}
		v.Index, v.Value = append(v.Index, int32(index)), append(v.Value, value)
	}
	return v, nil
}
