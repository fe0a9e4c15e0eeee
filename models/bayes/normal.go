package bayes

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// completeNormals checks the distributions of family i, whose children are continuous, or sets
// standard ones.
func (n *Network) completeNormals(i, configurations int) error {
	f := &n.families[i]
	d, r, name := len(f.Children), len(f.Regressors), n.variables[f.Children[0]].Name
	if f.Normals == nil {
		for range configurations {
			f.Normals = append(f.Normals, standard(d, r))
		}
	}
	if len(f.Normals) != configurations {
		return nested.Errorf("bayes: %w: %s has %d normal distributions, want %d", ErrInvalid, name, len(f.Normals), configurations)
	}
	for c, x := range f.Normals {
		if len(x.Mean) != d || len(x.Covariance) != d*d || len(x.Slope) != d*r {
			return nested.Errorf("bayes: %w: %s has a mean of %d numbers, a covariance of %d and slopes of %d, want %d, %d and %d", ErrInvalid,
				n.given(f.Children[0], c), len(x.Mean), len(x.Covariance), len(x.Slope), d, d*d, d*r)
		}
		density, err := x.density()
		if err != nil {
			return nested.Errorf("bayes: %w: P(%s): %w", ErrInvalid, n.given(f.Children[0], c), err)
		}
		n.density[i] = append(n.density[i], density)
	}
	return nil
}

func standard(d, r int) Normal {
	x := Normal{Mean: make([]float64, d), Covariance: make([]float64, d*d)}
	if r > 0 {
		x.Slope = make([]float64, d*r)
	}
	for i := range d {
		x.Covariance[i*d+i] = 1
	}
	return x
}

// density returns the density of the distribution, or an error if it is invalid.
func (x Normal) density() (*em.Density, error) {
	d := len(x.Mean)
	for i, s := range x.Slope {
		if s-s != 0 {
			return nil, fmt.Errorf("slope %d is %g", i, s)
		}
	}
	for i, m := range x.Mean {
		if m-m != 0 {
			return nil, fmt.Errorf("the mean of component %d is %g", i, m)
		}
		for j := range i {
			if a, b := x.Covariance[i*d+j], x.Covariance[j*d+i]; !(math.Abs(a-b) <= 1e-12*math.Abs(a)) {
				return nil, fmt.Errorf("the covariance of components %d and %d is %g, and the other way round %g", i, j, a, b)
			}
		}
	}
	return em.NewGaussian(d).Density(x.theta(d))
}

// newNormal returns the distribution with the given parameters of an em.Gaussian with these blocks.
func newNormal(blocks []int, theta []float64) Normal {
	d := 0
	for _, b := range blocks {
		d += b
	}
	x := Normal{Mean: append([]float64(nil), theta[1:1+d]...), Covariance: make([]float64, d*d)}
	at, lo := 1+d, 0
	for _, b := range blocks {
		for i := lo; i < lo+b; i++ {
			for j := lo; j <= i; j++ {
				x.Covariance[i*d+j], x.Covariance[j*d+i] = theta[at], theta[at]
				at++
			}
		}
		lo += b
	}
	return x
}

// theta returns x as the parameters of an em.Gaussian with these blocks: covariances
// between blocks are left out.
func (x Normal) theta(blocks ...int) []float64 {
	d := len(x.Mean)
	theta := append([]float64{1}, x.Mean...)
	lo := 0
	for _, b := range blocks {
		for i := lo; i < lo+b; i++ {
			theta = append(theta, x.Covariance[i*d+lo:i*d+i+1]...)
		}
		lo += b
	}
	return theta
}

// regression is the law of a normal distribution of y whose mean is linear in known numbers u. It
// has the parameters and counts of a normal distribution of (u, y), in one block, and takes the
// conditional distribution of y given u. This has no parameter in common with the distribution of
// u, so the joint likelihood is maximal where both factors are.
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

// Start calls Start of the joint law.
func (l regression) Start(theta []float64) { l.joint.Start(theta) }

// Random calls Random of the joint law.
func (l regression) Random(theta []float64, src rand.Source) { l.joint.Random(theta, src) }

// Check calls Check of the joint law.
func (l regression) Check(theta []float64) error { return l.joint.Check(theta) }

// Values sets NaN, as the joint law does.
func (l regression) Values(values []semiring.ScaledFloat, theta []float64) {
	l.joint.Values(values, theta)
}

// Maximize calls Maximize of the joint law.
func (l regression) Maximize(theta, counts []float64) error { return l.joint.Maximize(theta, counts) }

// LogPrior is the log prior of the joint law minus the log prior of u.
func (l regression) LogPrior(theta []float64) float64 {
	return l.joint.LogPrior(theta) - l.of().LogPrior(l.part(theta))
}

// Score is the score of the joint law minus the score of u.
func (l regression) Score(theta, counts []float64) float64 {
	return l.joint.Score(theta, counts) - l.of().Score(l.part(theta), l.part(counts))
}

// conditional returns the distribution of y given u of a joint distribution x of (u, y).
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
		return Normal{}, nested.Errorf("%w: the regressors are nearly dependent: %w", ErrInvalid, err)
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

// joint returns the distribution of (u, y) in which u is standard, and y given u has the
// distribution x.
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

// residual returns y minus the contribution of the regressors.
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

// Ridge is the law of probabilities pᵢ ∝ exp(wᵢ) with the log prior −½β·Σ wᵢ², where Σ wᵢ = 0:
// multinomial logistic regression with a Gaussian prior, as in package convex. Its parameters are
// the probabilities. They stay positive, and without counts they become uniform. Start, Random and
// the coordinates are as in em.Multinomial.
type Ridge struct {
	simplex
	// Beta is the ridge, > 0 and finite.
	Beta float64 `json:"beta"`
}

type simplex = em.Multinomial

func init() { em.RegisterLaw("ridge", Ridge{}) }

// Check requires a sum of 1 within 1e-6 and β > 0. A probability of 0 is valid but has the log
// prior −Inf.
func (r Ridge) Check(theta []float64) error {
	if !(r.Beta > 0) || math.IsInf(r.Beta, 1) {
		return fmt.Errorf("ridge %g, want a finite number > 0", r.Beta)
	}
	return r.simplex.Check(theta)
}

// strengths returns w at theta.
func (r Ridge) strengths(theta []float64) []float64 {
	w := make([]float64, len(theta))
	for i, p := range theta {
		w[i] = math.Log(p)
	}
	if len(w) > 0 {
		floats.AddConst(-floats.Sum(w)/float64(len(w)), w)
	}
	return w
}

// LogPrior is −½β·Σ w².
func (r Ridge) LogPrior(theta []float64) float64 {
	for _, p := range theta {
		if p == 0 {
			return math.Inf(-1)
		}
	}
	w := r.strengths(theta)
	return -r.Beta / 2 * floats.Dot(w, w)
}

// Maximize sets the mode, up to rounding, by Newton's method on the strictly convex N·ln Σ exp w −
// counts·w + ½β·w². A step takes time proportional to the number of parameters.
func (r Ridge) Maximize(theta, counts []float64) error {
	total := 0.
	for i, c := range counts {
		if !(c >= 0) || math.IsInf(c, 1) {
			return fmt.Errorf("%w: count %d is %g", em.ErrParameter, i, c)
		}
		total += c
	}
	n := len(theta)
	w, next, step := make([]float64, n), make([]float64, n), make([]float64, n)
	value := r.loss(w, counts, total)
	for range 100 {
		norm := floats.LogSumExp(w)
		// (β + N·diag p − N·ppᵀ)·step = −gradient, by Sherman and Morrison.
		slope, along, across := 0., 0., 1.
		for i := range w {
			p := math.Exp(w[i] - norm)
			theta[i] = total*p - counts[i] + r.Beta*w[i]
			d := r.Beta + total*p
			step[i] = -theta[i] / d
			along += total * p * step[i]
			across -= total * p * p / d
		}
		for i := range w {
			p := math.Exp(w[i] - norm)
			step[i] += p / (r.Beta + total*p) * along / across
			slope += theta[i] * step[i]
		}
		if !(slope < -1e-13*max(1, math.Abs(value))) { // so close to the mode that one full step suffices
			floats.Add(w, step)
			break
		}
		size := 1.
		for floats.AddTo(next, w, step); ; floats.AddScaledTo(next, w, size, step) {
			v := r.loss(next, counts, total)
			if v <= value+1e-4*size*slope || size < 1e-10 {
				value = v
				break
			}
			size /= 2
		}
		w, next = next, w
	}
	norm := floats.LogSumExp(w)
	for i := range theta {
		theta[i] = math.Exp(w[i] - norm)
	}
	return nil
}

// loss is minus the objective of Maximize.
func (r Ridge) loss(w, counts []float64, total float64) float64 {
	return total*floats.LogSumExp(w) - floats.Dot(counts, w) + r.Beta/2*floats.Dot(w, w)
}

// AddPrior adds −β·w.
func (r Ridge) AddPrior(counts, theta []float64) {
	floats.AddScaled(counts, -r.Beta, r.strengths(theta))
}

// AddPriorTangent adds −β·dw: wᵢ changes by 1 − 1/n with coordinate i, the others by −1/n.
func (r Ridge) AddPriorTangent(dcounts, theta, dx []float64) {
	floats.AddScaled(dcounts[:len(dx)], -r.Beta, dx)
	floats.AddConst(r.Beta*floats.Sum(dx)/float64(len(theta)), dcounts)
}
