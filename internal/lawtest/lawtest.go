// Package lawtest checks the contract between laws of parameters and methods that follow a
// gradient. The idea: with any numbers as counts, Σ counts·ln value is a function of the
// coordinates (a law may define another one). The package compares all derivatives of a law and
// of its prior with differences of that function and of LogPrior.
package lawtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
)

// Check fails the test unless the coordinates of theta, a valid θ of the law, map back to it
// and remain valid at any distance (at a small distance for a Valuer). All derivatives must
// agree with differences: Gradient, and Tangent, GradientTangent, AddPrior, AddPriorTangent and
// L1 if the law has them. Differences have relative errors of about 1e-8, so the coordinates at
// theta should be of moderate size.
func Check(tb testing.TB, rng *rand.Rand, law em.Coordinated, theta []float64) {
	tb.Helper()
	c := check{tb: tb, rng: rng, law: law, theta: theta, x: make([]float64, law.Dim(theta))}
	if err := law.Check(theta); err != nil {
		tb.Errorf("%T: %v is no θ to begin with: %v", law, theta, err)
		return
	}
	law.Coordinates(c.x, theta)
	c.roundTrip()
	c.gradient()
	c.curvature()
	c.prior()
}

// check is a law at theta, whose coordinates are x.
type check struct {
	tb       testing.TB
	rng      *rand.Rand
	law      em.Coordinated
	theta, x []float64
}

// random returns n numbers, of either sign.
func (c *check) random(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = c.rng.NormFloat64()
	}
	return v
}

// at returns the θ at distance step·dx.
func (c *check) at(step float64, dx []float64) []float64 {
	x, theta := slices.Clone(c.x), slices.Clone(c.theta)
	floats.AddScaled(x, step, dx)
	c.law.Theta(theta, x)
	return theta
}

// pull returns Gradient at theta.
func (c *check) pull(theta, counts []float64) []float64 {
	dx := make([]float64, len(c.x))
	c.law.Gradient(dx, theta, counts)
	return dx
}

// agree compares a vector with its expected value, within tolerance relative to the larger of 1
// and the greatest number.
func (c *check) agree(what string, got, want []float64, tolerance float64) {
	c.tb.Helper()
	size := 1.0
	for _, x := range want {
		size = max(size, math.Abs(x))
	}
	for i, x := range want {
		if !(math.Abs(got[i]-x) <= tolerance*size) {
			c.tb.Errorf("%T at %v: number %d of %s is %.12g, want %.12g", c.law, c.theta, i, what, got[i], x)
		}
	}
}

func (c *check) roundTrip() {
	c.tb.Helper()
	back := c.at(0, c.x)
	c.agree("θ after a round trip", back, c.theta, 1e-11)
	_, valuer := c.law.(em.Valuer)
	for _, size := range []float64{1, 1000, 1e300} {
		far := c.at(size, c.random(len(c.x)))
		if n := c.law.Dim(far); n != len(c.x) {
			c.tb.Errorf("%T: %d coordinates at %v, %d elsewhere", c.law, n, far, len(c.x))
		}
		if valuer && size > 1 {
			continue // coordinates like the mean are unbounded
		}
		if err := c.law.Check(far); err != nil {
			c.tb.Errorf("%T: %v: %v", c.law, far, err)
		}
		for i, v := range far {
			if !valuer && (v == 0) != (c.theta[i] == 0) {
				c.tb.Errorf("%T: θ%d is %g after %g", c.law, i, v, c.theta[i])
			}
		}
	}
}

func (c *check) gradient() {
	c.tb.Helper()
	counts := c.random(len(c.theta))
	want := make([]float64, len(c.x))
	for j := range want {
		along := unit(len(want), j)
		want[j] = derivative(func(h float64) float64 { return Score(c.law, c.at(h, along), counts) })
	}
	c.agree("Gradient", c.pull(c.theta, counts), want, 1e-8)
}

// curvature checks Tangent as the transpose of Gradient, and GradientTangent as its change.
func (c *check) curvature() {
	c.tb.Helper()
	law, ok := c.law.(em.Curved)
	if !ok {
		return
	}
	counts, dcounts, dx := c.random(len(c.theta)), c.random(len(c.theta)), c.random(len(c.x))
	direction, ddx := make([]float64, len(c.theta)), make([]float64, len(c.x))
	law.Tangent(direction, c.theta, dx)
	c.agree("counts·Tangent", []float64{floats.Dot(counts, direction)}, []float64{floats.Dot(c.pull(c.theta, counts), dx)}, 1e-10)

	law.GradientTangent(ddx, c.theta, counts, dx, dcounts)
	c.agree("GradientTangent", ddx, derivatives(len(ddx), func(h float64) []float64 {
		moved := slices.Clone(counts)
		floats.AddScaled(moved, h, dcounts)
		return c.pull(c.at(h, dx), moved)
	}), 1e-7)
}

// prior checks that AddPrior is the derivative of LogPrior, except for the part of L1, and
// AddPriorTangent the derivative of AddPrior.
func (c *check) prior() {
	c.tb.Helper()
	l1, added := make([]float64, len(c.x)), func(theta []float64) []float64 { return make([]float64, len(theta)) }
	if law, ok := c.law.(em.Sparse); ok {
		law.L1(l1, c.theta)
	}
	if law, ok := c.law.(em.Prior); ok {
		added = func(theta []float64) []float64 {
			counts := make([]float64, len(theta))
			law.AddPrior(counts, theta)
			return counts
		}
		dx, start := c.random(len(c.x)), c.random(len(c.theta))
		change := slices.Clone(start)
		law.AddPriorTangent(change, c.theta, dx)
		floats.Sub(change, start)
		c.agree("AddPriorTangent", change, derivatives(len(change), func(h float64) []float64 { return added(c.at(h, dx)) }), 1e-7)
	}
	want := make([]float64, len(c.x))
	for j := range want {
		along := unit(len(want), j)
		want[j] = derivative(func(h float64) float64 {
			return c.law.LogPrior(c.at(h, along)) + l1[j]*math.Abs(c.x[j]+h)
		})
	}
	c.agree("the derivative of LogPrior", c.pull(c.theta, added(c.theta)), want, 1e-8)
}

// Maximize fails the test unless the M step with these counts returns a valid θ with zero
// derivatives that is better than all others that it tries. em.Maximize must reach the same
// maximum. It returns the θ. theta must be valid.
func Maximize(tb testing.TB, rng *rand.Rand, law em.Coordinated, theta, counts []float64) []float64 {
	tb.Helper()
	start := theta
	theta = slices.Clone(theta)
	if err := law.Maximize(theta, counts); err != nil {
		tb.Errorf("%T: M step with the counts %v: %v", law, counts, err)
		return theta
	}
	if err := law.Check(theta); err != nil {
		tb.Errorf("%T: M step with the counts %v: %v", law, counts, err)
	}
	c := check{tb: tb, rng: rng, law: law, theta: theta, x: make([]float64, law.Dim(theta))}
	law.Coordinates(c.x, theta)
	objective := func(theta []float64) float64 { return Score(law, theta, counts) + law.LogPrior(theta) }
	best := objective(theta)
	size := 1 + math.Abs(best)
	full, l1 := slices.Clone(counts), make([]float64, len(c.x))
	if p, ok := law.(em.Prior); ok {
		p.AddPrior(full, theta)
	}
	if s, ok := law.(em.Sparse); ok {
		s.L1(l1, theta)
	}
	for j, g := range c.pull(theta, full) {
		slack := l1[j]
		if c.x[j] != 0 {
			g, slack = g-math.Copysign(slack, c.x[j]), 0
		}
		if !(math.Abs(g) <= slack+1e-6*size) {
			tb.Errorf("%T: derivative %d after the M step is %g", law, j, g)
		}
	}
	b, ok := law.(em.Bounded)
	unbounded := ok && b.Bounded(start, nil) != nil
	if climbed := slices.Clone(start); !unbounded {
		if err := em.Maximize(law, climbed, counts); err != nil {
			tb.Errorf("%T: em.Maximize with the counts %v: %v", law, counts, err)
		} else if q := objective(climbed); !(q >= best-1e-7*size) {
			tb.Errorf("%T: %.12g after the M step, %.12g by em.Maximize", law, best, q)
		}
	}
	for range 50 {
		other := slices.Clone(start)
		law.Random(other, rng)
		if rng.IntN(2) == 0 || unbounded {
			other = c.at(math.Pow(10, -3*rng.Float64()), c.random(len(c.x)))
		}
		if q := objective(other); q > best+1e-9*size {
			tb.Errorf("%T: %.12g after the M step, %.12g elsewhere", law, best, q)
		}
	}
	return theta
}

// Score returns Σ counts·ln value over the parameters whose value is not 0, or the result of a
// Scorer.
func Score(law em.Law, theta, counts []float64) float64 {
	if s, ok := law.(em.Scorer); ok {
		return s.Score(theta, counts)
	}
	params := em.NewParams()
	params.Group("law", len(theta), law)
	sum := 0.0
	for i, v := range params.Values(theta) {
		if counts[i] != 0 && !v.IsZero() {
			sum += counts[i] * v.Log()
		}
	}
	return sum
}

func unit(n, j int) []float64 {
	v := make([]float64, n)
	v[j] = 1
	return v
}

// step is the step of differences: a power of 2.
const step = 0x1p-11

// derivative returns the derivative of f at 0 with an error of the order of step⁴.
func derivative(f func(float64) float64) float64 {
	return (8*(f(step)-f(-step)) - (f(2*step) - f(-2*step))) / (12 * step)
}

// derivatives returns the derivatives of n functions.
func derivatives(n int, f func(float64) []float64) []float64 {
	d := make([]float64, n)
	for _, k := range []struct{ at, weight float64 }{{1, 8}, {-1, -8}, {2, -1}, {-2, 1}} {
		floats.AddScaled(d, k.weight/(12*step), f(k.at*step))
	}
	return d
}
