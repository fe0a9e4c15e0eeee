package em

import (
	"cmp"
	"context"
	"math"
)

// Anneal is deterministic annealing (Ueda and Nakano 1998): EM at rising
// temperatures β up to Options.Temperature. At a low β the
// posteriors are flat and the objective, the free energy (1/β) Σ ln Σ pᵝ + log
// prior, has few optima; the one found is followed as β rises. The objective never
// falls at the same β; objectives at different β do not compare.
//
// Loops have more mass at a low β: where sums do not exist, β goes on to the next of its
// values, and an Event with the Step InfeasibleStep says so.
//
// A start at which the hidden choices are alike, such as the uniform one, stays so
// at every β: take a random one. It holds as many vectors as EM.
type Anneal struct {
	// From is the first β (default 0.1).
	From float64
	// Factor, > 1, is the ratio of each β to the one before (default 2).
	Factor float64
	// Iterations bounds the E steps at each β but the last (default 10). The
	// tolerance too ends them.
	Iterations int
}

// String returns "annealed EM".
func (Anneal) String() string { return "annealed EM" }

func (m Anneal) complete(o *Options) (Method, error) {
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

func (Anneal) pass(int) int { return 1 }

func (m Anneal) ascend(*trainer, *start) (ascent, error) { return &annealing{Anneal: m}, nil }

// annealing is Anneal at work.
type annealing struct {
	Anneal
	plain
	memory struct {
		Level int // of β
		Spent int // E steps at it
	}
}

func (a *annealing) state() any { return &a.memory }

// temperature returns the present β.
func (a *annealing) temperature(t *trainer) float64 {
	return min(a.From*math.Pow(a.Factor, float64(a.memory.Level)), t.opts.Temperature)
}

func (a *annealing) ask(t *trainer, s *start) []Query {
	a.plain.ask(t, s)
	a.query.Temperature = a.temperature(t)
	return []Query{a.query}
}

func (a *annealing) step(ctx context.Context, t *trainer, s *start, settled bool) (bool, error) {
	m := &a.memory
	m.Spent++
	if (settled || m.Spent >= a.Iterations) && a.relax(t, s) {
		settled = false
	}
	return a.plain.step(ctx, t, s, settled)
}

// relax goes on to the next β, if there is one.
func (a *annealing) relax(t *trainer, s *start) bool {
	if a.temperature(t) >= t.opts.Temperature {
		return false
	}
	a.memory.Level, a.memory.Spent = a.memory.Level+1, 0
	s.Base = len(s.Objective)
	return true
}
