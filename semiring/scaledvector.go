package semiring

import (
	"fmt"
	"math"
	"slices"
)

// ScaledVector is a vector over Scaled that has one exponent for all components:
// component i is Mant[i] × 2^(512·Exp). The greatest |Mant[i]| is a mantissa of
// ScaledFloat, within [2^-256, 2^256); a component less than 10^-230 of it may
// lose precision or vanish. An empty Mant is the zero vector.
type ScaledVector struct {
	Mant []float64
	Exp  int64
}

// NewScaledVector returns x as a ScaledVector; it does not keep x.
func NewScaledVector(x []float64) ScaledVector {
	v := ScaledVector{Mant: slices.Clone(x)}
	v.normalize()
	return v
}

// At returns component i.
func (v ScaledVector) At(i int) ScaledFloat {
	if len(v.Mant) == 0 {
		return ScaledFloat{}
	}
	return normalize(v.Mant[i], v.Exp)
}

// DenseScaled returns the module of vectors of n components over Scaled that
// share an exponent: adding one to another is a plain loop over float64. Its
// Metric is max |u[i]−v[i]| / max(|u[i]|, |v[i]|), relative to the greatest
// component of either vector.
func DenseScaled(n int) Module[ScaledFloat, ScaledVector] { return denseScaled{n} }

type denseScaled struct{ n int }

func (m denseScaled) Zero() ScaledVector { return ScaledVector{} }

func (m denseScaled) Plus(u, v ScaledVector) ScaledVector {
	sum := m.Left(ScaledFloat{Mant: 1}, u)
	m.AddScaled(&sum, ScaledFloat{Mant: 1}, v)
	return sum
}

func (m denseScaled) Left(a ScaledFloat, v ScaledVector) ScaledVector {
	var product ScaledVector
	m.AddScaled(&product, a, v)
	return product
}

func (m denseScaled) Right(v ScaledVector, a ScaledFloat) ScaledVector { return m.Left(a, v) }

func (m denseScaled) IsZero(v ScaledVector) bool {
	for _, x := range v.Mant {
		if x != 0 {
			return false
		}
	}
	return true
}

func (m denseScaled) Clear(dst *ScaledVector) { dst.Mant, dst.Exp = dst.Mant[:0], 0 }

func (m denseScaled) AddScaled(dst *ScaledVector, a ScaledFloat, v ScaledVector) {
	if a.Mant == 0 || len(v.Mant) == 0 {
		return
	}
	factor := m.align(dst, a.Mant, a.Exp+v.Exp)
	sum := dst.Mant[:len(v.Mant)]
	for i, x := range v.Mant {
		sum[i] += factor * x
	}
	dst.normalize()
}

// align makes room in *dst for numbers × 2^(512·e), and returns factor in terms of
// the exponent that *dst has then.
func (m denseScaled) align(dst *ScaledVector, factor float64, e int64) float64 {
	if len(dst.Mant) == 0 {
		dst.Mant = slices.Grow(dst.Mant, m.n)[:m.n]
		clear(dst.Mant)
		dst.Exp = e
	}
	// Two digits below the greatest component, nothing matters to it.
	if d := dst.Exp - e; d > 0 {
		factor = shiftDigits(factor, -d)
	} else if d < 0 {
		dst.shift(e)
	}
	return factor
}

// shift changes the exponent to e without a change of the value.
func (v *ScaledVector) shift(e int64) {
	for i, x := range v.Mant {
		v.Mant[i] = shiftDigits(x, v.Exp-e)
	}
	v.Exp = e
}

// top returns the greatest |Mant[i]|, NaN if one is.
func (v ScaledVector) top() float64 {
	top := 0.0
	for _, x := range v.Mant {
		top = max(top, math.Abs(x))
	}
	return top
}

// normalize restores the invariant.
func (v *ScaledVector) normalize() {
	top := v.top()
	if top >= mantMin && top < mantMax && -maxExp <= v.Exp && v.Exp <= maxExp {
		return
	}
	if one := normalize(top, v.Exp); one.Mant == 0 {
		*v = ScaledVector{Mant: v.Mant[:0]}
	} else {
		v.shift(one.Exp)
	}
}

func (m denseScaled) Dist(u, v ScaledVector) float64 {
	if len(u.Mant) == 0 || len(v.Mant) == 0 {
		return relativeDistance(u.top(), v.top())
	}
	e := max(u.Exp, v.Exp)
	scale := max(shiftDigits(u.top(), u.Exp-e), shiftDigits(v.top(), v.Exp-e))
	difference := 0.0
	for i := range u.Mant {
		x, y := shiftDigits(u.Mant[i], u.Exp-e), shiftDigits(v.Mant[i], v.Exp-e)
		difference = max(difference, absoluteDistance(x, y))
	}
	if difference == 0 || math.IsInf(difference, 1) {
		return difference
	}
	return difference / scale
}

func (m denseScaled) Neg(v ScaledVector) ScaledVector { return m.Left(ScaledFloat{Mant: -1}, v) }

func (m denseScaled) AppendKey(dst []byte, v ScaledVector, delta float64) []byte {
	for i := range m.n {
		dst = appendPart(dst, Scaled{}, v.At(i), delta)
	}
	return dst
}

func (m denseScaled) Format(v ScaledVector) string {
	parts := make([]string, len(v.Mant))
	for i := range parts {
		parts[i] = v.At(i).String()
	}
	return formatList('[', parts, ']')
}

func (m denseScaled) Parse(s string) (ScaledVector, error) {
	parts, err := cutList(s, '[', ']')
	if err == nil && len(parts) != 0 && len(parts) != m.n {
		err = fmt.Errorf("semiring: vector of %d components, want %d", len(parts), m.n)
	}
	if err != nil {
		return ScaledVector{}, err
	}
	x := make([]ScaledFloat, len(parts))
	var top ScaledFloat
	for i, part := range parts {
		if x[i], err = ParseScaled(part); err != nil {
			return ScaledVector{}, err
		}
		if size := (ScaledFloat{math.Abs(x[i].Mant), x[i].Exp}); size.Cmp(top) > 0 {
			top = size
		}
	}
	v := ScaledVector{make([]float64, len(parts)), top.Exp}
	for i, component := range x {
		v.Mant[i] = shiftDigits(component.Mant, component.Exp-top.Exp)
	}
	v.normalize()
	return v, nil
}
