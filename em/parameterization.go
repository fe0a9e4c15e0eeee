package em

import (
	"errors"
	"math/rand/v2"

	"example.org/pathsum/semiring"
)

// ErrNoMode is wrapped by the M step's error for a posterior without a mode: a
// Dirichlet prior with every α below 1 and no count that outweighs it, or a Gaussian
// without a prior whose observations do not spread.
var ErrNoMode = errors.New("posterior has no mode")

// A Law says how the parameters of one group are constrained,
// started and re-estimated. In every method theta holds the group's θ. What the
// library passes to Check is finite, and non-negative unless the law is a Valuer.
type Law interface {
	// Start fills theta with the default start.
	Start(theta []float64)
	// Random fills theta, which holds the default start, with a random one.
	Random(theta []float64, src rand.Source)
	// Check returns an error that says why theta is not legal, or nil.
	Check(theta []float64) error
	// LogPrior returns ln of the prior density of theta up to a constant.
	LogPrior(theta []float64) float64
	// Maximize replaces theta by the maximizer of
	// Σᵢ counts[i]·ln theta[i] + LogPrior(theta). If the counts say nothing
	// (they are all zero and there is no prior) theta stays as it is.
	Maximize(theta, counts []float64) error
}

// Estimator is a Valuer with other values for the use of a trained model than for
// training it.
type Estimator interface {
	Valuer
	// Estimate fills values with those to use.
	Estimate(values []semiring.ScaledFloat, theta []float64)
}

// Valuer is a Law under which the value of a parameter, as a factor
// of a weight, is not its θ itself.
type Valuer interface {
	Law
	// Values fills values with those of the group at theta.
	Values(values []semiring.ScaledFloat, theta []float64)
}
