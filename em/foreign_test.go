package em_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
)

// bells is the likelihood of numbers drawn from normal distributions of variance 1
// with unknown means, mixed in unknown proportions: a likelihood without a machine.
type bells struct {
	em.Likelihood
	params     *em.Params
	mix, means *em.Group
	xs         []float64
}

// means is the law of n means: θ is 0 for each of the first n parameters and a mean
// for each of the others; the counts are the expected numbers of observations, and their
// sums.
type means struct{}

func (means) Start(theta []float64) {
	n := len(theta) / 2
	for k := range n {
		theta[k], theta[n+k] = 0, float64(k)
	}
}

func (means) Random(theta []float64, src rand.Source) {
	rng := rand.New(src)
	n := len(theta) / 2
	for k := range n {
		theta[n+k] = 3 * rng.NormFloat64()
	}
}

func (means) Check([]float64) error { return nil }

func (means) LogPrior([]float64) float64 { return 0 }

func (means) Maximize(theta, counts []float64) error {
	n := len(theta) / 2
	for k := range n {
		theta[n+k] = counts[n+k] / counts[k]
	}
	return nil
}

func (means) Values(values []semiring.ScaledFloat, _ []float64) {
	for i := range values {
		values[i] = semiring.NewScaled(1)
	}
}

func (means) Score(theta, counts []float64) float64 {
	n, sum := len(theta)/2, 0.0
	for k := range n {
		mu := theta[n+k]
		sum += counts[n+k]*mu - counts[k]*mu*mu/2
	}
	return sum
}

func (means) Dim(theta []float64) int { return len(theta) / 2 }

func (means) Coordinates(x, theta []float64) { copy(x, theta[len(x):]) }

func (means) Theta(theta, x []float64) { copy(theta[len(x):], x) }

func (means) Gradient(dx, theta, counts []float64) {
	n := len(dx)
	for k := range n {
		dx[k] = counts[n+k] - counts[k]*theta[n+k]
	}
}

func newBells(truth ...float64) *bells {
	b := &bells{params: em.NewParams()}
	b.mix = b.params.Group("mix", len(truth), em.Multinomial{})
	b.means = b.params.Group("means", 2*len(truth), means{})
	rng := rand.New(rand.NewPCG(6, 7))
	for range 20 * 30 {
		b.xs = append(b.xs, truth[rng.IntN(len(truth))]+rng.NormFloat64())
	}
	b.Likelihood = em.Sharded[em.Query, []float64]{
		Package:     "bells",
		Params:      b.params,
		Cut:         em.NewCutBySize(len(b.xs), 30),
		Fingerprint: func(w io.Writer) { fmt.Fprint(w, b.xs) },
		Tempered:    true,
		Sum:         b.sum,
	}.Likelihood()
	return b
}

// sum adds number i to a.
func (b *bells) sum(p *[]float64, q em.Query, i int, weight float64, a *em.Tally) (float64, error) {
	x, sum, n := b.xs[i], 0.0, b.mix.Len()
	mu := b.means.In(q.Theta)[n:]
	mix, kinds := b.mix.In(a.Counts), b.means.In(a.Counts)
	*p = append((*p)[:0], b.mix.In(q.Theta)...)
	for k, pi := range *p {
		d := x - mu[k]
		(*p)[k] = math.Pow(pi*math.Exp(-d*d/2), q.Temperature)
		sum += (*p)[k]
	}
	for k, share := range *p {
		mix[k] += weight * share / sum
		kinds[k] += weight * share / sum
		kinds[n+k] += weight * share / sum * x
	}
	return math.Log(sum), nil
}

// TestForeign: every method trains a likelihood of another package, with
// parameters that are not factors of weights, to the same optimum.
func TestForeign(t *testing.T) {
	b := newBells(-2, 2, 5)
	run := func(m em.Method, iterations int, tolerance float64) *em.Result {
		r, err := em.Fit(context.Background(), b, &em.Options{Method: m, Iterations: iterations, Tolerance: tolerance, Workers: 2})
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		return r
	}
	want := run(em.EM{}, 10000, 1e-15)
	best := want.Objective[want.Iterations()-1]
	for _, m := range []em.Method{em.Incremental{}, em.Stepwise{}, em.Anneal{}, em.Squarem{}, em.LBFGS{}, em.SGD{}} {
		tolerance, slack := 1e-13, 1e-8
		switch m.(type) {
		case em.Stepwise, em.SGD: // whose objective may fall
			tolerance, slack = 1e-8, 3e-3
		}
		r := run(m, 10000, tolerance)
		if got := r.Objective[r.Iterations()-1]; math.Abs(got-best) > slack*math.Abs(best) {
			t.Errorf("%v: %.9f after %d iterations, EM reaches %.9f", m, got, r.Iterations(), best)
		}
		for i, v := range want.Theta {
			if math.Abs(r.Theta[i]-v) > 10*math.Sqrt(slack) {
				t.Errorf("%v: %s is %g, with EM %g", m, b.params.Name(int32(i)), r.Theta[i], v)
			}
		}
	}
	if r := run(em.LBFGS{}, 10000, 1e-13); !(r.GradientNorm < 1e-3) || want.GradientNorm != 0 {
		t.Errorf("gradients %g with L-BFGS, %g with EM", r.GradientNorm, want.GradientNorm)
	}
}
