package agree_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/trials"
)

// TestGlobalNormalization trains submodels of the form exp(θᵀφ(x, z) − A(θ)), where A is a sum
// over all x and z. The objective is the product EM objective minus the sum of their A.
func TestGlobalNormalization(t *testing.T) {
	ctx := context.Background()
	strengths := func(_ *rand.Rand, n int) em.Law {
		return must(em.NewLogLinear(n, nil, em.LogLinearOptions{Sigma: 1}))
	}
	for seed := range trials.Seeds(15) {
		for _, algorithm := range algorithms {
			rng := rand.New(rand.NewPCG(seed, 9))
			e := newSpace(rng, shape{tied: seed%2 == 0, private: true, law: strengths})
			what := fmt.Sprintf("seed %d, %s", seed, algorithm)
			var normalizers []em.Likelihood
			for m := range e.submodels() {
				p := cascade.Problem{Params: e.params, Stages: []cascade.Stage{e.privateMachine(m), e.sharedMachine(m)}}
				normalizers = append(normalizers, must(p.NormalizedLikelihood(e.data())).Minus)
			}
			l := &em.Difference{Plus: must(e.likelihood(algorithm)), Minus: must(agree.Independent(normalizers...))}
			start := e.params.Random(rng)
			r := must(em.Fit(ctx, l, &em.Options{Start: start, Iterations: 10, Tolerance: -1}))
			for _, theta := range [][]float64{start, r.Theta} {
				want, _ := e.oracle(algorithm, exps(theta))
				near(t, what, must(l.Expect(ctx, em.Query{Theta: theta})).LogLikelihood, want-e.logPartitions(exps(theta)))
			}
			if algorithm == "average" || algorithm == "product" {
				if l.Heuristic() != (e.submodels() > 1) {
					t.Errorf("%s: heuristic: %v", what, l.Heuristic())
				}
				continue
			}
			best := must(em.Fit(ctx, l, &em.Options{Start: r.Theta, Method: em.LBFGS{}, Tolerance: 1e-12, Iterations: 500}))
			before, after := r.Last(), best.Last()
			if best.GradientNorm > 1e-4 || after < before-1e-9 {
				t.Errorf("%s: gradient %g, objective %.12g after %.12g", what, best.GradientNorm, after, before)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func exps(w []float64) []float64 {
	v := make([]float64, len(w))
	for i, x := range w {
		v[i] = math.Exp(x)
	}
	return v
}

// logPartitions returns Σ weight · Σ_m A_m at the values of the parameters.
func (e *space) logPartitions(values []float64) (sum float64) {
	for m := range e.submodels() {
		z := 0.0
		for x := range e.weight {
			ln, _ := e.posterior(values, func(z int) bool { return e.domain[m][z] }, 1,
				func(z int) []int { return append(e.shared(m, x, z), e.private[m][z]...) })
			z += math.Exp(ln)
		}
		for _, weight := range e.weight {
			sum += weight * math.Log(z)
		}
	}
	return sum
}
