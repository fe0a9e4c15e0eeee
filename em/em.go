package em

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/nested"
)

// EM is plain expectation maximization: an E step over all data, then an M step
// (Dempster, Laird and Rubin 1977). The objective never falls. With a law whose
// Maximize only improves it is generalized EM, and still never falls.
//
// It holds two vectors of the length of θ, θ and the counts, in addition to the memory of the
// likelihood and of the M steps of the laws.
type EM struct{}

// String returns "EM".
func (EM) String() string { return "EM" }

// Complete implements Method.
func (m EM) Complete(*Options) (Method, error) { return m, nil }

// Pass implements Method.
func (EM) Pass(int) int { return 1 }

// Begin implements Method.
func (EM) Begin(*Trainer, *Start) (Ascent, error) { return new(plain), nil }

// plain is the Ascent of EM.
type plain struct {
	query Query
	found *Expectations
}

func (*plain) State() any { return nil }

func (a *plain) Ask(t *Trainer, s *Start) []Query {
	a.query = t.Ask(s.Next())
	return []Query{a.query}
}

func (a *plain) Tell(t *Trainer, _ *Start, found []*Expectations) (Point, error) {
	a.found = found[0]
	return t.Point(a.query, a.found), nil
}

func (a *plain) Step(ctx context.Context, t *Trainer, s *Start, settled bool) (bool, error) {
	if settled {
		return true, nil
	}
	return false, t.Maximize(ctx, s, a.query, a.found)
}

// Maximize performs the M step from s.Theta, where the E step q found e. If the likelihood has an
// M step of its own, Maximize uses it. Otherwise the laws re-estimate their groups in place, one
// after the other.
func (t *Trainer) Maximize(ctx context.Context, s *Start, q Query, e *Expectations) error {
	var theta []float64
	var err error
	m, own := t.likelihood.(maximizer)
	if own {
		theta, err = m.maximize(ctx, q, e)
	}
	for i := 0; i < len(t.params.groups) && err == nil; i++ {
		g := t.params.groups[i]
		at := g.In(s.Theta)
		if own {
			copy(at, g.In(theta))
		} else if err = g.law.Maximize(at, g.In(e.Counts)); err != nil {
			err = nested.Errorf("group %s: %w", g.name, err)
		}
	}
	if err != nil {
		return nested.Errorf("em: %v: %w", t.opts.Method, err)
	}
	return nil
}

// Anneal is deterministic annealing (Ueda and Nakano 1998): EM at rising
// temperatures β up to Options.Temperature. At a low β the
// posteriors are flat and the objective, the free energy (1/β) Σ ln Σ pᵝ + log
// prior, has few optima; EM finds one and follows it as β rises. The objective never
// falls at the same β. Objectives at different β are not comparable, and the result may be worse
// than a good start, which a low β forgets.
//
// Loops have more mass at a low β. If sums diverge, β advances to its next value, and an Event
// reports the Step InfeasibleStep. β also advances, without such an Event, if sums are so close to
// diverging that the rounding of θ moves the objective by more than the tolerance.
//
// A start at which the hidden choices are symmetric, such as the uniform one, stays symmetric
// at every β: use a random one. At a very low From any start may become symmetric. As β rises
// the choices separate again only slowly, from their remaining differences. Few
// Iterations leave larger differences, and a greater From is better. Anneal holds as many vectors
// as EM.
type Anneal struct {
	// From is the first β (default 0.1).
	From float64
	// Factor, > 1, is the ratio of each β to the one before (default 2).
	Factor float64
	// Iterations bounds the E steps at each β but the last (default 10). They also end at the
	// tolerance.
	Iterations int
}

// String returns "annealed EM".
func (Anneal) String() string { return "annealed EM" }

// Complete implements Method.
func (m Anneal) Complete(o *Options) (Method, error) {
	m.From = cmp.Or(m.From, .1)
	m.Factor = cmp.Or(m.Factor, 2)
	m.Iterations = cmp.Or(m.Iterations, 10)
	switch {
	case !(m.From > 0) || m.From > o.Temperature:
		return badMethod(m, "from temperature %g, want one in (0, %g]", m.From, o.Temperature)
	case !(m.Factor > 1) || math.IsInf(m.Factor, 1):
		return badMethod(m, "factor %g, want a finite number > 1", m.Factor)
	case m.Iterations < 0:
		return badMethod(m, "%d iterations", m.Iterations)
	}
	return m, nil
}

// Pass implements Method.
func (Anneal) Pass(int) int { return 1 }

// Begin implements Method.
func (m Anneal) Begin(*Trainer, *Start) (Ascent, error) { return &annealing{Anneal: m}, nil }

// annealing is the Ascent of Anneal.
type annealing struct {
	Anneal
	plain
	memory struct {
		Level int // of β
		Spent int // E steps at it
	}
}

func (a *annealing) State() any { return &a.memory }

// temperature returns the current β.
func (a *annealing) temperature(t *Trainer) float64 {
	return min(a.From*math.Pow(a.Factor, float64(a.memory.Level)), t.opts.Temperature)
}

func (a *annealing) Ask(t *Trainer, s *Start) []Query {
	a.plain.Ask(t, s)
	a.query.Temperature = a.temperature(t)
	return []Query{a.query}
}

func (a *annealing) Step(ctx context.Context, t *Trainer, s *Start, settled bool) (bool, error) {
	m := &a.memory
	m.Spent++
	blurred := jitter([]*Expectations{a.found}) > max(t.opts.Tolerance, decreaseRounding)*(1+math.Abs(s.Last()))
	if (settled || blurred || m.Spent >= a.Iterations) && a.Relax(t, s) {
		settled = false
	}
	return a.plain.Step(ctx, t, s, settled)
}

// Relax advances to the next β. It returns false if the current β is the last.
func (a *annealing) Relax(t *Trainer, s *Start) bool {
	if a.temperature(t) >= t.opts.Temperature {
		return false
	}
	a.memory.Level, a.memory.Spent = a.memory.Level+1, 0
	s.Base = len(s.Objective)
	return true
}

// Squarem is EM with extrapolation (Varadhan and Roland 2008, scheme S3): after two
// M steps θ₀ → θ₁ → θ₂ it tries
//
//	x₀ + 2α(x₁ − x₀) + α²(x₂ − 2x₁ + x₀)   with α = |x₁ − x₀| / |x₂ − 2x₁ + x₀|
//
// where x are the coordinates of Coordinated laws. Groups of other laws stay at θ₂, since
// points beyond it need not satisfy their constraints. Groups of a law that has its own M step
// but embeds the coordinates of another law also stay at θ₂. If the objective would drop, Squarem
// continues from θ₂, at the cost of an E step, so the objective never falls. If EM is
// slow, Squarem needs many times fewer E steps.
//
// If a sum nearly diverges, rounding can make the objective at an extrapolated point too high. The
// M step after it reveals this. Squarem then reverts the extrapolation and continues with EM
// from θ₂.
//
// It holds up to ten vectors of the length of θ: θ, the counts and the two previous θ. While it
// extrapolates, it also holds the trial point and five vectors of coordinates.
type Squarem struct{}

// String returns "SQUAREM".
func (Squarem) String() string { return "SQUAREM" }

// Complete implements Method.
func (m Squarem) Complete(*Options) (Method, error) { return m, nil }

// Pass implements Method.
func (Squarem) Pass(int) int { return 1 }

// Begin implements Method.
func (Squarem) Begin(t *Trainer, _ *Start) (Ascent, error) {
	a := &squares{laws: t.params.climbed()}
	a.memory.Longest = stretch
	return a, t.NeedsDerivatives()
}

// stretch is the first bound of α, and the factor by which the bound grows when α reaches it and
// shrinks when α is too long.
const stretch = 4

// squares is the Ascent of Squarem.
type squares struct {
	plain
	memory struct {
		Before  []float64 // θ₀ if s.Theta is θ₁
		Longest float64   // bound of α
		Bounded bool      // the trial's α is at the bound
		Safe    []float64 // θ₂ if s.Theta is the trial point after it, or the M step from there
	}
	rejected bool
	laws     []Coordinated // by which it extrapolates, Fixed for other groups
}

func (a *squares) State() any { return &a.memory }

func (a *squares) Tell(t *Trainer, s *Start, found []*Expectations) (Point, error) {
	a.rejected = false
	if s.Trial == nil {
		p, err := a.plain.Tell(t, s, found)
		if s.Rise(p) < -decreaseRounding*(1+math.Abs(s.Last())) && a.Relax(t, s) {
			p.Step, p.Period = RejectedStep, 0
			s.Base = len(s.Objective) + 1
			a.rejected = true
		}
		a.memory.Safe = nil
		return p, err
	}
	p := refused
	if found != nil {
		p, _ = a.plain.Tell(t, s, found)
		p.Step, p.Period = RejectedStep, 0
		if s.Rise(p) >= 0 && len(p.Skipped) == len(s.Skipped) {
			a.memory.Safe = s.Theta
			s.Theta, p.Step = s.Trial, Extrapolation
		}
	}
	s.Trial = nil
	a.rejected = p.Step == RejectedStep
	switch {
	case !a.memory.Bounded:
	case a.rejected:
		a.memory.Longest = max(1, a.memory.Longest/stretch)
	default:
		a.memory.Longest *= stretch
	}
	return p, nil
}

// Relax reverts the last extrapolation. It returns false if there is no extrapolation to revert.
func (a *squares) Relax(_ *Trainer, s *Start) bool {
	m := &a.memory
	if m.Safe == nil {
		return false
	}
	s.Theta, s.Base = m.Safe, len(s.Objective)
	m.Safe, m.Before, m.Longest = nil, nil, 1
	return true
}

func (a *squares) Step(ctx context.Context, t *Trainer, s *Start, settled bool) (bool, error) {
	if a.rejected {
		return false, nil // θ₂ is waiting
	}
	first := slices.Clone(s.Theta)
	over, err := a.plain.Step(ctx, t, s, settled)
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

// extrapolate returns the θ to try after θ₀, θ₁ and θ₂, or nil if no extrapolation is possible.
func (a *squares) extrapolate(p *Params, theta0, theta1, theta2 []float64) []float64 {
	c := p.coordinates(a.laws, theta2)
	x0, x1, x2 := p.coordinates(a.laws, theta0).Of(theta0), p.coordinates(a.laws, theta1).Of(theta1), c.Of(theta2)
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
	theta := c.Theta(x0)
	if p.Check(theta) != nil {
		return nil
	}
	return theta
}
