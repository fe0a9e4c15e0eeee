package em

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/gamma"
	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/semiring"
)

// Variational is the law of probabilities that sum to 1 and have a posterior distribution instead
// of values: variational Bayes with a Dirichlet prior
// (MacKay 1997; Beal 2003, §3.4). θ are the parameters aᵢ of the approximate
// posterior, which is also a Dirichlet: pseudo-counts, each at least about αᵢ. A weight is
// computed with exp(E ln pᵢ) = exp(ψ(aᵢ) − ψ(Σa)), whose sum is less than 1. LogPrior
// is −KL(posterior ‖ prior), so the objective is a lower bound of ln P(data), the
// evidence. Params.Estimate and cascade.Instantiate use the posterior means aᵢ/Σa.
//
// A small α concentrates the posterior on few parameters. α may be arbitrarily small.
type Variational struct {
	// Alpha is the concentration of every parameter in the prior, > 0.
	Alpha float64
	// Alphas, if not nil, contains the concentration of each parameter.
	Alphas []float64
}

func (v Variational) prior() Dirichlet { return Dirichlet{Alpha: v.Alpha, Alphas: v.Alphas} }

// Start sets the posterior of one observation of each parameter: α + 1.
func (v Variational) Start(theta []float64) {
	for i := range theta {
		theta[i] = v.prior().alpha(i) + 1
	}
}

// Random sets the posterior of n random observations, where n is the number of
// parameters.
func (v Variational) Random(theta []float64, src rand.Source) {
	Multinomial{}.Random(theta, src)
	v.Around(theta)
}

// Around replaces the n probabilities p by the posterior of n observations with these
// frequencies.
func (v Variational) Around(p []float64) {
	for i, x := range p {
		p[i] = v.prior().alpha(i) + x*float64(len(p))
	}
}

// leastNormal is the least pseudo-count: below it float64 loses digits.
const leastNormal = 0x1p-1022

// Check requires positive, finite α and pseudo-counts that are at least the least
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
	total := gamma.Digamma(vector.Sum(theta))
	for i, a := range theta {
		values[i] = semiring.ScaledFromLog(gamma.Digamma(a) - total)
	}
}

// logValue returns ln of value i, even if the value is out of range.
func (v Variational) logValue(theta []float64, i int) float64 {
	return gamma.Digamma(theta[i]) - gamma.Digamma(vector.Sum(theta))
}

// Estimate sets the posterior means.
func (v Variational) Estimate(values []semiring.ScaledFloat, theta []float64) {
	total := vector.Sum(theta)
	for i, a := range theta {
		values[i] = semiring.NewScaled(a / total)
	}
}

// LogPrior is −KL(Dirichlet(θ) ‖ Dirichlet(α)), constants included.
func (v Variational) LogPrior(theta []float64) float64 {
	if len(theta) == 0 {
		return 0
	}
	total, prior, kl := vector.Sum(theta), 0.0, 0.0
	psi := gamma.Digamma(total)
	large := true
	for i, a := range theta {
		alpha := v.prior().alpha(i)
		prior += alpha
		kl += gamma.Log(alpha) - gamma.Log(a) + (a-alpha)*(gamma.Digamma(a)-psi)
		large = large && min(a, alpha) >= largePrior
	}
	if !large {
		return -(kl + gamma.Log(total) - gamma.Log(prior))
	}
	// The same terms, in pairs whose logarithms do not cancel.
	kl = -gamma.Excess(prior, total)
	for i, a := range theta {
		kl += gamma.Excess(v.prior().alpha(i), a)
	}
	return -kl
}

// largePrior is the concentration from which on ln Γ is so large that its rounding would hide
// the rise of the bound.
const largePrior = 1e3

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

// Gradient sets aᵢ·(countᵢ·ψ′(aᵢ) − Σ counts·ψ′(Σa)).
func (v Variational) Gradient(dx, theta, counts []float64) {
	total := vector.Sum(theta)
	common := vector.Sum(counts) * gamma.Trigamma(total) / total
	for i, a := range theta {
		dx[i] = counts[i]*gamma.Trigamma(a) - a*common
	}
}

// Tangent sets ψ′(aᵢ)·aᵢ·dxᵢ − ψ′(Σa)·Σ a·dx.
func (v Variational) Tangent(direction, theta, dx []float64) {
	total := vector.Sum(theta)
	common := floats.Dot(theta, dx) * gamma.Trigamma(total) / total
	for i, a := range theta {
		direction[i] = gamma.Trigamma(a)*dx[i] - common
	}
}

// GradientTangent sets the change of Gradient.
func (v Variational) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	v.Gradient(ddx, theta, dcounts)
	total, sum := vector.Sum(theta), vector.Sum(counts)
	first, second := gamma.Trigamma(total), gamma.Tetragamma(total)*floats.Dot(theta, dx)/total
	for i, a := range theta {
		ddx[i] += counts[i]*(gamma.Trigamma(a)+gamma.Tetragamma(a))*dx[i] - sum*a/total*(first*dx[i]+second)
	}
}

// AddPrior adds α − a.
func (v Variational) AddPrior(counts, theta []float64) {
	for i, a := range theta {
		counts[i] = counts[i] + v.prior().alpha(i) - a
	}
}

// AddPriorTangent adds −a·dx.
func (v Variational) AddPriorTangent(dcounts, theta, dx []float64) {
	for i, a := range theta {
		dcounts[i] -= a * dx[i]
	}
}
