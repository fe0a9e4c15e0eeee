package em

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em/internal/gamma"
	"example.org/pathsum/em/internal/softmax"
	"example.org/pathsum/em/internal/vector"
	"example.org/pathsum/semiring"
)

// Multinomial is a group of probabilities that sum to 1, estimated by maximum
// likelihood: θᵢ = countᵢ / Σ counts. Which arcs share a group decides what is
// normalized: all arcs and the stop weight of a state give a joint model, those
// with the same input symbol a conditional one (see cascade.Joint and cascade.Conditional).
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
	return normalize(theta, counts, func(int) float64 { return 0 })
}

// Dirichlet is a Multinomial with a Dirichlet prior, estimated by maximum
// posterior: θᵢ ∝ max(0, countᵢ + αᵢ − 1), which for α < 1 too is the optimum on
// the simplex. A parameter that has become 0 stays 0. Its density has no bound there: see
// Result.Objective. If the data need it after all, training ends with ErrUnderivable.
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

// Dim returns the number of parameters that are not zero, less one.
func (Multinomial) Dim(theta []float64) int { return softmax.Dim(theta) }

// Coordinates sets x_i = ln θ_i − ln θ_last over the parameters that are not zero,
// except the last of them.
func (Multinomial) Coordinates(x, theta []float64) { softmax.Coordinates(x, theta) }

// Theta inverts Coordinates. A probability below the range of float64 is rounded
// up into it.
func (Multinomial) Theta(theta, x []float64) { softmax.Theta(theta, x) }

// Gradient sets dx_i = count_i − θ_i·Σ counts.
func (Multinomial) Gradient(dx, theta, counts []float64) { softmax.Gradient(dx, theta, counts) }

// Tangent sets d ln θ_i = dx_i − Σ θ·dx.
func (Multinomial) Tangent(direction, theta, dx []float64) { softmax.Tangent(direction, theta, dx) }

// Hessian adds −dθ_i·Σ counts.
func (Multinomial) Hessian(ddx, theta, counts, dx []float64) {
	softmax.Hessian(ddx, theta, counts, dx)
}

// Dim is as for Multinomial.
func (d Dirichlet) Dim(theta []float64) int { return softmax.Dim(theta) }

// Coordinates is as for Multinomial.
func (d Dirichlet) Coordinates(x, theta []float64) { softmax.Coordinates(x, theta) }

// Theta is as for Multinomial.
func (d Dirichlet) Theta(theta, x []float64) { softmax.Theta(theta, x) }

// Bounded refuses a parameter with α < 1 that is not 0: its density rises without bound towards
// 0, where a coordinate never arrives.
func (d Dirichlet) Bounded(theta, _ []float64) error {
	for i, x := range theta {
		if x > 0 && d.alpha(i) < 1 {
			return fmt.Errorf("%w: the density of parameter %d under alpha = %g rises without bound as it goes to 0; EM makes it 0, or take alpha ≥ 1", ErrNoMode, i, d.alpha(i))
		}
	}
	return nil
}

// Gradient is as for Multinomial.
func (d Dirichlet) Gradient(dx, theta, counts []float64) { softmax.Gradient(dx, theta, counts) }

// Tangent is as for Multinomial.
func (d Dirichlet) Tangent(direction, theta, dx []float64) { softmax.Tangent(direction, theta, dx) }

// Hessian is as for Multinomial.
func (d Dirichlet) Hessian(ddx, theta, counts, dx []float64) {
	softmax.Hessian(ddx, theta, counts, dx)
}

// AddPrior adds α − 1. The density is over θ, so Maximize finds its mode.
func (d Dirichlet) AddPrior(counts, _ []float64) {
	for i := range counts {
		counts[i] += d.pseudo(i)
	}
}

// AddPriorTangent adds 0.
func (Dirichlet) AddPriorTangent(_, _, _ []float64) {}

// pseudo is the number of observations of parameter i that the prior amounts to.
func (d Dirichlet) pseudo(i int) float64 { return d.alpha(i) - 1 }

// Variational is a group of probabilities that sum to 1. Training finds a
// distribution over them rather than values: variational Bayes with a Dirichlet prior
// (MacKay 1997; Beal 2003, §3.4). θ are the parameters aᵢ of the approximate
// posterior, a Dirichlet too: pseudo-counts, each at least about αᵢ. A weight is
// computed with exp(E ln pᵢ) = exp(ψ(aᵢ) − ψ(Σa)), in total less than 1, and LogPrior
// is −KL(posterior ‖ prior), so the objective is a lower bound of ln P(data), the
// evidence. Params.Estimate and cascade.Instantiate use the posterior means aᵢ/Σa.
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
	v.Around(theta)
}

// Around replaces probabilities by the posterior of as many observations with these
// frequencies as there are parameters.
func (v Variational) Around(p []float64) {
	for i, x := range p {
		p[i] = v.prior().alpha(i) + x*float64(len(p))
	}
}

// leastNormal is the least pseudo-count: below it float64 loses digits.
const leastNormal = 0x1p-1022

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
	total := gamma.Digamma(vector.Sum(theta))
	for i, a := range theta {
		values[i] = semiring.ScaledFromLog(gamma.Digamma(a) - total)
	}
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
	for i, a := range theta {
		alpha := v.prior().alpha(i)
		prior += alpha
		kl += gamma.Log(alpha) - gamma.Log(a) + (a-alpha)*(gamma.Digamma(a)-psi)
	}
	return -(kl + gamma.Log(total) - gamma.Log(prior))
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

// Hessian adds the change of Gradient.
func (v Variational) Hessian(ddx, theta, counts, dx []float64) {
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
