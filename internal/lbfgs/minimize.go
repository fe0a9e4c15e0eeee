package lbfgs

import "errors"

// Stop has the conditions that end Minimize: a gradient whose Norm is at most Gradient times
// the larger of 1 and the magnitude of the value, or the given numbers of evaluations or of
// steps to a lower point (0: no bound).
type Stop struct {
	Gradient           float64
	Evaluations, Steps int
}

// Minimize minimizes f(x) + Σ l1ᵢ·|xᵢ| from x, where eval returns f and stores its gradient. It
// returns the final state. It also ends if rounding allows no further descent. The error is an
// error of eval, or ErrNotFinite.
func Minimize(x, l1 []float64, stop Stop, eval func(gradient, x []float64) (float64, error)) (*State, error) {
	s := New(x, l1, 0)
	gradient := make([]float64, len(x))
	steps := -1 // the first point is not a step
	for n := 0; stop.Evaluations == 0 || n < stop.Evaluations; n++ {
		value, err := eval(gradient, s.Next())
		if err != nil {
			return s, err
		}
		accepted, err := s.Tell(value, gradient)
		if errors.Is(err, ErrStalled) {
			return s, nil
		}
		if err != nil {
			return s, err
		}
		if accepted {
			steps++
		}
		if stop.Steps > 0 && steps == stop.Steps {
			return s, nil
		}
		if size := max(1, s.Value, -s.Value); accepted && s.Norm() <= stop.Gradient*size {
			return s, nil
		}
	}
	return s, nil
}
