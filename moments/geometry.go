package moments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/simplex"
)

// Projection is the distribution r of y that explains the frequencies q of observations best. It is
// the first of two steps; the second is Fit of the statistics Family.Mean(R).
type Projection struct {
	R []float64
	// Gap is an upper bound of the difference between the divergence of q and S·R and its minimum.
	Gap        float64
	Iterations int
}

// LeastSquares returns S⁺·q, the r of least norm among those that minimize |q − S·r|². It has sum 1
// if q is S·p for a distribution p, but may have negative elements. The error wraps ErrInvalid if q
// is not a distribution of observations.
//
// For o = g(y) it is q(g(y)) divided by the number of values with the same observation, which is
// the result of Step for the uniform distribution.
func (c *Channel) LeastSquares(q []float64) ([]float64, error) {
	if err := c.checkOutput(q); err != nil {
		return nil, err
	}
	k, m := c.s.Dims()
	r := mat.NewDense(m, 1, nil)
	if err := pseudoSolve(r, c.s, mat.NewDense(k, 1, q)); err != nil {
		return nil, err
	}
	return r.RawMatrix().Data, nil
}

// Shares returns the shares of the values of y, S⁺·q, and their standard errors. Of n independent
// observations, counts[o] are o, and q is counts[o]/n. The covariance of the shares is S⁺·(diag q −
// q·qᵀ)·S⁺ᵀ/(n−1). Shares are unbiased, so a share may be negative; Project returns the nearest
// distribution. For RandomizedResponse the share of y is (q(y) − (1−k)·u(y))/k, with the standard
// error √(q(y)·(1−q(y))/(n−1))/k. It takes time cubic in the numbers of observations and values.
//
// The error wraps ErrInvalid for a wrong number of counts, a count that is not finite and ≥ 0, or
// fewer than two observations, and ErrUnidentifiable if S does not determine the shares.
func (c *Channel) Shares(counts []float64) (shares, stdErr []float64, err error) {
	k, m := c.s.Dims()
	if len(counts) != k {
		return nil, nil, invalid("%d counts of %d observations", len(counts), k)
	}
	for o, n := range counts {
		if !(n >= 0) || math.IsInf(n, 1) {
			return nil, nil, invalid("observation %d has the count %g, want a finite number ≥ 0", o, n)
		}
	}
	n := floats.Sum(counts)
	if !(n >= 2) || math.IsInf(n, 1) {
		return nil, nil, invalid("%g observations, want at least 2", n)
	}
	unit := mat.NewDiagDense(k, nil)
	for o := range k {
		unit.SetDiag(o, 1)
	}
	inverse := mat.NewDense(m, k, nil)
	if err := pseudoSolve(inverse, c.s, unit); err != nil {
		return nil, nil, err
	}
	var identity mat.Dense
	identity.Mul(inverse, c.s)
	for y := range m {
		if miss := math.Abs(identity.At(y, y) - 1); miss > residualTolerance {
			return nil, nil, nested.Errorf("moments: %w: the share of value %d, %.3g of which the observations do not determine", ErrUnidentifiable, y, miss)
		}
	}
	shares, stdErr = make([]float64, m), make([]float64, m)
	for y := range m {
		row := inverse.RawRowView(y)
		shares[y] = floats.Dot(row, counts) / n
		for o, x := range row {
			stdErr[y] += counts[o] / n * (x - shares[y]) * (x - shares[y])
		}
		stdErr[y] = math.Sqrt(stdErr[y] / (n - 1))
	}
	return shares, stdErr, nil
}

// Project returns the distribution r of least ½|q − S·r|², by accelerated projected gradients,
// until the gap is at most tolerance, for at most the given number of iterations. The error wraps
// ErrInvalid if q is not a distribution of observations.
func (c *Channel) Project(q []float64, tolerance float64, iterations int) (*Projection, error) {
	if err := c.checkOutput(q); err != nil {
		return nil, err
	}
	k, m := c.s.Dims()
	var gram mat.SymDense
	gram.SymOuterK(1, c.s.T())
	target := mat.NewVecDense(m, nil)
	target.MulVec(c.s.T(), mat.NewVecDense(k, q))
	r := uniform(m)
	s := simplex.Minimize(r, m, simplex.Stop{Gap: tolerance, Iterations: iterations}, []float64{mat.Norm(&gram, 1)}, func(g, r []float64) {
		v := mat.NewVecDense(m, g)
		v.MulVec(&gram, mat.NewVecDense(m, r))
		v.SubVec(v, target)
	})
	return &Projection{R: r, Gap: s.Gap, Iterations: s.Iterations}, nil
}

// ProjectKL returns the distribution r of least KL(q ‖ S·r), by Steps from the uniform
// distribution, until the gap is at most tolerance, for at most the given number of steps. The
// divergence is convex in r and never rises; it converges slowly if r has zeros. Errors are as for
// Step.
func (c *Channel) ProjectKL(q []float64, tolerance float64, iterations int) (*Projection, error) {
	_, m := c.s.Dims()
	p := &Projection{R: uniform(m)}
	for {
		next, err := c.Step(p.R, q)
		if err != nil {
			return nil, err
		}
		// Σ_o q(o)·S(o|y)/(S·r)(o) − 1 is minus the derivative by r(y), up to a constant; by
		// convexity its largest value bounds the possible gain.
		p.Gap = 0
		for y, x := range next {
			if p.R[y] > 0 {
				p.Gap = math.Max(p.Gap, x/p.R[y]-1)
			}
		}
		if p.Gap <= tolerance || p.Iterations == iterations {
			return p, nil
		}
		p.R = next
		p.Iterations++
	}
}

// Step makes an E step of EM: r(y)·Σ_o S(o | y)·q(o)/(S·r)(o), the mean over the observations of
// the posterior of y, if r is its prior. The error wraps ErrInvalid if q or r is not a
// distribution, or q has an observation that is impossible under r.
func (c *Channel) Step(r, q []float64) ([]float64, error) {
	if err := c.checkOutput(q); err != nil {
		return nil, err
	}
	if _, m := c.s.Dims(); len(r) != m {
		return nil, invalid("%d probabilities of %d values", len(r), m)
	}
	if err := checkDistribution(r); err != nil {
		return nil, err
	}
	ratio := c.Output(r)
	for o, x := range ratio {
		switch {
		case q[o] == 0:
			ratio[o] = 0
		case x == 0:
			return nil, invalid("observation %d was seen, but no value gives rise to it", o)
		default:
			ratio[o] = q[o] / x
		}
	}
	out := mat.NewVecDense(len(r), nil)
	out.MulVec(c.s.T(), mat.NewVecDense(len(ratio), ratio))
	next := out.RawVector().Data
	floats.Mul(next, r)
	return next, nil
}

func uniform(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	return p
}

// Margin returns (Total·θ − Σ max_y φ(x, y)·θ)/|θ|, or 0 for θ = 0. If it is positive, θ is the
// normal of a plane between Total and the statistics of all y. This proves that Total lies outside
// the marginal polytope, at a distance of at least the margin. With a ridge, even such a Total has
// an estimate. Margin takes an E step for the best y, and returns its error.
func (r *Result) Margin(ctx context.Context) (float64, error) {
	s, err := r.support(ctx)
	if err != nil {
		return 0, err
	}
	return s.margin, nil
}

// support describes the greatest statistics of any y in the direction of θ.
type support struct {
	best     *em.Expectations // nil for θ = 0
	far      float64          // the factor of θ at which the best y was computed
	norm     float64          // of θ
	margin   float64
	rounding float64 // of margin
}

// support finds the best y at a large multiple of θ, where it maximizes φ·θ whatever constants the
// weights contain.
func (r *Result) support(ctx context.Context) (s support, err error) {
	const far = 1e3
	l, size, norm := r.objective, 0.0, 0.0
	for _, g := range l.strengths {
		size = math.Max(size, floats.Norm(r.Theta[g.lo:g.hi], math.Inf(1)))
		norm = math.Hypot(norm, floats.Norm(r.Theta[g.lo:g.hi], 2))
	}
	if norm == 0 {
		return s, nil
	}
	s.far, s.norm = far/size, norm
	if s.best, err = l.best(ctx, r.Theta, s.far, r.workers); err != nil {
		return s, err
	}
	for _, g := range l.strengths {
		for i := g.lo; i < g.hi; i++ {
			s.margin += (l.total[i] - s.best.Counts[i]) * r.Theta[i] / norm
			s.rounding += marginRounding * math.Abs((math.Abs(l.total[i])+math.Abs(s.best.Counts[i]))*r.Theta[i]/norm)
		}
	}
	return s, nil
}

// marginRounding is the relative size, compared to the terms of its sum, below which a margin may
// be due to rounding.
const marginRounding = 1e-9

// largest bounds the average difference between the scores φ·θ of an example's best and worst y, in
// nats. If the difference is greater and the statistics equal the statistics of the best y, there
// is not a maximum: no data can distinguish exp(±1000) from 0 or infinity. Statistics with room on
// that side have a maximum, however long an example is.
const largest = 1e3

// leastRoom is the least fraction of the distance between the worst and the best y that counts as
// room.
const leastRoom = 1e-6

// widthsOutside is the distance, in widths of the statistics, up to which a total may exceed the
// statistics of the best y. Noise rarely causes a greater distance; a total of n examples with the
// log-partition function of one example is about n widths outside.
const widthsOutside = .5

// locate returns an error if there is no maximum, which can happen only without a ridge. With a
// ridge it adds a remark about statistics that are far outside.
func (r *Result) locate(ctx context.Context) error {
	l := r.objective
	s, spread, err := r.extent(ctx)
	switch {
	case l.ridge > 0 && errors.Is(err, em.ErrMethod):
		return nil // a likelihood without a best y
	case err != nil || s.best == nil:
		return err
	case l.ridge > 0:
		if outside := s.margin * s.norm; s.margin > s.rounding && spread > 0 && outside > widthsOutside*spread {
			r.Remarks = append(slices.Clip(r.Remarks), fmt.Sprintf("the statistics are outside the range of statistics of the log-partition function's examples "+
				"can have, by %.3g times the width of that, in the direction of θ; are both sums over as many examples?", outside/spread))
		}
		return nil
	}
	// The remaining room between total and the best y.
	room := -s.margin * s.norm
	if s.margin <= s.rounding && (spread <= largest*float64(s.best.Examples) || room > leastRoom*spread) {
		return nil
	}
	i := l.largestOf(r.Theta)
	return nested.Errorf("moments: %w: margin %.3g, with %s at %.3g; estimate a distribution first, shrink, or use a ridge",
		ErrOutside, s.margin, l.Params().Name(int32(i)), r.Theta[i])
}

// extent returns the support and, as spread, the difference of φ·θ between the best and the worst
// y. With a ridge and statistics inside, spread is not needed and 0.
func (r *Result) extent(ctx context.Context) (s support, spread float64, err error) {
	l := r.objective
	s, err = r.support(ctx)
	if err != nil || s.best == nil || l.ridge > 0 && s.margin <= s.rounding {
		return s, 0, err
	}
	worst, err := l.best(ctx, r.Theta, -s.far, r.workers) // at the opposite multiple of θ
	if err != nil {
		return s, 0, err
	}
	for _, g := range l.strengths {
		for i := g.lo; i < g.hi; i++ {
			spread += (s.best.Counts[i] - worst.Counts[i]) * r.Theta[i]
		}
	}
	return s, spread, nil
}

// best returns the statistics of the best y at the strengths of theta times scale.
func (l *objective) best(ctx context.Context, theta []float64, scale float64, workers int) (*em.Expectations, error) {
	direction := slices.Clone(theta)
	for _, s := range l.strengths {
		floats.Scale(scale, direction[s.lo:s.hi])
	}
	e, err := l.Likelihood.Expect(ctx, em.Query{Theta: direction, EStep: em.Viterbi, Workers: workers})
	if err != nil {
		return nil, nested.Errorf("moments: best y: %w", err)
	}
	return e, nil
}
