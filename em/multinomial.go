package em

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Multinomial is the law of probabilities that sum to 1, estimated by maximum
// likelihood: θᵢ = countᵢ / Σ counts. The choice of groups determines the
// normalization. A group of all arcs and the stop weight of a state gives a joint model; a group
// per input symbol gives a conditional model (see cascade.Joint and cascade.Conditional).
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

// Check requires a sum of 1 within 1e-6.
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

// lastOf returns the number of parameters that are not zero, and the index of the last of them.
func lastOf(theta []float64) (support, last int) {
	last = -1
	for i, x := range theta {
		if x > 0 {
			support++
			last = i
		}
	}
	return support, last
}

// Dim returns the number of parameters that are not zero, minus one.
func (Multinomial) Dim(theta []float64) int {
	support, _ := lastOf(theta)
	return max(0, support-1)
}

// Coordinates sets x_i = ln θ_i − ln θ_last over the parameters that are not zero,
// except the last of them.
func (Multinomial) Coordinates(x, theta []float64) {
	_, last := lastOf(theta)
	j := 0
	for i, p := range theta {
		if p > 0 && i != last {
			x[j] = math.Log(p) - math.Log(theta[last])
			j++
		}
	}
}

// Theta inverts Coordinates. A probability below the range of float64 is rounded
// up to the least positive float64, so that every parameter keeps its coordinate.
func (Multinomial) Theta(theta, x []float64) {
	_, last := lastOf(theta)
	top := 0.0
	for _, v := range x {
		top = math.Max(top, v)
	}
	j, sum := 0, 0.0
	for i, p := range theta {
		if p == 0 {
			continue
		}
		v := 0.0
		if i != last {
			v = x[j]
			j++
		}
		theta[i] = math.Max(math.Exp(v-top), math.SmallestNonzeroFloat64)
		sum += theta[i]
	}
	for i, p := range theta {
		if p > 0 {
			theta[i] = math.Max(p/sum, math.SmallestNonzeroFloat64)
		}
	}
}

// Gradient sets dx_i = count_i − θ_i·Σ counts.
func (Multinomial) Gradient(dx, theta, counts []float64) {
	sum := counted(theta, counts)
	_, last := lastOf(theta)
	j := 0
	for i, p := range theta {
		if p > 0 && i != last {
			dx[j] = counts[i] - p*sum
			j++
		}
	}
}

// counted returns the sum of counts over the parameters that are not zero.
func counted(theta, counts []float64) float64 {
	sum := 0.0
	for i, p := range theta {
		if p > 0 {
			sum += counts[i]
		}
	}
	return sum
}

// Tangent sets d ln θ_i = dx_i − Σ θ·dx.
func (Multinomial) Tangent(direction, theta, dx []float64) {
	_, last := lastOf(theta)
	j, mean := 0, 0.0
	for i, p := range theta {
		direction[i] = 0
		if p > 0 && i != last {
			direction[i] = dx[j]
			mean += p * dx[j]
			j++
		}
	}
	for i, p := range theta {
		if p > 0 {
			direction[i] -= mean
		}
	}
}

// GradientTangent sets the change of Gradient.
func (m Multinomial) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	direction := make([]float64, len(theta))
	m.Tangent(direction, theta, dx)
	sum, dsum := counted(theta, counts), counted(theta, dcounts)
	_, last := lastOf(theta)
	j := 0
	for i, p := range theta {
		if p > 0 && i != last {
			ddx[j] = dcounts[i] - p*(dsum+direction[i]*sum)
			j++
		}
	}
}

// simplex is the part of Multinomial that laws of distributions share.
type simplex = Multinomial

// Dirichlet is a Multinomial with a Dirichlet prior, estimated by maximum
// posterior: θᵢ ∝ max(0, countᵢ + αᵢ − 1). This is the optimum on
// the simplex also for α < 1. A parameter that has become 0 stays 0. Its density has no bound
// there: see Result.Objective. If the data need it later, training ends with ErrUnderivable.
type Dirichlet struct {
	simplex
	// Alpha is the concentration of every parameter, > 0; 1 means no prior.
	Alpha float64
	// Alphas, if not nil, contains the concentration of each parameter.
	Alphas []float64
}

func (d Dirichlet) alpha(i int) float64 {
	if d.Alphas != nil {
		return d.Alphas[i]
	}
	return d.Alpha
}

// Check requires a sum of 1 within 1e-6 and positive, finite α.
func (d Dirichlet) Check(theta []float64) error {
	if err := d.checkAlpha(len(theta)); err != nil {
		return err
	}
	return d.simplex.Check(theta)
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
// a parameter with αᵢ > 1 is zero. A zero with αᵢ < 1 would make the density infinite;
// leaving it out gives the density on the face of the simplex that contains θ.
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

// Maximize sets the posterior mode. Its error wraps ErrNoMode if there is no mode.
func (d Dirichlet) Maximize(theta, counts []float64) error {
	return normalize(theta, counts, d.pseudo)
}

// countRounding bounds negative counts that are due to rounding, relative to the counts of a
// group: quotients of weights subtract expected counts.
const countRounding = 1e-9

// checkCounts returns an error for counts that are not finite or that are negative
// by more than rounding.
func checkCounts(counts []float64) error {
	seen, least := 0.0, 0.0
	for _, c := range counts {
		seen += math.Abs(c)
		least = min(least, c)
	}
	switch {
	case seen-seen != 0:
		return fmt.Errorf("%w: counts of total %g, want finite numbers ≥ 0", ErrParameter, seen)
	case least < -countRounding*seen:
		return fmt.Errorf("%w: counts of total %g with least %g, want finite numbers ≥ 0: weights divide by sums of the parameters, as normalizers do; train by LBFGS or SGD, or by the Difference of two likelihoods",
			ErrParameter, seen, least)
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

// Bounded returns an error for a parameter with α < 1 that is not 0: its density rises without
// bound towards 0, which a coordinate never reaches.
func (d Dirichlet) Bounded(theta, _ []float64) error {
	for i, x := range theta {
		if x > 0 && d.alpha(i) < 1 {
			return fmt.Errorf("%w: the density of parameter %d under alpha = %g rises without bound as it goes to 0; EM makes it 0, or take alpha ≥ 1", ErrNoMode, i, d.alpha(i))
		}
	}
	return nil
}

// AddPrior adds α − 1. The density is over θ, so Maximize finds its mode.
func (d Dirichlet) AddPrior(counts, _ []float64) {
	for i := range counts {
		counts[i] += d.pseudo(i)
	}
}

// AddPriorTangent adds 0.
func (Dirichlet) AddPriorTangent(_, _, _ []float64) {}

// pseudo is the number of pseudo-observations of parameter i in the prior.
func (d Dirichlet) pseudo(i int) float64 { return d.alpha(i) - 1 }
