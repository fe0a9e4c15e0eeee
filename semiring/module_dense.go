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
		return joinBase(m.base, target, func(c Metric[W]) Metric[[]W] { return listDist[[]W, W]{m.base, c} })
	case *Negater[[]W]:
		return joinBase(m.base, target, func(c Negater[W]) Negater[[]W] { return denseNeg[W]{m, c} })
	case *Keyer[[]W]:
		return joinBase(m.base, target, func(c Keyer[W]) Keyer[[]W] { return denseKey[W]{m, c} })
	case *Texter[[]W]:
		return joinBase(m.base, target, func(c Texter[W]) Texter[[]W] { return denseText[W]{m, c} })
	}
	return false
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
	return appendEntries(dst, c.keyer, c.full(v), delta)
}

type denseText[W any] struct {
	dense[W]
	texter Texter[W]
}

func (c denseText[W]) Format(v []W) string { return formatEntries(c.texter, v) }

func (c denseText[W]) Parse(s string) ([]W, error) {
	v, err := parseEntries(c.texter, s)
	if err == nil && len(v) != 0 && len(v) != c.n {
		err = fmt.Errorf("semiring: vector of %d components, want %d", len(v), c.n)
	}
	if err != nil || len(v) == 0 {
		return nil, err
	}
	return v, nil
}
