package em

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"example.org/pathsum/semiring"
)

// Variational is a group of probabilities that sum to 1. Training finds a
// distribution over them rather than values: variational Bayes with a Dirichlet prior
// (MacKay 1997; Beal 2003, §3.4). θ are the parameters aᵢ of the approximate
// posterior, a Dirichlet too: pseudo-counts, each at least about αᵢ. A weight is
// computed with exp(E ln pᵢ) = exp(ψ(aᵢ) − ψ(Σa)), in total less than 1, and LogPrior
// is −KL(posterior ‖ prior), so the objective is a lower bound of ln P(data), the
// evidence. Params.Estimate and Instantiate use the posterior means aᵢ/Σa.
//
// A small α, however small, makes for few parameters that matter.
type Variational struct {
	// Alpha is the concentration of every parameter in the prior, > 0.
	Alpha float64
	// Alphas, if not nil, gives each parameter its own.
	Alphas []float64
}

func (v Variational) prior() Dirichlet { return Dirichlet(v) }

// Start sets the posterior of one observation of each parameter: α + 1.
func (v Variational) Start(theta []float64) {
	for i := range theta {
		theta[i] = v.prior().alpha(i) + 1
	}
}

// Random sets the posterior of as many observations as there are parameters,
// spread at random.
func (v Variational) Random(theta []float64, src rand.Source) {
	Multinomial{}.Random(theta, src)
	v.around(theta)
}

// around replaces probabilities by the posterior of as many observations with these
// frequencies as there are parameters.
func (v Variational) around(p []float64) {
	for i, x := range p {
		p[i] = v.prior().alpha(i) + x*float64(len(p))
	}
}

// Check asks for positive, finite α and pseudo-counts that are at least the least
// normal float64, 2.2e-308, so that ψ is finite.
func (v Variational) Check(theta []float64) error {
	if err := v.prior().checkAlpha(len(theta)); err != nil {
		return err
	}
	for i, a := range theta {
		if !(a >= leastNormal) {
			return fmt.Errorf("pseudo-count %d is %g, want at least %g", i, a, leastNormal)
		}
	}
	return nil
}

// Values sets exp(ψ(aᵢ) − ψ(Σa)), which does not underflow.
func (v Variational) Values(values []semiring.ScaledFloat, theta []float64) {
	total := digamma(sum(theta))
	for i, a := range theta {
		values[i] = semiring.ScaledFromLog(digamma(a) - total)
	}
}

// Estimate sets the posterior means.
func (v Variational) Estimate(values []semiring.ScaledFloat, theta []float64) {
	total := sum(theta)
	for i, a := range theta {
		values[i] = semiring.NewScaled(a / total)
	}
}

// LogPrior is −KL(Dirichlet(θ) ‖ Dirichlet(α)), constants included.
func (v Variational) LogPrior(theta []float64) float64 {
	if len(theta) == 0 {
		return 0
	}
	total, prior, kl := sum(theta), 0.0, 0.0
	psi := digamma(total)
	for i, a := range theta {
		alpha := v.prior().alpha(i)
		prior += alpha
		kl += lgamma(alpha) - lgamma(a) + (a-alpha)*(digamma(a)-psi)
	}
	return -(kl + lgamma(total) - lgamma(prior))
}

// Maximize sets θ = counts + α.
func (v Variational) Maximize(theta, counts []float64) error {
	if err := checkCounts(counts); err != nil {
		return err
	}
	for i, c := range counts {
		theta[i] = max(0, c) + v.prior().alpha(i)
	}
	return nil
}

// Dim returns the number of parameters.
func (v Variational) Dim(theta []float64) int { return len(theta) }

// Coordinates sets x_i = ln a_i.
func (v Variational) Coordinates(x, theta []float64) {
	for i, a := range theta {
		x[i] = math.Log(a)
	}
}

// Theta inverts Coordinates.
func (v Variational) Theta(theta, x []float64) {
	for i, l := range x {
		theta[i] = math.Exp(l)
	}
}

// Gradient sets aᵢ·((countᵢ + αᵢ − aᵢ)·ψ′(aᵢ) − (Σ counts + α − a)·ψ′(Σa)).
func (v Variational) Gradient(dx, theta, counts []float64) {
	excess := 0.0
	for i, a := range theta {
		dx[i] = counts[i] + v.prior().alpha(i) - a
		excess += dx[i]
	}
	total := sum(theta)
	common := excess * trigamma(total) / total
	for i, a := range theta {
		dx[i] = dx[i]*trigamma(a) - a*common
	}
}

// trigamma returns x·ψ′(x), which is 1/x for small x.
func trigamma(x float64) float64 {
	if x < 1e-100 {
		return 1 / x
	}
	return x * mathext.Zeta(2, x)
}

func lgamma(x float64) float64 {
	l, _ := math.Lgamma(x)
	return l
}

// digamma returns ψ(x), the derivative of ln Γ, for x > 0, within a few units in the
// last place of the larger of 1 and |ψ(x)|: by recurrence up to x ≥ 10, and the
// asymptotic series there (Abramowitz and Stegun 1964, 6.3.5 and 6.3.18). It is
// monotone across the seam to 1e-15, which a bound that must rise depends on.
func digamma(x float64) float64 {
	below := 0.0
	for ; x < 10; x++ {
		below += 1 / x
	}
	r := 1 / (x * x)
	series := r * (1./12 - r*(1./120-r*(1./252-r*(1./240-r*(1./132-r*(691./32760-r/12))))))
	return math.Log(x) - .5/x - series - below
}
