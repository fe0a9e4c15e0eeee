package em

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

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
func (Multinomial) Random(theta []float64, src rand.Source) {
	rng := rand.New(src)
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
	return normalize(theta, counts, noPrior)
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
func (Dirichlet) Random(theta []float64, src rand.Source) { Multinomial{}.Random(theta, src) }

// Check asks for a sum of 1 within 1e-6 and for positive, finite α.
func (d Dirichlet) Check(theta []float64) error {
	if err := d.checkAlpha(len(theta)); err != nil {
		return err
	}
	return Multinomial{}.Check(theta)
}

func (d Dirichlet) checkAlpha(n int) error {
	if d.Alphas != nil && len(d.Alphas) != n {
		return fmt.Errorf("%d values of alpha for %d parameters", len(d.Alphas), n)
	}
	for i := range n {
		if a := d.alpha(i); !(a > 0) || math.IsInf(a, 1) {
			return fmt.Errorf("alpha is %g, want a finite number > 0", a)
		}
	}
	return nil
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
	return normalize(theta, counts, d.pseudo)
}

// countRounding bounds, relative to the counts of a group, how far below zero
// rounding may leave one: quotients of weights subtract expected counts.
const countRounding = 1e-9

// checkCounts returns an error for counts that are not finite or that are negative
// by more than rounding.
func checkCounts(counts []float64) error {
	seen, least := 0.0, 0.0
	for _, c := range counts {
		seen += math.Abs(c)
		least = min(least, c)
	}
	if seen-seen != 0 || least < -countRounding*seen {
		return fmt.Errorf("%w: counts of total %g with least %g, want finite numbers ≥ 0", ErrParameter, seen, least)
	}
	return nil
}

// normalize sets theta[i] ∝ max(0, counts[i] + extra(i)).
func normalize(theta, counts []float64, extra func(i int) float64) error {
	if err := checkCounts(counts); err != nil {
		return err
	}
	sum, seen := 0.0, false
	for i, c := range counts {
		seen = seen || c != 0
		sum += max(0, c+extra(i))
	}
	if sum == 0 {
		if seen {
			return fmt.Errorf("%w: no count exceeds 1 − α", ErrNoMode)
		}
		return nil
	}
	for i, c := range counts {
		theta[i] = max(0, c+extra(i)) / sum
	}
	return nil
}
