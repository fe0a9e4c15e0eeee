package bayes

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
)

// regression is the law of a normal distribution of y whose mean is linear in known
// numbers u. Its parameters and counts are those of a normal distribution of (u, y), in one
// block, of which it takes the conditional one of y given u: since the distribution of u
// and the conditional one have no parameter in common, the maximum of the joint likelihood
// is that of both.
type regression struct {
	joint em.Gaussian
	known int // the number of components of u, which come first
}

// of returns the law of u alone.
func (l regression) of() em.Gaussian {
	g := em.NewGaussian(l.known)
	part := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		return v[:l.known]
	}
	g.Center, g.Scale, g.Prior = part(l.joint.Center), part(l.joint.Scale), l.joint.Prior
	g.Prior.Mean, g.Prior.Scale = part(g.Prior.Mean), part(g.Prior.Scale)
	return g
}

// part returns the parameters, or counts, of u alone.
func (l regression) part(v []float64) []float64 {
	first := append([]float64(nil), v[:1+l.known]...)
	triangle := v[1+l.joint.Size():]
	return append(first, triangle[:l.known*(l.known+1)/2]...)
}

// Start is that of the joint law.
func (l regression) Start(theta []float64) { l.joint.Start(theta) }

// Random is that of the joint law.
func (l regression) Random(theta []float64, src rand.Source) { l.joint.Random(theta, src) }

// Check is that of the joint law.
func (l regression) Check(theta []float64) error { return l.joint.Check(theta) }

// Values sets NaN, as the joint law does.
func (l regression) Values(values []semiring.ScaledFloat, theta []float64) {
	l.joint.Values(values, theta)
}

// Maximize is that of the joint law.
func (l regression) Maximize(theta, counts []float64) error { return l.joint.Maximize(theta, counts) }

// LogPrior is that of the joint law less that of u.
func (l regression) LogPrior(theta []float64) float64 {
	return l.joint.LogPrior(theta) - l.of().LogPrior(l.part(theta))
}

// Score is that of the joint law less that of u.
func (l regression) Score(theta, counts []float64) float64 {
	return l.joint.Score(theta, counts) - l.of().Score(l.part(theta), l.part(counts))
}

// conditional returns the distribution of y given u, of a joint one of (u, y).
func (x Normal) conditional(known int) (Normal, error) {
	n := len(x.Mean)
	d := n - known
	joint := mat.NewDense(n, n, x.Covariance)
	uu := mat.NewSymDense(known, nil)
	for i := range known {
		for j := range i + 1 {
			uu.SetSym(i, j, joint.At(i, j))
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(uu) {
		return Normal{}, fmt.Errorf("%w: the regressors do not vary enough to tell their slopes", ErrInvalid)
	}
	var slope, mean, taken mat.Dense // slope is r × d
	if err := factor.SolveTo(&slope, joint.Slice(0, known, known, n)); err != nil {
		return Normal{}, fmt.Errorf("%w: the regressors are nearly dependent: %w", ErrInvalid, err)
	}
	mean.Mul(slope.T(), mat.NewDense(known, 1, append([]float64(nil), x.Mean[:known]...)))
	taken.Mul(slope.T(), joint.Slice(0, known, known, n))
	var c Normal
	for i := range d {
		c.Mean = append(c.Mean, x.Mean[known+i]-mean.At(i, 0))
		for j := range known {
			c.Slope = append(c.Slope, slope.At(j, i))
		}
		for j := range d { // symmetric to the last bit
			c.Covariance = append(c.Covariance, joint.At(known+i, known+j)-(taken.At(i, j)+taken.At(j, i))/2)
		}
	}
	return c, nil
}

// joint returns the distribution of (u, y), x being that of y given u, in which u is
// standard.
func (x Normal) joint() Normal {
	d := len(x.Mean)
	r := len(x.Slope) / d
	n := r + d
	j := Normal{make([]float64, r, n), make([]float64, n*n), nil}
	j.Mean = append(j.Mean, x.Mean...)
	for i := range r {
		j.Covariance[i*n+i] = 1
	}
	for a := range d {
		for b := range r {
			j.Covariance[(r+a)*n+b], j.Covariance[b*n+r+a] = x.Slope[a*r+b], x.Slope[a*r+b]
		}
		for b := range d {
			s := x.Covariance[a*d+b]
			for k := range r {
				s += x.Slope[a*r+k] * x.Slope[b*r+k]
			}
			j.Covariance[(r+a)*n+r+b] = s
		}
	}
	return j
}

// mean returns the mean given the values of the regressors.
func (x Normal) mean(u []float64) []float64 {
	m := append([]float64(nil), x.Mean...)
	for i := range m {
		for j, v := range u {
			m[i] += x.Slope[i*len(u)+j] * v
		}
	}
	return m
}

// residual returns y less what the regressors say of it.
func (x Normal) residual(y, u []float64) []float64 {
	if len(u) == 0 {
		return y
	}
	z := append([]float64(nil), y...)
	for i := range z {
		for j, v := range u {
			z[i] -= x.Slope[i*len(u)+j] * v
		}
	}
	return z
}
