package solve

import (
	"fmt"
	"math"
)

// radius holds bounds on the spectral radius ρ of a non-negative matrix A. By Collatz and
// Wielandt, min (A·v)ᵢ/vᵢ ≤ ρ ≤ max (A·v)ᵢ/vᵢ for every positive v. So v decides whether Σ Aⁿ
// converges: it converges if all ratios are below 1 by more than the rounding error, and diverges
// if all ratios are at least 1 up to that error.
type radius struct {
	low, high float64
	verdict   verdict
}

type verdict int8

const (
	undecided verdict = iota
	convergent
	divergent
)

// noRadius has trivial bounds.
var noRadius = radius{0, math.Inf(1), undecided}

// narrow narrows the bounds of r by the bounds of q, and takes the verdict of q.
func (r *radius) narrow(q radius) {
	r.low, r.high, r.verdict = max(r.low, q.low), min(r.high, q.high), q.verdict
}

// String returns a text with the bounds.
func (r radius) String() string {
	if r.high-r.low <= 1e-3*r.high {
		return fmt.Sprintf("the spectral radius is about %.10g", r.low+(r.high-r.low)/2)
	}
	return fmt.Sprintf("the spectral radius is between %.6g and %.6g", r.low, r.high)
}

// ratios collects bounds state by state.
type ratios struct {
	radius
	below, above bool
}

func newRatios() ratios { return ratios{radius{math.Inf(1), 0, undecided}, true, true} }

// add adds a state with self-loops of mass 1 − pivot whose other arcs have the mass rest·pivot,
// with a relative error of slack.
func (r *ratios) add(pivot, rest, slack float64) {
	mass := 1 - pivot + pivot*rest
	r.low, r.high = min(r.low, mass), max(r.high, mass)
	sure := rest * (1 + slack)
	r.below = r.below && sure < 1
	r.above = r.above && sure >= 1
}

func (r *ratios) result() radius {
	switch {
	case r.low != r.low || r.high != r.high:
		return noRadius
	case r.below:
		r.verdict = convergent
	case r.above && r.high > 0: // there was at least one state
		r.verdict = divergent
	}
	return r.radius
}

// rowRatios returns the bounds for v, and sets y to A·v. States with an empty row may have a v of
// 0 and are then not considered a part of A.
func (m *system) rowRatios(y, v []float64) radius {
	m.product(y, v)
	r := newRatios()
	for i, x := range v {
		switch {
		case x != 0:
			r.add(m.pivot[i], y[i]/x, m.slack[i])
		case m.row[i] < m.row[i+1]:
			return noRadius
		}
	}
	return r.result()
}

// columnRatios returns the bounds for v = 1 and Aᵀ.
func (m *system) columnRatios() radius {
	mass, slack := make([]float64, m.len()), make([]float64, m.len())
	begin := m.row[0]
	for i, end := range m.row[1:] {
		for n := begin; n < end; n++ {
			x := m.a[n] * m.pivot[i]
			mass[m.col[n]] += x
			slack[m.col[n]] += x*m.slack[i] + 4*rounding*mass[m.col[n]]
		}
		begin = end
	}
	r := newRatios()
	for i, x := range mass {
		switch {
		case x != 0:
			r.add(m.pivot[i], x/m.pivot[i], slack[i]/x+m.slack[i])
		case m.row[i] < m.row[i+1]:
			r.add(m.pivot[i], 0, 0)
		}
	}
	return r.result()
}

// spectralRadius bounds the spectral radius of A, which must not be negative, until it is known
// to be below 1 or not, or after about the given number of sweeps. It tries these vectors: 1, for
// Aᵀ and for A; then A·1, A²·1, …; then (1 − A)⁻¹·1; then the vectors of the inverse iteration
// v ← (σ − A)⁻¹·v with σ the upper bound, which finally converges quadratically (Noda 1971).
func (m *system) spectralRadius(sweeps int) radius {
	const powers = 24
	best := noRadius
	best.narrow(m.columnRatios())
	if best.verdict != undecided {
		return best
	}
	v, y := make([]float64, m.len()), make([]float64, m.len())
	for i := range v {
		v[i] = 1
		if m.row[i] == m.row[i+1] {
			v[i] = 0
		}
	}
	for n, gap := 0, math.Inf(1); n < powers; n++ {
		best.narrow(m.rowRatios(y, v))
		if best.verdict != undecided {
			return best
		}
		if n%4 == 3 {
			if !(best.high-best.low < gap/2) {
				break
			}
			gap = best.high - best.low
		}
		// Every part stays positive, even one that dominant parts do not feed.
		for i, x := range v {
			v[i] = max(y[i], x/16)
		}
		scaleToOne(v)
	}
	// Below 1 this decides, whether or not A is irreducible. It also decides just above 1: the
	// vector is then close to the eigenvector, with the other sign.
	one := make([]float64, m.len())
	for i := range one {
		one[i] = 1
	}
	bounds, left := m.inverseRatios(y, one, 1, sweeps/2)
	best.narrow(bounds)
	for left += sweeps / 2; left > 0 && best.verdict == undecided && m.interrupted() == nil; {
		bounds, left = m.inverseRatios(y, v, best.high, left)
		best.narrow(bounds)
	}
	return best
}

// inverseRatios replaces v by |(σ − A)⁻¹·v|, scaled, and returns the bounds for it and the number
// of sweeps left. y is scratch.
func (m *system) inverseRatios(y, v []float64, sigma float64, sweeps int) (radius, int) {
	inverse, ok := m.shifted(sigma, v)
	if !ok {
		return noRadius, 0
	}
	x, _, _, left := inverse.solve(v, sweeps)
	for i, x := range x {
		v[i] = math.Abs(x)
	}
	scaleToOne(v)
	return m.rowRatios(y, v), min(left, sweeps-1)
}

// shifted returns the system of x = (σ − A)⁻¹·v and replaces v by its right-hand side. It returns
// false if σ does not exceed the mass of a self-loop.
func (m *system) shifted(sigma float64, v []float64) (*system, bool) {
	s := *m
	s.a, s.pivot = make([]float64, len(m.a)), make([]float64, len(m.pivot))
	begin := m.row[0]
	for i, end := range m.row[1:] {
		s.pivot[i] = sigma - (1 - m.pivot[i])
		if !(s.pivot[i] > 0 && s.pivot[i] <= math.MaxFloat64) {
			return nil, false
		}
		factor := m.pivot[i] / s.pivot[i]
		for n := begin; n < end; n++ {
			s.a[n] = m.a[n] * factor
		}
		v[i] /= s.pivot[i]
		begin = end
	}
	return &s, true
}

// scaleToOne scales v to a maximum of 1.
func scaleToOne(v []float64) {
	greatest := 0.0
	for _, x := range v {
		greatest = max(greatest, x)
	}
	for i := range v {
		v[i] /= greatest
	}
}
