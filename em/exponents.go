package em

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/semiring"
)

// Exponents is a law for exponents of weights, p^x: the weight of a language model relative to a
// channel, or of a feature of a whole string. θ is the exponent x, any number. The value of the
// parameter is e^x, as cascade.Power and expr.Space.Power require; it may also be a
// factor of weights by itself, the strength of a feature.
//
// The count of a parameter is the expected factor of its exponent: Σ ln p over the
// uses of p^x, a real number. There is no M step in closed form, so train by gradient, or
// with EM of a Difference. Powers of probabilities have no fixed sum, so the objective must be
// normalized: cascade.Problem.ConditionalLikelihood, cascade.Problem.NormalizedLikelihood,
// cascade.Normalize and cascade.NormalizeConditional, or Risk. Using it as the law of
// probabilities, which sum to 1, is an error.
type Exponents struct {
	// Mean is the start of the exponents, and the mean of the prior: any finite number; the zero
	// value of the field means 1.
	Mean Multiplicity
	// Sigma is the standard deviation of a Gaussian prior of each exponent (0: none).
	Sigma float64
}

// Start sets Mean.
func (x Exponents) Start(theta []float64) {
	for i := range theta {
		theta[i] = x.Mean.Float64()
	}
}

// Random draws from the normal distribution around Mean with the standard deviation ½.
func (x Exponents) Random(theta []float64, src rand.Source) {
	rng := rand.New(src)
	for i := range theta {
		theta[i] = x.Mean.Float64() + rng.NormFloat64()/2
	}
}

// Check requires Sigma ≥ 0 and a finite mean.
func (x Exponents) Check([]float64) error {
	if m := x.Mean.Float64(); m-m != 0 {
		return fmt.Errorf("prior around %g, want a finite number", m)
	}
	if !(x.Sigma >= 0) {
		return fmt.Errorf("prior with sigma %g, want a number ≥ 0", x.Sigma)
	}
	return nil
}

// Values sets e^x.
func (Exponents) Values(values []semiring.ScaledFloat, theta []float64) {
	for i, x := range theta {
		values[i] = semiring.ScaledFromLog(x)
	}
}

// LogPrior is −Σ (x−mean)²/2σ².
func (x Exponents) LogPrior(theta []float64) float64 {
	squares := 0.0
	for _, v := range theta {
		d := v - x.Mean.Float64()
		squares += d * d
	}
	return -squares * x.precision() / 2
}

// precision returns 1/σ², or 0 without a prior.
func (x Exponents) precision() float64 {
	inv := inverse(x.Sigma)
	return inv * inv
}

// AddPrior adds (mean−x)/σ².
func (x Exponents) AddPrior(counts, theta []float64) {
	mean, precision := x.Mean.Float64(), x.precision()
	for i, v := range theta {
		counts[i] += (mean - v) * precision
	}
}

// AddPriorTangent adds −dx/σ².
func (x Exponents) AddPriorTangent(dcounts, _, dx []float64) {
	floats.AddScaled(dcounts, -x.precision(), dx)
}

// Maximize leaves exponents without counts unchanged. Other counts are an error that wraps
// ErrMethod.
func (Exponents) Maximize(_, counts []float64) error {
	for i, c := range counts {
		if c != 0 {
			return fmt.Errorf("%w: exponent %d has no M step in closed form; train by LBFGS or SGD", ErrMethod, i)
		}
	}
	return nil
}

// Dim returns the number of exponents, which are their own coordinates.
func (Exponents) Dim(theta []float64) int { return len(theta) }

// Coordinates copies theta to x.
func (Exponents) Coordinates(x, theta []float64) { copy(x, theta) }

// Theta copies x to theta.
func (Exponents) Theta(theta, x []float64) { copy(theta, x) }

// Gradient sets the counts.
func (Exponents) Gradient(dx, _, counts []float64) { copy(dx, counts) }

// Tangent sets dx.
func (Exponents) Tangent(direction, _, dx []float64) { copy(direction, dx) }

// GradientTangent sets dcounts.
func (Exponents) GradientTangent(ddx, _, _, _, dcounts []float64) { copy(ddx, dcounts) }

// inverse returns 1/x, and 0 for 0.
func inverse(x float64) float64 {
	if x == 0 {
		return 0
	}
	return 1 / x
}

// isFactor implements factors.
func (Exponents) isFactor() {}
