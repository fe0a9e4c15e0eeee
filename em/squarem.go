package em

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Squarem is EM with extrapolation (Varadhan and Roland 2008, scheme S3): after two
// M steps θ₀ → θ₁ → θ₂ it tries
//
//	x₀ + 2α(x₁ − x₀) + α²(x₂ − 2x₁ + x₀)   with α = |x₁ − x₀| / |x₂ − 2x₁ + x₀|
//
// where x are the coordinates of Coordinated laws; groups of other laws stay at θ₂, since
// what lies beyond need not satisfy their constraints. If the objective would drop, it
// goes on from θ₂, at the price of an E step, so the objective never falls. Where EM is
// slow it needs many times fewer E steps.
//
// Close to where a sum diverges rounding can make the objective at such a point too high,
// as the M step after it shows. SQUAREM then takes it back, and is EM from θ₂ on.
//
// It holds up to ten vectors of the length of θ: θ, the counts, the two θ before, and while it
// extrapolates the point it goes to and five of coordinates.
type Squarem struct{}

// String returns "SQUAREM".
func (Squarem) String() string { return "SQUAREM" }

func (m Squarem) complete(*Options) (Method, error) { return m, nil }

func (Squarem) pass(int) int { return 1 }

func (Squarem) ascend(t *trainer, _ *start) (ascent, error) {
	a := new(squares)
	a.memory.Longest = stretch
	return a, t.needsDerivatives()
}

// stretch is the first bound of α, and the factor by which it grows when reached and
// shrinks when too long.
const stretch = 4

// squares is Squarem at work.
type squares struct {
	plain
	memory struct {
		Before  []float64 // θ₀ if s.Theta is θ₁
		Longest float64   // α allowed
		Bounded bool      // the trial has that α
		Safe    []float64 // θ₂ if s.Theta is what was tried after it, or the M step from there
	}
	rejected bool
}

func (a *squares) state() any { return &a.memory }

func (a *squares) tell(t *trainer, s *start, found []*Expectations) (point, error) {
	a.rejected = false
	if s.Trial == nil {
		p, err := a.plain.tell(t, s, found)
		if p.objective < s.last()-decreaseRounding*(1+math.Abs(s.last())) && a.relax(t, s) {
			p.step, p.period = RejectedStep, 0
			s.Base = len(s.Objective) + 1
			a.rejected = true
		}
		a.memory.Safe = nil
		return p, err
	}
	p := refused
	if found != nil {
		p, _ = a.plain.tell(t, s, found)
		p.step, p.period = RejectedStep, 0
		if p.objective >= s.last() && len(p.skipped) == len(s.Skipped) {
			a.memory.Safe = s.Theta
			s.Theta, p.step = s.Trial, Extrapolation
		}
	}
	s.Trial = nil
	a.rejected = p.step == RejectedStep
	switch {
	case !a.memory.Bounded:
	case a.rejected:
		a.memory.Longest = max(1, a.memory.Longest/stretch)
	default:
		a.memory.Longest *= stretch
	}
	return p, nil
}

// relax takes an extrapolation back, the last one, if there is one to be taken back.
func (a *squares) relax(_ *trainer, s *start) bool {
	m := &a.memory
	if m.Safe == nil {
		return false
	}
	s.Theta, s.Base = m.Safe, len(s.Objective)
	m.Safe, m.Before, m.Longest = nil, nil, 1
	return true
}

func (a *squares) step(ctx context.Context, t *trainer, s *start, settled bool) (bool, error) {
	if a.rejected {
		return false, nil // θ₂ is waiting
	}
	first := slices.Clone(s.Theta)
	over, err := a.plain.step(ctx, t, s, settled)
	if over || err != nil {
		return over, err
	}
	if a.memory.Before == nil {
		a.memory.Before = first
		return false, nil
	}
	s.Trial = a.extrapolate(t.params, a.memory.Before, first, s.Theta)
	a.memory.Before = nil
	return false, nil
}

// extrapolate returns the θ to try after θ₀, θ₁ and θ₂, nil if there is none.
func (a *squares) extrapolate(p *Params, theta0, theta1, theta2 []float64) []float64 {
	x0, x1, x2 := p.free(theta0), p.free(theta1), p.free(theta2)
	if len(x0) != len(x1) || len(x1) != len(x2) {
		return nil // a parameter has become zero
	}
	r, v := make([]float64, len(x0)), make([]float64, len(x0))
	floats.SubTo(r, x1, x0)
	floats.SubTo(v, x2, x1)
	floats.Sub(v, r)
	alpha := floats.Norm(r, 2) / floats.Norm(v, 2)
	a.memory.Bounded = alpha >= a.memory.Longest
	alpha = min(alpha, a.memory.Longest)
	if !(alpha > 1) {
		return nil // θ₂ is as far
	}
	floats.AddScaled(x0, 2*alpha, r)
	floats.AddScaled(x0, alpha*alpha, v)
	theta := p.unfree(theta2, x0)
	if p.Check(theta) != nil {
		return nil
	}
	return theta
}
