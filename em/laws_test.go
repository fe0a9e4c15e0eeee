package em_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/lawtest"
	"example.org/pathsum/internal/trials"
)

// allLaws are the laws of the package, and two of one's own. Each function draws a law, and counts
// of its parameters.
var allLaws = map[string]func(t *testing.T, rng *rand.Rand) (law em.Coordinated, counts []float64){
	"fixed": func(_ *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		return em.Fixed{}, randomCounts(rng, rng.IntN(4))
	},
	"multinomial": func(_ *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		return em.Multinomial{}, randomCounts(rng, rng.IntN(6))
	},
	"Dirichlet": func(_ *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		return em.Dirichlet{Alpha: 1 + rng.Float64()}, randomCounts(rng, 1+rng.IntN(5))
	},
	"Dirichlet of low alpha": func(_ *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		return em.Dirichlet{Alphas: []float64{1, .5 + rng.Float64(), .3}}, []float64{1 + rng.ExpFloat64(), 2, 1} // a mode inside
	},
	"variational": func(_ *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		alphas := make([]float64, 1+rng.IntN(5))
		for i := range alphas {
			alphas[i] = math.Pow(10, 1-2.5*rng.Float64())
		}
		return em.Variational{Alphas: alphas}, randomCounts(rng, len(alphas))
	},
	"exponents": func(_ *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		law := em.Exponents{Mean: em.Times(rng.NormFloat64()), Sigma: float64(rng.IntN(2)) * .7}
		return law, make([]float64, rng.IntN(4)) // no M step
	},
	"log-linear": func(t *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		d := 1 + rng.IntN(4)
		sets := randomSets(rng, d)
		options := []em.LogLinearOptions{{}, {Sigma: 2}, {Scale: .5}, {Sigma: 1, Scale: 1}}[rng.IntN(4)]
		return logLinearGroup(t, em.NewParams(), d, sets, options), countsOf(rng, d, sets)
	},
	"Gaussian": func(t *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		points := cloud(rng, 15, 1+rng.IntN(4), 2, 1)
		law := randomGaussian(t, rng, points)
		counts := make([]float64, law.Len())
		for _, x := range points {
			law.AddCounts(counts, x, 1)
		}
		return law, counts
	},
	"means": func(_ *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		return means{}, []float64{3, 1, rng.NormFloat64(), rng.NormFloat64()}
	},
	"near fair": func(_ *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		return nearFair{Sigma: .2 + rng.Float64()}, randomCounts(rng, 2)
	},
}

// Derivatives of every law agree with differences, at a random θ and, of distributions, at a
// border; and the M step is where they vanish.
func TestLaws(t *testing.T) {
	for name, draw := range allLaws {
		t.Run(name, func(t *testing.T) {
			for seed := range trials.Seeds(trials.Serial[uint64](60)) {
				rng := rand.New(rand.NewPCG(seed, 1))
				law, counts := draw(t, rng)
				theta := make([]float64, len(counts))
				law.Start(theta)
				lawtest.Check(t, rng, law, theta)
				law.Random(theta, rng)
				lawtest.Check(t, rng, law, theta)
				if _, ok := law.(em.Exponents); !ok {
					lawtest.Maximize(t, rng, law, theta, counts)
				}
				if _, ok := law.(em.Valuer); !ok && len(theta) > 1 { // a zero that stays one
					theta[0], theta[1] = theta[0]+theta[1], 0
					if !math.IsInf(law.LogPrior(theta), -1) {
						lawtest.Check(t, rng, law, theta)
					}
				}
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}
