package em

import (
	"fmt"
	"math/rand/v2"
)

// Fixed is a group whose parameters keep their values, which need not sum to
// anything. Without Values each starts at 1 (Group.SetStart may say otherwise).
type Fixed struct {
	Values []float64
}

// Start sets the values.
func (f Fixed) Start(theta []float64) {
	if f.Values != nil {
		copy(theta, f.Values)
		return
	}
	for i := range theta {
		theta[i] = 1
	}
}

// Random leaves theta as it is.
func (Fixed) Random([]float64, rand.Source) {}

// Check asks for as many Values as parameters, if there are any.
func (f Fixed) Check(theta []float64) error {
	if f.Values != nil && len(f.Values) != len(theta) {
		return fmt.Errorf("%d fixed values for %d parameters", len(f.Values), len(theta))
	}
	return nil
}

// LogPrior is 0.
func (Fixed) LogPrior([]float64) float64 { return 0 }

// Maximize leaves theta as it is.
func (Fixed) Maximize(_, _ []float64) error { return nil }

// Dim returns 0.
func (Fixed) Dim([]float64) int { return 0 }

// Coordinates has none to set.
func (Fixed) Coordinates(_, _ []float64) {}

// Theta leaves theta as it is.
func (Fixed) Theta(_, _ []float64) {}

// Gradient has none to set.
func (Fixed) Gradient(_, _, _ []float64) {}

// Tangent sets 0.
func (Fixed) Tangent(direction, _, _ []float64) { clear(direction) }

// GradientTangent has none to set.
func (Fixed) GradientTangent(_, _, _, _, _ []float64) {}
