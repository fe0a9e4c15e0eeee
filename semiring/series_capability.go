package semiring

import "fmt"

type seriesStar[W any] struct {
	ring   series[W]
	closed Closed[W]
}

func (c seriesStar[W]) Star(a Polynomial[W]) (Polynomial[W], bool) {
	base := c.ring.base
	first, ok := c.closed.Star(entry(base, a, 0))
	if !ok {
		return nil, false
	}
	return c.ring.solve(c.ring.before(a), func(m int, sum W) W {
		if m == 0 {
			return first
		}
		return base.Times(first, sum)
	}), true
}

type seriesDiv[W any] struct {
	ring    series[W]
	divider Divider[W]
	negater Negater[W]
}

// LDiv solves a ⊗ x = b: xₘ = a₀⁻¹ ⊗ (bₘ − (a₁xₘ₋₁ + … + aₘx₀)).
func (c seriesDiv[W]) LDiv(a, b Polynomial[W]) (Polynomial[W], bool) {
	base := c.ring.base
	inverse, ok := c.divider.LDiv(entry(base, a, 0), base.One())
	if !ok {
		return nil, false
	}
	return c.ring.solve(c.ring.before(a), func(m int, sum W) W {
		return base.Times(inverse, base.Plus(entry(base, b, m), c.negater.Neg(sum)))
	}), true
}

// RDiv solves x ⊗ b = a: xₘ = (aₘ − (xₘ₋₁b₁ + … + x₀bₘ)) ⊗ b₀⁻¹.
func (c seriesDiv[W]) RDiv(a, b Polynomial[W]) (Polynomial[W], bool) {
	base := c.ring.base
	inverse, ok := c.divider.RDiv(base.One(), entry(base, b, 0))
	if !ok {
		return nil, false
	}
	return c.ring.solve(c.ring.after(b), func(m int, sum W) W {
		return base.Times(base.Plus(entry(base, a, m), c.negater.Neg(sum)), inverse)
	}), true
}

type seriesNeg[W any] struct{ negater Negater[W] }

func (c seriesNeg[W]) Neg(a Polynomial[W]) Polynomial[W] { return each(a, c.negater.Neg) }

type seriesKey[W any] struct {
	ring  series[W]
	keyer Keyer[W]
}

func (c seriesKey[W]) AppendKey(dst []byte, a Polynomial[W], delta float64) []byte {
	return appendEntries(dst, c.keyer, c.ring.trim(a), delta)
}

type seriesText[W any] struct {
	ring   series[W]
	texter Texter[W]
}

func (c seriesText[W]) Format(a Polynomial[W]) string {
	return formatEntries(c.texter, c.ring.trim(a))
}

func (c seriesText[W]) Parse(s string) (Polynomial[W], error) {
	a, err := parseEntries(c.texter, s)
	if err == nil && len(a) > c.ring.n {
		err = fmt.Errorf("semiring: series of %d coefficients, want at most %d", len(a), c.ring.n)
	}
	if err != nil {
		return nil, err
	}
	return c.ring.trim(a), nil
}
