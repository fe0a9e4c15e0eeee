package em

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/internal/lbfgs"
)

// LBFGS follows the gradient of the objective in the coordinates of
// the laws, by limited-memory BFGS (Liu and Nocedal 1989), orthant-wise where a law
// has a Laplace prior (Andrew and Gao 2007). Each evaluation is an iteration; the
// objective of those that are accepted does not fall beyond rounding. It works for
// any Likelihood, one whose counts may be negative too; every law must be Coordinated.
//
// A parameter that is zero stays zero. One whose best value is zero goes there but
// never arrives. Where the objective rises without bound towards a θ at which it has no
// value, the best point met is returned with the Status Stalled.
type LBFGS struct {
	// Memory is the number of steps that the curvature is estimated from (default
	// 10).
	Memory int
}

// String returns "L-BFGS".
func (LBFGS) String() string { return "L-BFGS" }

func (m LBFGS) complete(*Options) (Method, error) {
	set(&m.Memory, 10)
	if m.Memory < 0 {
		return badMethod(m, "memory for %d steps", m.Memory)
	}
	return m, nil
}

func (LBFGS) pass(int) int { return 1 }

func (m LBFGS) ascend(t *trainer, s *start) (ascent, error) {
	if err := t.needsDerivatives(); err != nil {
		return nil, err
	}
	coordinates, err := t.params.Coordinates(s.Theta)
	if err != nil {
		return nil, fmt.Errorf("em: %v: %w", m, err)
	}
	return &descent{coordinates: coordinates, memory: lbfgs.New(coordinates.Of(s.Theta), coordinates.L1(), m.Memory)}, nil
}

// descent is LBFGS at work: it minimizes minus the objective.
type descent struct {
	coordinates *Coordinates
	memory      *lbfgs.State
	stalled     bool
}

func (a *descent) state() any { return a.memory }

// status is Stalled where there is more to gain than the tolerance, by the gradient and a
// curvature as large as the objective.
func (a *descent) status(t *trainer, s *start) Status {
	size := max(1, math.Abs(s.last()))
	if a.stalled && s.GradientNorm*s.GradientNorm/(2*size) > max(t.opts.Tolerance, decreaseRounding)*size {
		return Stalled
	}
	return Converged
}

func (a *descent) ask(t *trainer, s *start) []Query { return []Query{t.query(s.next())} }

func (a *descent) tell(t *trainer, s *start, found []*Expectations) (point, error) {
	p := refused
	value, gradient := math.Inf(1), make([]float64, a.coordinates.Dim())
	if found != nil {
		p = t.point(t.query(s.next()), found[0])
		a.coordinates.Gradient(gradient, s.next(), found[0].Counts)
		floats.Scale(-1, gradient)
		value = -p.objective
		for i, w := range a.memory.L1 { // which the minimizer adds itself
			value -= w * math.Abs(a.memory.Next()[i])
		}
	}
	accepted, err := a.memory.Tell(value, gradient)
	if a.stalled = errors.Is(err, lbfgs.ErrStalled); err != nil && !a.stalled {
		return p, fmt.Errorf("em: %v: %w", t.opts.Method, err)
	}
	s.GradientNorm = a.memory.Norm()
	p.step, p.period = RejectedStep, 0
	if accepted {
		p.step, p.period = GradientStep, 1
		s.Theta = slices.Clone(s.next())
	}
	s.Trial = nil
	return p, nil
}

// steep is a derivative, relative to the objective or 1, that no optimum has.
const steep = 1e-3

// step is over where the gain has become small and so, if the curvature is as
// remembered, is what is left to gain: one gain may be small by chance.
func (a *descent) step(_ context.Context, t *trainer, s *start, settled bool) (bool, error) {
	left, size := -a.memory.Slope/2, max(1, math.Abs(s.last()))
	a.stalled = a.stalled || settled && a.memory.Cut
	if a.stalled || settled && left <= t.opts.Tolerance*math.Abs(s.last()) && s.GradientNorm <= steep*size {
		return true, nil
	}
	s.Trial = a.coordinates.Theta(a.memory.Next())
	return false, nil
}
