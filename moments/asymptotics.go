package moments

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
)

// MarginalCovariance returns the limit of n·Cov[θ̂] for n independent observations
// through c of y drawn from p_θ, where θ̂ maximizes their likelihood: the inverse of I −
// E Cov[φ(y) | o], I being Information(θ).
//
// The error wraps ErrUnidentifiable if the observations do not determine a direction of θ. It wraps
// ErrInvalid if the numbers of values of f and c differ, theta is not finite or has a wrong length,
// or a covariance is beyond the range of float64.
func (f *Family) MarginalCovariance(theta []float64, c *Channel) (*mat.SymDense, error) {
	if err := f.fits(c); err != nil {
		return nil, err
	}
	if err := f.checkTheta(theta); err != nil {
		return nil, err
	}
	p := f.Probabilities(theta)
	information := covariance(f.phi, p)
	seen, given := mat.NewSymDense(information.SymmetricDim(), nil), make([]float64, len(p))
	seen.CopySym(information)
	for o, q := range c.Output(p) {
		if q == 0 {
			continue
		}
		floats.MulTo(given, c.s.RawRowView(o), p)
		floats.Scale(1/q, given)
		part := covariance(f.phi, given)
		part.ScaleSym(-q, part)
		seen.AddSym(seen, part)
	}
	return f.invert(seen, mat.Norm(information, 2))
}

// MomentCovariance returns the limit of n·Cov[θ̂], where θ̂ is the estimate of Fit: I⁻¹ +
// I⁻¹·E[Cov[β(o) | y]]·I⁻¹. A ridge that does not grow with n, such as Fit's, does not change the
// limit. noise holds Cov[β(o) | y] for each y; for a Channel it is Noise. The error wraps
// ErrUnidentifiable if I is singular, or ErrInvalid if noise does not fit the family, or as for
// MarginalCovariance.
func (f *Family) MomentCovariance(theta []float64, noise []*mat.SymDense) (*mat.SymDense, error) {
	m, d := f.phi.Dims()
	if err := f.checkTheta(theta); err != nil {
		return nil, err
	}
	if len(noise) != m {
		return nil, invalid("the noise of %d values, want %d", len(noise), m)
	}
	mean, part := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	for y, p := range f.Probabilities(theta) {
		if n := noise[y].SymmetricDim(); n != d {
			return nil, invalid("the noise of value %d has %d statistics, want %d", y, n, d)
		}
		part.ScaleSym(p, noise[y])
		mean.AddSym(mean, part)
	}
	return f.sandwich(theta, mean)
}

// Noise returns Cov[β(o) | y] for each y, with β(o) in row o of beta, as returned by Invert. It
// panics unless beta has a row per observation.
func (c *Channel) Noise(beta *mat.Dense) []*mat.SymDense {
	_, m := c.s.Dims()
	noise := make([]*mat.SymDense, m)
	for y := range noise {
		noise[y] = covariance(beta, mat.Col(nil, y, c.s))
	}
	return noise
}

// RandomizedResponseCovariance returns MomentCovariance for RandomizedResponse(k, u) by
// its closed form, I⁻¹ + I⁻¹·H·I⁻¹ with
//
//	H = (1−k)/k²·Cov_u[φ] + (1−k)/k·E[(φ(y) − E_u φ)(φ(y) − E_u φ)ᵀ].
//
// It does not require the channel, whose size is the square of the number of values. Errors are as
// for RandomizedResponse and MomentCovariance.
func (f *Family) RandomizedResponseCovariance(theta []float64, keep float64, u []float64) (*mat.SymDense, error) {
	m, d := f.phi.Dims()
	if len(u) != m {
		return nil, invalid("randomized response with %d probabilities of %d values", len(u), m)
	}
	if err := checkResponse(keep, u); err != nil {
		return nil, err
	}
	if err := f.checkTheta(theta); err != nil {
		return nil, err
	}
	center, row := f.Mean(u), make([]float64, d)
	h := mat.NewSymDense(d, nil)
	h.ScaleSym((1-keep)/(keep*keep), covariance(f.phi, u))
	for y, p := range f.Probabilities(theta) {
		floats.SubTo(row, f.phi.RawRowView(y), center)
		h.SymRankOne(h, (1-keep)/keep*p, mat.NewVecDense(d, row))
	}
	return f.sandwich(theta, h)
}

// StandardErrors returns the standard errors of an estimate theta from n observations, and, by the
// delta method, the standard errors of Probabilities(theta). covariance is the limit of n·Cov[θ̂]
// from MomentCovariance or MarginalCovariance. The error wraps ErrInvalid for a theta or a
// covariance of a wrong size, a variance that is not a finite number ≥ 0, or an n that is not a
// finite number > 0.
func (f *Family) StandardErrors(theta []float64, covariance *mat.SymDense, n float64) (weights, probabilities []float64, err error) {
	_, d := f.phi.Dims()
	if err := f.checkTheta(theta); err != nil {
		return nil, nil, err
	}
	if size := covariance.SymmetricDim(); size != d {
		return nil, nil, invalid("the covariance of %d weights of %d statistics", size, d)
	}
	if !(n > 0) || math.IsInf(n, 1) {
		return nil, nil, invalid("%g observations, want a finite number > 0", n)
	}
	if err := f.checkCovariance(covariance); err != nil {
		return nil, nil, err
	}
	for j := range d {
		v := covariance.At(j, j)
		if v < 0 {
			return nil, nil, invalid("the variance of the weight of %s is %g", f.Name(j), v)
		}
		weights = append(weights, math.Sqrt(v/n))
	}
	p := f.Probabilities(theta)
	mean, row := f.Mean(p), mat.NewVecDense(d, nil)
	for y := range p {
		row.SubVec(f.phi.RowView(y), mat.NewVecDense(d, mean)) // the derivatives of ln p(y)
		probabilities = append(probabilities, p[y]*math.Sqrt(max(0, mat.Inner(row, covariance, row))/n))
	}
	return weights, probabilities, nil
}

// Efficiency returns tr(marginal·moment⁻¹)/d: the number of observations that maximum likelihood
// requires per observation for the moments. It is 1 if no information is lost. The error wraps
// ErrInvalid if the sizes of the covariances differ or moment has no inverse.
func Efficiency(marginal, moment *mat.SymDense) (float64, error) {
	d := moment.SymmetricDim()
	if marginal.SymmetricDim() != d {
		return 0, invalid("covariances of %d and %d parameters", marginal.SymmetricDim(), d)
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(moment) {
		return 0, invalid("a covariance that is not positive definite")
	}
	var x mat.Dense
	if err := cholesky.SolveTo(&x, marginal); err != nil {
		return 0, invalid("a covariance without an inverse: %v", err)
	}
	return mat.Trace(&x) / float64(d), nil
}

// sandwich returns I⁻¹ + I⁻¹·h·I⁻¹.
func (f *Family) sandwich(theta []float64, h *mat.SymDense) (*mat.SymDense, error) {
	information := f.Information(theta)
	inverse, err := f.invert(information, mat.Norm(information, 2))
	if err != nil {
		return nil, err
	}
	if err := f.checkCovariance(h); err != nil {
		return nil, err
	}
	var product mat.Dense
	product.Mul(inverse, h)
	product.Mul(&product, inverse)
	d := h.SymmetricDim()
	for i := range d {
		for j := range i + 1 {
			inverse.SetSym(i, j, inverse.At(i, j)+(product.At(i, j)+product.At(j, i))/2)
		}
	}
	if err := f.checkCovariance(inverse); err != nil {
		return nil, err
	}
	return inverse, nil
}

// invert returns the inverse of an information matrix. If the information in some direction is
// negligible compared with scale, the error contains the statistic with the largest component in
// that direction.
func (f *Family) invert(information *mat.SymDense, scale float64) (*mat.SymDense, error) {
	if err := f.checkCovariance(information); err != nil {
		return nil, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(information, true) {
		return nil, invalid("an information of norm %g", scale)
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	if !(values[0] > singularTolerance*scale) {
		worst := 0
		for j := range values {
			if math.Abs(vectors.At(j, 0)) > math.Abs(vectors.At(worst, 0)) {
				worst = j
			}
		}
		return nil, nested.Errorf("moments: %w: %s, along which the information is %.3g", ErrUnidentifiable, f.Name(worst), values[0])
	}
	inverse := mat.NewSymDense(len(values), nil)
	for k, v := range values {
		inverse.SymRankOne(inverse, 1/v, vectors.ColView(k))
	}
	if err := f.checkCovariance(inverse); err != nil {
		return nil, err
	}
	return inverse, nil
}

// singularTolerance is the least information, relative to the largest, that is distinguishable from
// rounding.
const singularTolerance = 1e-13

// checkTheta returns an error unless theta has a finite number for each statistic.
func (f *Family) checkTheta(theta []float64) error {
	if _, d := f.phi.Dims(); len(theta) != d {
		return invalid("%d weights of %d statistics", len(theta), d)
	}
	for j, x := range theta {
		if x-x != 0 {
			return invalid("the weight of statistic %s is %g", f.Name(j), x)
		}
	}
	return nil
}

// checkCovariance returns an error unless s is finite.
func (f *Family) checkCovariance(s *mat.SymDense) error {
	if i, j, ok := finite(s); !ok {
		return invalid("the covariance of statistics %s and %s, or of their weights, is %g", f.Name(i), f.Name(j), s.At(i, j))
	}
	return nil
}

// fits returns an error unless f has as many values as c.
func (f *Family) fits(c *Channel) error {
	m, _ := f.phi.Dims()
	if _, values := c.s.Dims(); values != m {
		return invalid("a family of %d values for a channel of %d", m, values)
	}
	return nil
}
