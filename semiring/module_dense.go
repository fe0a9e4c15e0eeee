package semiring

import (
	"fmt"
	"slices"
)

// Dense returns the module of vectors of n weights, all of them stored. An empty
// slice is the zero vector too, so that a weight without a value costs nothing.
// Its Metric is the greatest distance of two components.
//
// DenseScaled is the faster choice over Scaled, Sparse that for vectors of few
// non-zero components.
func Dense[W any](base Semiring[W], n int) Module[W, []W] { return dense[W]{base, n} }

type dense[W any] struct {
	base Semiring[W]
	n    int
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

// As answers the package's As.
func (m dense[W]) As(target any) bool {
	switch target := target.(type) {
	case *Accumulator[W, []W]:
		*target = m
		return true
	case *Metric[[]W]:
		c, ok := As[Metric[W]](m.base)
		*target = denseDist[W]{m, c}
		return ok
	case *Negater[[]W]:
		c, ok := As[Negater[W]](m.base)
		*target = denseNeg[W]{m, c}
		return ok
	case *Keyer[[]W]:
		c, ok := As[Keyer[W]](m.base)
		*target = denseKey[W]{m, c}
		return ok
	case *Texter[[]W]:
		c, ok := As[Texter[W]](m.base)
		*target = denseText[W]{m, c}
		return ok
	}
	return false
}

type denseDist[W any] struct {
	dense[W]
	metric Metric[W]
}

func (c denseDist[W]) Dist(u, v []W) float64 {
	u, v = c.full(u), c.full(v)
	d := 0.0
	for i := range u {
		d = max(d, c.metric.Dist(u[i], v[i]))
	}
	return d
}

type denseNeg[W any] struct {
	dense[W]
	negater Negater[W]
}

func (c denseNeg[W]) Neg(v []W) []W { return c.each(v, c.negater.Neg) }

type denseKey[W any] struct {
	dense[W]
	keyer Keyer[W]
}

func (c denseKey[W]) AppendKey(dst []byte, v []W, delta float64) []byte {
	for _, x := range c.full(v) {
		dst = appendPart(dst, c.keyer, x, delta)
	}
	return dst
}

type denseText[W any] struct {
	dense[W]
	texter Texter[W]
}

func (c denseText[W]) Format(v []W) string {
	parts := make([]string, len(v))
	for i, x := range v {
		parts[i] = c.texter.Format(x)
	}
	return formatList('[', parts, ']')
}

func (c denseText[W]) Parse(s string) ([]W, error) {
	parts, err := cutList(s, '[', ']')
	if err == nil && len(parts) != 0 && len(parts) != c.n {
		err = fmt.Errorf("semiring: vector of %d components, want %d", len(parts), c.n)
	}
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	v := make([]W, c.n)
	for i, part := range parts {
		if v[i], err = c.texter.Parse(part); err != nil {
			return nil, err
		}
	}
	return v, nil
}
