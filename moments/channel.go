package moments

import (
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/nested"
)

// Channel is the distribution S(o | y) of a discrete observation for each value of y. It
// is safe for concurrent use.
type Channel struct {
	s *mat.Dense // a row per o, a column per y
}

// sumTolerance is the maximum deviation of the sum of a distribution from 1.
const sumTolerance = 1e-9

// NewChannel returns the channel with S(o | y) in row o and column y. The error wraps ErrInvalid if
// s is empty or a column is not a distribution.
func NewChannel(s mat.Matrix) (*Channel, error) {
	if k, m := s.Dims(); k == 0 || m == 0 {
		return nil, invalid("a channel of %d observations and %d values", k, m)
	}
	c := &Channel{s: mat.DenseCopyOf(s)}
	_, m := s.Dims()
	for y := range m {
		if err := checkDistribution(mat.Col(nil, y, s)); err != nil {
			return nil, nested.Errorf("moments: observations of value %d: %w", y, err)
		}
	}
	return c, nil
}

// checkDistribution returns an error wrapping ErrInvalid unless p is a distribution.
func checkDistribution(p []float64) error {
	for i, x := range p {
		if !(x >= 0) {
			return fmt.Errorf("%w: probability %d is %g", ErrInvalid, i, x)
		}
	}
	if sum := floats.Sum(p); !(math.Abs(sum-1) <= sumTolerance) {
		return fmt.Errorf("%w: probabilities sum to %.10g", ErrInvalid, sum)
	}
	return nil
}

// Deterministic returns the channel o = g(y), with g[y] in [0, k). The error wraps ErrInvalid if a
// g[y] is out of range or g is empty.
func Deterministic(g []int, k int) (*Channel, error) {
	if len(g) == 0 || k <= 0 {
		return nil, invalid("a channel of %d observations and %d values", k, len(g))
	}
	s := mat.NewDense(k, len(g), nil)
	for y, o := range g {
		if o < 0 || o >= k {
			return nil, invalid("value %d is observed as %d, want one of %d", y, o, k)
		}
		s.Set(o, y, 1)
	}
	return &Channel{s}, nil
}

// RandomizedResponse returns the channel that outputs y with probability k = keep, and otherwise a
// value drawn from u: S(o | y) = k·1[o = y] + (1 − k)·u(o) (Warner 1965). The error wraps
// ErrInvalid unless 0 < k ≤ 1 and u is a distribution.
//
// k is not a privacy loss: package privacy draws answers for a loss ε, and the methods Keep and
// Replacement of its RandomizedResponse return the corresponding k and u.
func RandomizedResponse(keep float64, u []float64) (*Channel, error) {
	if err := checkResponse(keep, u); err != nil {
		return nil, err
	}
	s := mat.NewDense(len(u), len(u), nil)
	s.Apply(func(o, y int, _ float64) float64 {
		p := (1 - keep) * u[o]
		if o == y {
			p += keep
		}
		return p
	}, s)
	return &Channel{s}, nil
}

// checkResponse returns an error wrapping ErrInvalid unless keep and u are valid for
// RandomizedResponse.
func checkResponse(keep float64, u []float64) error {
	if !(keep > 0 && keep <= 1) {
		return invalid("randomized response that keeps the true value with probability %g, want one in (0, 1]", keep)
	}
	if err := checkDistribution(u); err != nil {
		return nested.Errorf("moments: randomized response: %w", err)
	}
	return nil
}

// Dims returns the numbers of observations and of values of y.
func (c *Channel) Dims() (observations, values int) { return c.s.Dims() }

// Output returns Σ_y S(o | y)·p(y) for each o. It panics unless p has an element per value of y.
func (c *Channel) Output(p []float64) []float64 {
	k, m := c.s.Dims()
	if len(p) != m {
		panic("moments: Output: one number per value is wanted")
	}
	q := mat.NewVecDense(k, nil)
	q.MulVec(c.s, mat.NewVecDense(m, p))
	return q.RawVector().Data
}

// checkOutput returns an error wrapping ErrInvalid unless q is a distribution of o.
func (c *Channel) checkOutput(q []float64) error {
	if k, _ := c.s.Dims(); len(q) != k {
		return invalid("%d frequencies of %d observations", len(q), k)
	}
	if err := checkDistribution(q); err != nil {
		return nested.Errorf("moments: frequencies of observations: %w", err)
	}
	return nil
}

// Observation is an observation function β: it adds β(x, o) to dst, which has an element per
// statistic. Its expectation over o must be φ(x, y), whatever y is. It returns an error if o cannot
// be an observation of x.
type Observation[X, O any] func(dst []float64, x X, o O) error

// Table returns the observation function β(x, o) = row o of beta, which has a column per
// statistic. The error for an o without a row, or for another number of statistics than columns,
// wraps ErrInvalid.
func Table[X any](beta mat.Matrix) Observation[X, int] {
	rows, columns := beta.Dims()
	return func(dst []float64, _ X, o int) error {
		switch {
		case o < 0 || o >= rows:
			return invalid("observation %d, want one of %d", o, rows)
		case len(dst) != columns:
			return invalid("%d statistics, want the %d columns of the table", len(dst), columns)
		}
		for j := range dst {
			dst[j] += beta.At(o, j)
		}
		return nil
	}
}

// Total returns the sum of β over data, an unbiased estimate of the sum of d statistics over the
// examples, and the number of examples. The error comes from β, with the index of the example, or
// wraps ErrInvalid if the sum is not finite.
func (beta Observation[X, O]) Total(d int, data iter.Seq2[X, O]) (total []float64, n int, err error) {
	total = make([]float64, d)
	for x, o := range data {
		if err := beta(total, x, o); err != nil {
			return nil, n, nested.Errorf("moments: example %d: %w", n, err)
		}
		n++
	}
	for j, v := range total {
		if v-v != 0 {
			return nil, n, invalid("the sum of statistic %d is %g", j, v)
		}
	}
	return total, n, nil
}

const (
	rankTolerance     = 1e-10 // of singular values, relative to the largest
	residualTolerance = 1e-8  // of a statistic, relative to all of them
)

// Invert returns the observation function of c for the statistics of f: a matrix with β(o) in row
// o, such that Σ_o S(o | y)·β(o) = φ(y) for every y. If there are several, it returns the matrix of
// least norm. A solution exists if and only if every statistic, as a function of y, lies in the row
// space of S; S need not have full rank.
//
// The error wraps ErrUnidentifiable if a statistic lies outside by more than 1e-8 times the norm of
// all statistics, and contains the name of the farthest one. It wraps ErrInvalid if the numbers of
// values of f and c differ, or β would be beyond the range of float64.
func (c *Channel) Invert(f *Family) (*mat.Dense, error) {
	if err := f.fits(c); err != nil {
		return nil, err
	}
	k, _ := c.s.Dims()
	_, d := f.phi.Dims()
	beta := mat.NewDense(k, d, nil)
	if err := pseudoSolve(beta, c.s.T(), f.phi); err != nil {
		return nil, err
	}
	if o, j, ok := finite(beta); !ok {
		return nil, invalid("observation %d is worth %g of statistic %s", o, beta.At(o, j), f.Name(j))
	}
	var rest mat.Dense
	rest.Mul(c.s.T(), beta)
	rest.Sub(f.phi, &rest)
	worst, norm := 0, 0.0
	for j := range d {
		if n := mat.Norm(rest.ColView(j), 2); n > norm {
			worst, norm = j, n
		}
	}
	if norm > residualTolerance*mat.Norm(f.phi, 2) {
		return nil, nested.Errorf("moments: %w: %s, %.3g of which the observations do not determine",
			ErrUnidentifiable, f.Name(worst), norm)
	}
	return beta, nil
}

// pseudoSolve sets x to the least-squares solution of a·x = b with least norm.
func pseudoSolve(x *mat.Dense, a, b mat.Matrix) error {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return invalid("no singular value decomposition of a matrix of norm %g", mat.Norm(a, 2))
	}
	values := svd.Values(nil)
	rank := 0
	for rank < len(values) && values[rank] > rankTolerance*math.Max(values[0], math.SmallestNonzeroFloat64) {
		rank++
	}
	if rank == 0 {
		x.Zero()
		return nil
	}
	svd.SolveTo(x, b, rank)
	return nil
}
