package lbfgs

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// ErrStalled is returned if even the direction of steepest descent does not lead to a lower
// value: the point is a minimum up to rounding, or it lies at the boundary of the domain of the
// function, or the gradient is wrong. Norm distinguishes the first case from the others.
var ErrStalled = errors.New("lbfgs: no lower value along the direction of descent")

// ErrNotFinite is returned for a first value or gradient that is not finite, and for a NaN
// gradient at a finite value. Elsewhere along a line, a value or an infinite gradient only
// means that the step is too long.
var ErrNotFinite = errors.New("lbfgs: not finite")

// State is a minimization of f(x) + Σ L1ᵢ·|xᵢ| between two evaluations of f. All fields are
// exported so that it can be stored and restored as a whole; only the methods change it.
type State struct {
	// L1 are the weights of the penalty, ≥ 0; nil means no penalty.
	L1 []float64
	// Memory bounds the number of pairs kept.
	Memory int

	// At is the best point so far, Value the objective with penalty and
	// Gradient the gradient of f there; Known is false until the first evaluation.
	At, Gradient []float64
	Value        float64
	Known        bool

	// S and Y are the latest differences of points and gradients, oldest first.
	S, Y [][]float64

	// The line search: its direction, the derivative along it at At, the step
	// being tried, the bracket of steps known to be too short and too long, and
	// the evaluations so far.
	Direction        []float64
	Slope            float64
	Step, Short, Far float64
	Trials           int
	Trial            []float64

	// Cut reports that the step to At was too short, but the longest found before steps that
	// are too long: beyond it, f has no values or jumps.
	Cut bool
}

// New returns the minimization from the point x, with the penalty weights l1 (nil: none) and
// the given memory (0: 10). It panics if l1 and x have different lengths.
func New(x, l1 []float64, memory int) *State {
	if l1 != nil && len(l1) != len(x) {
		panic("lbfgs: New: penalty of another length")
	}
	if memory == 0 {
		memory = 10
	}
	return &State{L1: l1, Memory: memory, At: append([]float64(nil), x...), Trial: append([]float64(nil), x...)}
}

// Next returns the point at which Tell expects value and gradient. It is valid until Tell and
// must not be modified.
func (s *State) Next() []float64 { return s.Trial }

// Tell takes the value and the gradient of f at Next, and reports whether that
// point has become At. The gradient is not kept.
//
// Errors: ErrStalled; ErrNotFinite at the first point, or for a gradient that is NaN at a
// point with a finite value. It panics if the gradient has a wrong length.
func (s *State) Tell(value float64, gradient []float64) (accepted bool, err error) {
	if len(gradient) != len(s.At) {
		panic("lbfgs: Tell: gradient of another length")
	}
	endless := slices.IndexFunc(gradient, func(g float64) bool { return g-g != 0 })
	switch {
	case !s.Known && value-value != 0:
		return false, fmt.Errorf("%w: the value at the start is %g", ErrNotFinite, value)
	case endless >= 0 && value-value == 0 && (!s.Known || slices.ContainsFunc(gradient, math.IsNaN)):
		return false, fmt.Errorf("%w: component %d of the gradient is %g", ErrNotFinite, endless, gradient[endless])
	case endless >= 0:
		value = math.Inf(1)
	}
	value += s.penalty(s.Trial)
	if !s.Known {
		s.Gradient = append([]float64(nil), gradient...)
		s.Value, s.Known = value, true
		return true, s.turn()
	}
	s.Trials++
	switch v := s.judge(value, gradient); {
	case v == tooFar:
		s.Far = s.Step
	case v == tooShort && s.Trials >= maxTrials && !(value < s.Value-rounding*math.Abs(s.Value)):
		s.Short = 0 // lower only because of rounding
	case v == tooShort && (s.Trials < maxDoublings || !math.IsInf(s.Far, 1) && s.Trials < maxTrials):
		s.Short = s.Step
	default:
		s.Cut = s.Trials >= maxTrials
		s.remember(gradient)
		copy(s.At, s.Trial)
		copy(s.Gradient, gradient)
		s.Value = value
		return true, s.turn()
	}
	if s.Trials == maxTrials && s.Short > 0 {
		s.Step = s.Short // the boundary is near, and this is the best point so far
		s.try()
		return false, nil
	}
	if s.Trials >= maxTrials {
		if len(s.S) == 0 {
			return false, ErrStalled
		}
		s.S, s.Y = nil, nil // the curvature was misleading; use the gradient
		return false, s.turn()
	}
	if math.IsInf(s.Far, 1) {
		s.Step *= 2
	} else {
		s.Step = s.Short + (s.Far-s.Short)/2
	}
	s.try()
	return false, nil
}

// Norm returns the largest component, in magnitude, of the gradient of the objective at At,
// including the penalty (of the pseudo-gradient if a coordinate is 0): 0 at a minimum. It is
// +Inf before the first evaluation.
func (s *State) Norm() float64 {
	if !s.Known {
		return math.Inf(1)
	}
	return floats.Norm(s.pseudo(nil), math.Inf(1))
}

func (s *State) penalty(x []float64) float64 {
	sum := 0.0
	for i, c := range s.L1 {
		sum += c * math.Abs(x[i])
	}
	return sum
}

// pseudo stores in dst the pseudo-gradient at At: the one-sided derivatives of
// steepest descent (Andrew and Gao 2007, equation 4).
func (s *State) pseudo(dst []float64) []float64 {
	dst = append(dst[:0], s.Gradient...)
	for i, c := range s.L1 {
		switch x, g := s.At[i], s.Gradient[i]; {
		case x > 0:
			dst[i] = g + c
		case x < 0:
			dst[i] = g - c
		case g+c < 0:
			dst[i] = g + c
		case g-c > 0:
			dst[i] = g - c
		default:
			dst[i] = 0
		}
	}
	return dst
}

// remember adds the step from At to Trial to the memory if its curvature is positive. If the
// memory is full, it replaces the oldest step and reuses its storage.
func (s *State) remember(gradient []float64) {
	var ds, dy []float64
	if len(s.S) == s.Memory {
		ds, dy = s.S[0], s.Y[0]
		s.S, s.Y = append(s.S[:0], s.S[1:]...), append(s.Y[:0], s.Y[1:]...)
	} else {
		ds, dy = make([]float64, len(s.At)), make([]float64, len(s.At))
	}
	floats.SubTo(ds, s.Trial, s.At)
	floats.SubTo(dy, gradient, s.Gradient)
	if floats.Dot(ds, dy) > minCurvature*floats.Norm(ds, 2)*floats.Norm(dy, 2) {
		s.S, s.Y = append(s.S, ds), append(s.Y, dy)
	}
}

// minCurvature is the least cosine between a step and the change of the gradient along it that
// is informative about curvature.
const minCurvature = 1e-12
