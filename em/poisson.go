package em

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"example.org/pathsum/semiring"
)

// Poisson is the law of one Poisson distribution of numbers 0, 1, 2, …, whose probabilities
// e^(−λ)·λˣ/x! a model multiplies into its weights. Its group has two parameters, PoissonLen:
//
//	θ       1, λ ≥ 0
//	counts  Σ p, Σ p·x
//
// where p is the posterior probability that the distribution generated x. As in a Gaussian, the
// parameters are not factors of weights. Where other laws use ln value, this law uses −λ and ln λ.
//
// A mean that has become 0 stays 0 under methods that follow a gradient.
//
// Source: Johnson, Kemp and Kotz 2005.
type Poisson struct {
	// Mean is the first mean, finite and ≥ 0; 0 means 1. Random means are Mean·eᶻ, z standard
	// normal.
	Mean float64
	// Prior is the prior of the mean.
	Prior PoissonPrior
}

// PoissonPrior is a gamma prior of the mean λ, with the log density Sum·ln λ − Weight·λ. (In the
// usual notation its shape is Sum + 1 and its rate Weight.) It acts like Weight observations whose
// sum is Sum. The zero value means no prior.
type PoissonPrior struct {
	Sum, Weight float64
}

// PoissonLen is the number of parameters of a Poisson group.
const PoissonLen = 2

// AddCounts adds the counts of the observation x with probability p to counts.
func (Poisson) AddCounts(counts []float64, x int, p float64) {
	counts[0] += p
	counts[1] += p * float64(x)
}

// LogProb returns ln of the probability of x ≥ 0 at theta, a valid θ of the group, or −Inf.
func (Poisson) LogProb(theta []float64, x int) float64 {
	lambda := theta[1]
	if x == 0 {
		return -lambda
	}
	factorial, _ := math.Lgamma(float64(x) + 1)
	return float64(x)*math.Log(lambda) - lambda - factorial
}

// Sample draws a number at theta.
func (Poisson) Sample(theta []float64, src rand.Source) int {
	if theta[1] == 0 {
		return 0
	}
	return int(distuv.Poisson{Lambda: theta[1], Src: src}.Rand())
}

// Start sets Mean.
func (l Poisson) Start(theta []float64) {
	theta[0], theta[1] = 1, l.Mean
	if l.Mean == 0 {
		theta[1] = 1
	}
}

// Random draws the mean.
func (l Poisson) Random(theta []float64, src rand.Source) {
	l.Start(theta)
	theta[1] *= math.Exp(rand.New(src).NormFloat64())
}

// Check requires two parameters, 1 and a mean ≥ 0.
func (l Poisson) Check(theta []float64) error {
	for _, x := range []float64{l.Mean, l.Prior.Sum, l.Prior.Weight} {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("mean %g and prior of sum %g and weight %g, want finite numbers ≥ 0", l.Mean, l.Prior.Sum, l.Prior.Weight)
		}
	}
	switch {
	case len(theta) != PoissonLen:
		return fmt.Errorf("%d parameters, want %d", len(theta), PoissonLen)
	case theta[0] != 1:
		return fmt.Errorf("the first parameter is %g, want 1", theta[0])
	case !(theta[1] >= 0):
		return fmt.Errorf("the mean is %g, want a number ≥ 0", theta[1])
	}
	return nil
}

// Values sets NaN: the parameters are not factors of weights.
func (Poisson) Values(values []semiring.ScaledFloat, _ []float64) {
	for i := range values {
		values[i] = semiring.NewScaled(math.NaN())
	}
}

// Score returns the expected log probability of the data with these counts, without their
// factorials: counts[1]·ln λ − counts[0]·λ.
func (Poisson) Score(theta, counts []float64) float64 {
	return PoissonPrior{Sum: counts[1], Weight: counts[0]}.log(theta[1])
}

// LogPrior is Sum·ln λ − Weight·λ.
func (l Poisson) LogPrior(theta []float64) float64 { return l.Prior.log(theta[1]) }

func (p PoissonPrior) log(lambda float64) float64 {
	log := -p.Weight * lambda
	if p.Sum != 0 {
		log += p.Sum * math.Log(lambda)
	}
	return log
}

// Maximize sets the mean from the counts and the prior, (Σ p·x + Sum)/(Σ p + Weight). Its error
// wraps ErrNoMode for a sum without a weight. Without counts and prior the mean is unchanged.
func (l Poisson) Maximize(theta, counts []float64) error {
	if err := checkCounts(counts); err != nil {
		return err
	}
	sum, weight := max(0, counts[1])+l.Prior.Sum, max(0, counts[0])+l.Prior.Weight
	mean := sum / weight
	switch {
	case sum == 0 && weight == 0:
		return nil
	case math.IsInf(mean, 1):
		return fmt.Errorf("%w: a sum of %g of %g observations has no finite mean", ErrNoMode, sum, weight)
	}
	theta[1] = mean
	return nil
}

// Dim returns 1, or 0 if the mean is 0.
func (Poisson) Dim(theta []float64) int {
	if theta[1] == 0 {
		return 0
	}
	return 1
}

// Coordinates sets ln λ.
func (Poisson) Coordinates(x, theta []float64) {
	if len(x) > 0 {
		x[0] = math.Log(theta[1])
	}
}

// Theta inverts Coordinates. A mean out of the range of float64 is rounded to the nearest bound.
func (Poisson) Theta(theta, x []float64) {
	theta[0] = 1
	if len(x) > 0 {
		theta[1] = min(max(math.Exp(x[0]), math.SmallestNonzeroFloat64), math.MaxFloat64)
	}
}

// Gradient sets counts[1] − λ·counts[0].
func (Poisson) Gradient(dx, theta, counts []float64) {
	if len(dx) > 0 {
		dx[0] = counts[1] - theta[1]*counts[0]
	}
}

// Tangent sets −λ·dx and dx.
func (Poisson) Tangent(direction, theta, dx []float64) {
	clear(direction)
	if len(dx) > 0 {
		direction[0], direction[1] = -theta[1]*dx[0], dx[0]
	}
}

// GradientTangent sets the change of Gradient.
func (Poisson) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	if len(dx) > 0 {
		ddx[0] = dcounts[1] - theta[1]*(dcounts[0]+dx[0]*counts[0])
	}
}

// AddPrior adds Weight observations whose sum is Sum.
func (l Poisson) AddPrior(counts, _ []float64) {
	counts[0] += l.Prior.Weight
	counts[1] += l.Prior.Sum
}

// AddPriorTangent adds 0.
func (Poisson) AddPriorTangent(_, _, _ []float64) {}
