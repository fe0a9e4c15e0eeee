package moments

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Channel is the distribution S(o | y) of a discrete observation for each value of y. It
// is safe for concurrent use.
type Channel struct {
	s *mat.Dense // a row per o, a column per y
}

// sumTolerance is how far the sum of a distribution may be from 1.
const sumTolerance = 1e-9

// NewChannel returns the channel with S(o | y) in row o and column y. The error wraps
// ErrInvalid if it is empty or a column is no distribution.
func NewChannel(s mat.Matrix) (*Channel, error) {
	if k, m := s.Dims(); k == 0 || m == 0 {
		return nil, invalid("a channel of %d observations and %d values", k, m)
	}
	c := &Channel{s: mat.DenseCopyOf(s)}
	_, m := s.Dims()
	for y := range m {
		if err := checkDistribution(mat.Col(nil, y, s)); err != nil {
			return nil, fmt.Errorf("moments: observations of value %d: %w", y, err)
		}
	}
	return c, nil
}

// checkDistribution returns an error wrapping ErrInvalid unless p is one.
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

// Deterministic returns the channel o = g(y), with g[y] in [0, k). The error wraps
// ErrInvalid for another g(y), or no y.
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

// RandomizedResponse returns the channel that tells y with probability epsilon, and
// otherwise a value drawn from u: S(o | y) = ε·1[o = y] + (1 − ε)·u(o) (Warner 1965). The
// error wraps ErrInvalid unless 0 < ε ≤ 1 and u is a distribution.
func RandomizedResponse(epsilon float64, u []float64) (*Channel, error) {
	if !(epsilon > 0 && epsilon <= 1) {
		return nil, invalid("randomized response with ε = %g, want a number in (0, 1]", epsilon)
	}
	if err := checkDistribution(u); err != nil {
		return nil, fmt.Errorf("moments: randomized response: %w", err)
	}
	s := mat.NewDense(len(u), len(u), nil)
	s.Apply(func(o, y int, _ float64) float64 {
		p := (1 - epsilon) * u[o]
		if o == y {
			p += epsilon
		}
		return p
	}, s)
	return &Channel{s}, nil
}

// Dims returns the numbers of observations and of values of y.
func (c *Channel) Dims() (observations, values int) { return c.s.Dims() }

// Output returns Σ_y S(o | y)·p(y) for each o. It panics if p has not an element per
// value of y.
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
		return fmt.Errorf("moments: frequencies of observations: %w", err)
	}
	return nil
}
