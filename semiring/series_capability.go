package semiring

import "fmt"

type seriesStar[W any] struct {
	ring   series[W]
	closed Closed[W]
}

func (c seriesStar[W]) Star(a Polynomial[W]) (Polynomial[W], bool) {
	first, ok := c.closed.Star(c.ring.at(a, 0))
	if !ok {
		return nil, false
	}
	return c.ring.solve(c.ring.before(a), func(m int, sum W) W {
		if m == 0 {
			return first
		}
		return c.ring.base.Times(first, sum)
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
	inverse, ok := c.divider.LDiv(c.ring.at(a, 0), base.One())
	if !ok {
		return nil, false
	}
	return c.ring.solve(c.ring.before(a), func(m int, sum W) W {
		return base.Times(inverse, base.Plus(c.ring.at(b, m), c.negater.Neg(sum)))
	}), true
}

// RDiv solves x ⊗ b = a: xₘ = (aₘ − (xₘ₋₁b₁ + … + x₀bₘ)) ⊗ b₀⁻¹.
func (c seriesDiv[W]) RDiv(a, b Polynomial[W]) (Polynomial[W], bool) {
	base := c.ring.base
	inverse, ok := c.divider.RDiv(base.One(), c.ring.at(b, 0))
	if !ok {
		return nil, false
	}
	return c.ring.solve(c.ring.after(b), func(m int, sum W) W {
		return base.Times(base.Plus(c.ring.at(a, m), c.negater.Neg(sum)), inverse)
	}), true
}

type seriesNeg[W any] struct{ negater Negater[W] }

func (c seriesNeg[W]) Neg(a Polynomial[W]) Polynomial[W] { return each(a, c.negater.Neg) }

type seriesReverse[W any] struct{ reverser Reverser[W] }

func (c seriesReverse[W]) Reverse(a Polynomial[W]) Polynomial[W] { return each(a, c.reverser.Reverse) }

func each[W any](a Polynomial[W], f func(W) W) Polynomial[W] {
	image := make(Polynomial[W], len(a))
	for m, c := range a {
		image[m] = f(c)
	}
	return image
}

type seriesDist[W any] struct {
	ring   series[W]
	metric Metric[W]
}

func (c seriesDist[W]) Dist(a, b Polynomial[W]) float64 {
	d := 0.0
	for m := range max(len(a), len(b)) {
		d = max(d, c.metric.Dist(c.ring.at(a, m), c.ring.at(b, m)))
	}
	return d
}

type seriesProb[W any] struct {
	ring   series[W]
	prober Prober[W]
}

func (c seriesProb[W]) FromLog(logp float64) Polynomial[W] {
	return c.ring.constant(c.prober.FromLog(logp))
}
func (c seriesProb[W]) Log(a Polynomial[W]) float64 { return c.prober.Log(c.ring.at(a, 0)) }

type seriesReader[W any] struct {
	ring series[W]
	read func(ScaledFloat) W
}

func (c seriesReader[W]) fromScaled(x ScaledFloat) Polynomial[W] { return c.ring.constant(c.read(x)) }

type seriesKey[W any] struct {
	ring  series[W]
	keyer Keyer[W]
}

func (c seriesKey[W]) AppendKey(dst []byte, a Polynomial[W], delta float64) []byte {
	for _, w := range c.ring.trim(a) {
		dst = appendPart(dst, c.keyer, w, delta)
	}
	return dst
}

type seriesText[W any] struct {
	ring   series[W]
	texter Texter[W]
}

func (c seriesText[W]) Format(a Polynomial[W]) string {
	parts := make([]string, len(c.ring.trim(a)))
	for m := range parts {
		parts[m] = c.texter.Format(a[m])
	}
	return formatList('[', parts, ']')
}

func (c seriesText[W]) Parse(s string) (Polynomial[W], error) {
	parts, err := cutList(s, '[', ']')
	if err == nil && len(parts) > c.ring.n {
		err = fmt.Errorf("semiring: series of %d coefficients, want at most %d", len(parts), c.ring.n)
	}
	if err != nil {
		return nil, err
	}
	a := make(Polynomial[W], len(parts))
	for m, part := range parts {
		if a[m], err = c.texter.Parse(part); err != nil {
			return nil, err
		}
	}
	return c.ring.trim(a), nil
}
