package bayes

import (
	"fmt"
	"math"
	"math/rand/v2"

	"example.org/pathsum/semiring"
)

// logs is the law of the ln of factors of weights, which nothing estimates.
type logs struct{}

// Start sets factors of 1.
func (logs) Start(theta []float64) { clear(theta) }

// Random sets factors of 1.
func (logs) Random(theta []float64, _ rand.Source) { clear(theta) }

// Check asks for numbers that are not NaN.
func (logs) Check(theta []float64) error {
	for i, x := range theta {
		if math.IsNaN(x) {
			return fmt.Errorf("number %d is NaN", i)
		}
	}
	return nil
}

// LogPrior is 0.
func (logs) LogPrior([]float64) float64 { return 0 }

// Maximize leaves theta as it is.
func (logs) Maximize(_, _ []float64) error { return nil }

// Values sets the factors.
func (logs) Values(values []semiring.ScaledFloat, theta []float64) {
	for i, x := range theta {
		values[i] = semiring.ScaledFromLog(x)
	}
}
