package cascade_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// TestVariationalTraining: the bound rises, also where α is next to nothing, the
// estimate is a distribution and a small α empties more of it.
func TestVariationalTraining(t *testing.T) {
	kept := map[float64]int{}
	for _, alpha := range []float64{1, 1e-9} {
		problem, data := noisyProblem(t, em.Variational{Alpha: alpha})
		r := fit(t, problem, data, &em.Options{Start: problem.Params.Random(rand.New(rand.NewPCG(7, 7))), Iterations: 60})
		for i := 1; i < len(r.Objective); i++ {
			if r.Objective[i] < r.Objective[i-1]-1e-9*math.Abs(r.Objective[i]) {
				t.Errorf("α = %g: bound fell from %g to %g", alpha, r.Objective[i-1], r.Objective[i])
			}
		}
		total := semiring.ScaledFloat{}
		for _, v := range problem.Params.Estimate(r.Theta) {
			total = total.Add(v)
			if v.Float64() > 1e-3 {
				kept[alpha]++
			}
		}
		if !closeTo(total.Float64(), 1, 1e-12) {
			t.Errorf("α = %g: posterior means sum to %v", alpha, total)
		}
	}
	if kept[1e-9] >= kept[1] {
		t.Errorf("parameters above 0.001 by α: %v", kept)
	}
}

// TestVariationalExtremes: no method that never lowers the bound does so where α is so small that
// values leave the range of their numbers, or so great that ln Γ of it rounds more than the bound
// rises.
func TestVariationalExtremes(t *testing.T) {
	for _, alpha := range []float64{1e-300, 1e-30, 1e-9, 1, 1e3, 1e6, 1e9} {
		problem := sparseChannel(t, em.Variational{Alpha: alpha})
		data := fourPairs()
		data.ShardSize = 1
		l := likelihood(t, problem, data)
		for seed := range trials.Seeds(20) {
			start := problem.Params.Random(rand.NewPCG(seed, 11))
			for _, m := range []em.Method{em.EM{}, em.Squarem{}, em.Incremental{}, em.Anneal{}} {
				if _, err := em.Fit(context.Background(), l, &em.Options{Method: m, Start: start, Iterations: 60}); err != nil {
					t.Errorf("α = %g, seed %d, %v: %v", alpha, seed, m, err)
				}
			}
		}
	}
}

// TestInstantiateVariational: machines are made with the posterior means.
func TestInstantiateVariational(t *testing.T) {
	params := em.NewParams()
	rng := rand.New(rand.NewPCG(3, 3))
	f := cascade.Joint(params, "f", plainMachine(t, rng, true), em.Variational{Alpha: .5})
	checkJoint(t, 3, params, f, params.Random(rng))
}
