package em

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// TiedGaussian is the law of several normal distributions of vectors that have separate means
// and share one covariance. Its group has Len parameters: the parameters of the Gaussian, once for
// each mean, one after the other; Part returns them. The covariance in all parts is the same.
//
// The prior of the covariance acts once, and the prior of the mean for each mean:
//
//	−½·Degrees·ln|Σ| − ½·Σⱼ Scaleⱼ·(Σ⁻¹)ⱼⱼ − ½·Weight·Σₖ (μₖ−m)ᵀΣ⁻¹(μₖ−m)
type TiedGaussian struct {
	// Gaussian is the law of each distribution.
	Gaussian Gaussian
	// Means is the number of distributions, > 0.
	Means int
}

// Len returns the number of parameters.
func (t TiedGaussian) Len() int { return t.Means * t.Gaussian.Len() }

// Part returns the part of v for distribution k; v holds parameters or counts of the group.
func (t TiedGaussian) Part(v []float64, k int) []float64 {
	n := t.Gaussian.Len()
	return v[k*n : (k+1)*n : (k+1)*n]
}

// one returns the law of distribution k: only distribution 0 has the prior of the covariance.
func (t TiedGaussian) one(k int) Gaussian {
	g := t.Gaussian
	if k > 0 {
		g.Prior.Scale, g.Prior.Degrees = nil, 0
	}
	return g
}

// Start sets the starts of the Gaussian.
func (t TiedGaussian) Start(theta []float64) {
	for k := range t.Means {
		t.Gaussian.Start(t.Part(theta, k))
	}
}

// Random draws the means.
func (t TiedGaussian) Random(theta []float64, src rand.Source) {
	for k := range t.Means {
		t.Gaussian.Random(t.Part(theta, k), src)
	}
}

// Check requires parts that are valid for the Gaussian, with the same covariance.
func (t TiedGaussian) Check(theta []float64) error {
	if t.Means < 1 {
		return fmt.Errorf("%d means, want at least 1", t.Means)
	}
	if err := t.Gaussian.check(); err != nil {
		return err
	}
	if len(theta) != t.Len() {
		return fmt.Errorf("%d parameters, want %d", len(theta), t.Len())
	}
	for k := range t.Means {
		if err := t.Gaussian.Check(t.Part(theta, k)); err != nil {
			return nested.Errorf("distribution %d: %w", k, err)
		}
		if !slices.Equal(t.covariance(theta, k), t.covariance(theta, 0)) {
			return fmt.Errorf("the covariances of distributions 0 and %d differ, want one for all", k)
		}
	}
	return nil
}

// covariance returns the triangles of distribution k.
func (t TiedGaussian) covariance(theta []float64, k int) []float64 {
	return t.Part(theta, k)[1+t.Gaussian.Size():]
}

// SetDensity writes distribution k to theta as Gaussian.SetDensity does, and its covariance to all
// parts.
func (t TiedGaussian) SetDensity(theta []float64, k int, mean []float64, covariance mat.Symmetric) error {
	if err := t.Gaussian.SetDensity(t.Part(theta, k), mean, covariance); err != nil {
		return err
	}
	for other := range t.Means {
		copy(t.covariance(theta, other), t.covariance(theta, k))
	}
	return nil
}

// Values sets NaN: the parameters are not factors of weights.
func (t TiedGaussian) Values(values []semiring.ScaledFloat, theta []float64) {
	t.Gaussian.Values(values, theta)
}

// Score returns the expected log density of the data with these counts.
func (t TiedGaussian) Score(theta, counts []float64) float64 {
	sum := 0.0
	for k := range t.Means {
		sum += t.Gaussian.Score(t.Part(theta, k), t.Part(counts, k))
	}
	return sum
}

// LogPrior is the log density of the prior.
func (t TiedGaussian) LogPrior(theta []float64) float64 {
	sum := 0.0
	for k := range t.Means {
		sum += t.one(k).LogPrior(t.Part(theta, k))
	}
	return sum
}

// AddPrior adds the pseudo-observations of the priors.
func (t TiedGaussian) AddPrior(counts, theta []float64) {
	for k := range t.Means {
		t.one(k).AddPrior(t.Part(counts, k), t.Part(theta, k))
	}
}

// AddPriorTangent adds the change of AddPrior's terms.
func (t TiedGaussian) AddPriorTangent(dcounts, theta, dx []float64) {
	for k := range t.Means {
		t.one(k).AddPriorTangent(t.Part(dcounts, k), t.Part(theta, k), t.coordinates(dx, k))
	}
}

// Maximize sets the means, and the covariance of all observations around their means. It returns
// the errors of Gaussian.Maximize.
func (t TiedGaussian) Maximize(theta, counts []float64) error {
	full := slices.Clone(counts)
	sum := 0.0
	for k := range t.Means {
		g, part := t.one(k), t.Part(theta, k)
		if err := g.maximizeMean(part, t.Part(counts, k)); err != nil {
			return err
		}
		g.AddPrior(t.Part(full, k), part)
		sum += t.Part(full, k)[0]
	}
	if sum == 0 {
		return nil
	}
	for _, b := range t.Gaussian.blocks() {
		scatter, squares := mat.NewDense(b.N, b.N, nil), make([]float64, b.N)
		for k := range t.Means {
			s := b.Moments(t.Part(full, k))
			scatter.Add(scatter, s.Scatter(t.Gaussian.mean(t.Part(theta, k), b)))
			for i := range squares {
				squares[i] += s.Second.At(i, i)
			}
		}
		if err := t.Gaussian.maximizeCovariance(t.Part(theta, 0), b, scatter, squares, sum); err != nil {
			return err
		}
	}
	for k := range t.Means {
		copy(t.covariance(theta, k), t.covariance(theta, 0))
	}
	return nil
}

// Bounded returns an error for counts from which Maximize has no mode.
func (t TiedGaussian) Bounded(theta, counts []float64) error { return bounded(t, theta, counts) }

// Remarks names the components whose variances are at their floor.
func (t TiedGaussian) Remarks(theta []float64) []string { return t.Gaussian.Remarks(t.Part(theta, 0)) }

// floored implements constrained.
func (t TiedGaussian) floored() bool { return t.Gaussian.floored() }

// Dim returns the number of entries of the means and the covariance.
func (t TiedGaussian) Dim([]float64) int {
	return (t.Means-1)*t.Gaussian.Size() + t.Gaussian.Len() - 1
}

// coordinates returns the coordinates of distribution k: its mean and the triangles.
func (t TiedGaussian) coordinates(x []float64, k int) []float64 {
	d := t.Gaussian.Size()
	return slices.Concat(x[k*d:(k+1)*d], x[t.Means*d:])
}

// Coordinates sets the means and the triangles of Gaussian.Coordinates.
func (t TiedGaussian) Coordinates(x, theta []float64) {
	d := t.Gaussian.Size()
	one := make([]float64, t.Gaussian.Len()-1)
	for k := range t.Means {
		t.Gaussian.Coordinates(one, t.Part(theta, k))
		copy(x[k*d:], one[:d])
	}
	copy(x[t.Means*d:], one[d:])
}

// Theta inverts Coordinates.
func (t TiedGaussian) Theta(theta, x []float64) {
	for k := range t.Means {
		t.Gaussian.Theta(t.Part(theta, k), t.coordinates(x, k))
	}
}

// gather sets dx to the derivatives that of computes for each distribution. Derivatives with
// respect to the covariance are summed over all distributions.
func (t TiedGaussian) gather(dx []float64, of func(dx []float64, k int)) {
	d := t.Gaussian.Size()
	one := make([]float64, t.Gaussian.Len()-1)
	clear(dx)
	for k := range t.Means {
		of(one, k)
		copy(dx[k*d:(k+1)*d], one[:d])
		floats.Add(dx[t.Means*d:], one[d:])
	}
}

// Gradient sets the derivatives with respect to the coordinates.
func (t TiedGaussian) Gradient(dx, theta, counts []float64) {
	t.gather(dx, func(dx []float64, k int) { t.Gaussian.Gradient(dx, t.Part(theta, k), t.Part(counts, k)) })
}

// Tangent sets the changes of the coefficients of the counts in the log densities.
func (t TiedGaussian) Tangent(direction, theta, dx []float64) {
	for k := range t.Means {
		t.Gaussian.Tangent(t.Part(direction, k), t.Part(theta, k), t.coordinates(dx, k))
	}
}

// GradientTangent sets the change of Gradient.
func (t TiedGaussian) GradientTangent(ddx, theta, counts, dx, dcounts []float64) {
	t.gather(ddx, func(ddx []float64, k int) {
		t.Gaussian.GradientTangent(ddx, t.Part(theta, k), t.Part(counts, k), t.coordinates(dx, k), t.Part(dcounts, k))
	})
}
