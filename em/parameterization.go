package em

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// ErrNoMode is wrapped by the M step's error for a posterior without a mode: a
// Dirichlet prior with every α below 1 and no count that outweighs it.
var ErrNoMode = errors.New("posterior has no mode")

// A Parameterization says how the parameters of one group are constrained,
// started and re-estimated. In every method theta holds the group's values. The
// values that the library passes to Check are finite and non-negative.
type Parameterization interface {
	// Start fills theta with the default start.
	Start(theta []float64)
	// Random fills theta, which holds the default start, with a random one.
	Random(theta []float64, rng *rand.Rand)
	// Check returns an error that says why theta is not legal, or nil.
	Check(theta []float64) error
	// LogPrior returns ln of the prior density of theta up to a constant.
	LogPrior(theta []float64) float64
	// Maximize replaces theta by the maximizer of
	// Σᵢ counts[i]·ln theta[i] + LogPrior(theta). If the counts say nothing
	// (they are all zero and there is no prior) theta stays as it is.
	Maximize(theta, counts []float64) error
}

// Multinomial is a group of probabilities that sum to 1, estimated by maximum
// likelihood: θᵢ = countᵢ / Σ counts. Which arcs share a group decides what is
// normalized: all arcs and the stop weight of a state give a joint model, those
// with the same input symbol a conditional one (see Joint and Conditional).
type Multinomial struct{}

// Start sets the uniform distribution.
func (Multinomial) Start(theta []float64) {
	for i := range theta {
		theta[i] = 1 / float64(len(theta))
	}
}

// Random draws from the uniform distribution on the simplex, Dirichlet(1, …, 1).
func (Multinomial) Random(theta []float64, rng *rand.Rand) {
	sum := 0.0
	for i := range theta {
		theta[i] = rng.ExpFloat64()
		sum += theta[i]
	}
	for i := range theta {
		theta[i] /= sum
	}
}

// Check asks for a sum of 1 within 1e-6.
func (Multinomial) Check(theta []float64) error {
	sum := 0.0
	for _, x := range theta {
		sum += x
	}
	switch {
	case len(theta) == 0:
		return nil
	case sum == 0:
		return errors.New("all parameters are zero, want a sum of 1")
	case math.Abs(sum-1) > 1e-6:
		return fmt.Errorf("parameters sum to %.9g, want 1", sum)
	}
	return nil
}

// LogPrior is 0.
func (Multinomial) LogPrior([]float64) float64 { return 0 }

// Maximize sets the relative frequencies.
func (Multinomial) Maximize(theta, counts []float64) error {
	return normalize(theta, counts, func(int) float64 { return 0 })
}

// Dirichlet is a Multinomial with a Dirichlet prior, estimated by maximum
// posterior: θᵢ ∝ max(0, countᵢ + αᵢ − 1), which for α < 1 too is the optimum on
// the simplex.
type Dirichlet struct {
	// Alpha is the concentration of every parameter, > 0; 1 is no prior.
	Alpha float64
	// Alphas, if not nil, gives each parameter its own.
	Alphas []float64
}

func (d Dirichlet) alpha(i int) float64 {
	if d.Alphas != nil {
		return d.Alphas[i]
	}
	return d.Alpha
}

// Start sets the uniform distribution.
func (Dirichlet) Start(theta []float64) { Multinomial{}.Start(theta) }

// Random draws from the uniform distribution on the simplex.
func (Dirichlet) Random(theta []float64, rng *rand.Rand) { Multinomial{}.Random(theta, rng) }

// Check asks for a sum of 1 within 1e-6 and for positive, finite α.
func (d Dirichlet) Check(theta []float64) error {
	if d.Alphas != nil && len(d.Alphas) != len(theta) {
		return fmt.Errorf("%d values of alpha for %d parameters", len(d.Alphas), len(theta))
	}
	for i := range theta {
		if a := d.alpha(i); !(a > 0) || math.IsInf(a, 1) {
			return fmt.Errorf("alpha is %g, want a finite number > 0", a)
		}
	}
	return Multinomial{}.Check(theta)
}

// LogPrior is Σ (αᵢ − 1) ln θᵢ over the parameters that are not zero, and −Inf if
// one with αᵢ > 1 is zero. A zero where αᵢ < 1 would make the density infinite;
// leaving it out gives the density on the face of the simplex on which θ lies.
func (d Dirichlet) LogPrior(theta []float64) float64 {
	sum := 0.0
	for i, x := range theta {
		switch a := d.alpha(i); {
		case a == 1 || a < 1 && x == 0:
		default:
			sum += (a - 1) * math.Log(x)
		}
	}
	return sum
}

// Maximize sets the posterior mode; its error wraps ErrNoMode.
func (d Dirichlet) Maximize(theta, counts []float64) error {
	return normalize(theta, counts, func(i int) float64 { return d.alpha(i) - 1 })
}

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
func (Fixed) Random([]float64, *rand.Rand) {}

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

// countRounding bounds, relative to the counts of a group, how far below zero
// rounding may leave one: quotients of weights subtract expected counts.
const countRounding = 1e-9

// normalize sets theta[i] ∝ max(0, counts[i] + extra(i)).
func normalize(theta, counts []float64, extra func(i int) float64) error {
	sum, seen, least := 0.0, 0.0, 0.0
	for i, c := range counts {
		seen += math.Abs(c)
		least = min(least, c)
		sum += max(0, c+extra(i))
	}
	if seen-seen != 0 || least < -countRounding*seen {
		return fmt.Errorf("%w: counts of total %g with least %g, want finite numbers ≥ 0", ErrParameter, seen, least)
	}
	if sum == 0 {
		if seen > 0 {
			return fmt.Errorf("%w: no count exceeds 1 − α", ErrNoMode)
		}
		return nil
	}
	for i, c := range counts {
		theta[i] = max(0, c+extra(i)) / sum
	}
	return nil
}
