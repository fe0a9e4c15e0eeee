package lbfgs

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	// The constants of the Wolfe conditions.
	decrease  = 1e-4
	curvature = .9
	// rounding is a value's rounding error, relative to its size.
	rounding = 1e-12
	// maxTrials is the number of evaluations after which a direction is abandoned.
	maxTrials = 60
	// After maxDoublings evaluations without one too long, a step that is too short is
	// accepted: the function may decrease in this direction without bound.
	maxDoublings = 20
)

// verdict is the result of a trial step: accepted, too short or too long.
type verdict int

const (
	right verdict = iota
	tooFar
	tooShort
)

// turn chooses a new direction at At and its first trial. At a minimum it returns ErrStalled.
func (s *State) turn() error {
	pg := s.pseudo(nil)
	s.Direction = s.descend(pg)
	s.Slope = floats.Dot(pg, s.Direction)
	if !(s.Slope < 0) && len(s.S) > 0 {
		s.S, s.Y = nil, nil
		s.Direction = s.descend(pg)
		s.Slope = floats.Dot(pg, s.Direction)
	}
	if !(s.Slope < 0) {
		return ErrStalled
	}
	s.Step, s.Short, s.Far, s.Trials = 1, 0, math.Inf(1), 0
	if len(s.S) == 0 {
		s.Step = 1 / floats.Norm(pg, 2)
	}
	s.try()
	return nil
}

// descend returns minus the remembered inverse Hessian times pg, without the components that
// would ascend (Andrew and Gao 2007, §3.2).
func (s *State) descend(pg []float64) []float64 {
	d := append([]float64(nil), pg...)
	floats.Scale(-1, d)
	m := len(s.S)
	a := make([]float64, m)
	for i := m - 1; i >= 0; i-- {
		a[i] = floats.Dot(s.S[i], d) / floats.Dot(s.S[i], s.Y[i])
		floats.AddScaled(d, -a[i], s.Y[i])
	}
	if m > 0 {
		y := s.Y[m-1]
		floats.Scale(floats.Dot(s.S[m-1], y)/floats.Dot(y, y), d)
	}
	for i := range m {
		b := floats.Dot(s.Y[i], d) / floats.Dot(s.S[i], s.Y[i])
		floats.AddScaled(d, a[i]-b, s.S[i])
	}
	for i, c := range s.L1 {
		if c > 0 && d[i]*pg[i] >= 0 {
			d[i] = 0
		}
	}
	return d
}

// try sets the trial for the current step. With a penalty it stays in the orthant of At, or, if
// a coordinate of At is 0, in the direction's orthant.
func (s *State) try() {
	floats.AddScaledTo(s.Trial, s.At, s.Step, s.Direction)
	for i, c := range s.L1 {
		if c > 0 && s.Trial[i]*s.side(i) <= 0 {
			s.Trial[i] = 0
		}
	}
}

// side returns the sign of coordinate i in the orthant of the trials, as a positive or negative
// number.
func (s *State) side(i int) float64 {
	if s.At[i] != 0 {
		return s.At[i]
	}
	return s.Direction[i]
}

// judge tests the trial by the weak Wolfe conditions, in their approximate form if rounding
// hides a decrease. With a penalty, whose derivative jumps, it tests sufficient decrease alone,
// in both forms.
func (s *State) judge(value float64, gradient []float64) verdict {
	if s.L1 != nil {
		expected, slope := 0.0, 0.0
		for i, g := range s.pseudo(nil) {
			step := s.Trial[i] - s.At[i]
			expected += g * step
			slope += (gradient[i] + math.Copysign(s.L1[i], s.side(i))) * step
		}
		if value < s.Value+decrease*expected ||
			value <= s.Value+rounding*math.Abs(s.Value) && slope <= (2*decrease-1)*expected {
			return right
		}
		return tooFar
	}
	if value-value != 0 {
		return tooFar
	}
	slope := floats.Dot(gradient, s.Direction)
	enough := value <= s.Value+decrease*s.Step*s.Slope ||
		value <= s.Value+rounding*math.Abs(s.Value) && slope <= (2*decrease-1)*s.Slope
	switch {
	case !enough:
		return tooFar
	case slope < curvature*s.Slope:
		return tooShort
	}
	return right
}
