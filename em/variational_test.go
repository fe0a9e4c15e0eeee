package em_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// expected is the function that an M step maximizes.
func expected(params *em.Params, theta, counts []float64) float64 {
	sum := params.LogPrior(theta)
	for i, v := range params.Values(theta) {
		if counts[i] != 0 {
			sum += counts[i] * v.Log()
		}
	}
	return sum
}

// checkMaximize checks that the M step of the only group of params is a maximum:
// no derivative is left, and nothing at random, near or far, is higher.
func checkMaximize(t *testing.T, seed uint64, rng *rand.Rand, params *em.Params, counts []float64) []float64 {
	t.Helper()
	theta, law := params.Random(rng), params.Groups()[0].Law()
	if err := law.Maximize(theta, counts); err != nil {
		t.Fatal(err)
	}
	if err := params.Check(theta); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	best := expected(params, theta, counts)
	size := 1 + math.Abs(best)
	c := coordinatesOf(t, params, theta)
	x, g := c.Of(theta), make([]float64, c.Dim())
	c.Gradient(g, theta, counts)
	l1 := c.L1()
	for j := range g {
		slack := 0.0
		if l1 != nil {
			slack = l1[j]
			if x[j] != 0 {
				g[j] -= math.Copysign(slack, x[j])
				slack = 0
			}
		}
		if math.Abs(g[j]) > slack+1e-6*size {
			t.Errorf("seed %d: derivative %d after the M step is %g", seed, j, g[j])
		}
	}
	for range 50 {
		other := params.Random(rng)
		if rng.IntN(2) == 0 {
			dx := make([]float64, len(x))
			for j := range dx {
				dx[j] = rng.NormFloat64()
			}
			other = c.Theta(shifted(x, math.Pow(10, -3*rng.Float64()), dx))
		}
		if q := expected(params, other, counts); q > best+1e-9*size {
			t.Errorf("seed %d: %.12g after the M step, %.12g elsewhere", seed, best, q)
		}
	}
	return theta
}

func randomCounts(rng *rand.Rand, n int) []float64 {
	counts := make([]float64, n)
	for i := range counts {
		if rng.IntN(4) > 0 {
			counts[i] = 10 * rng.ExpFloat64()
		}
	}
	return counts
}

func TestVariational(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		n := 1 + rng.IntN(5)
		alphas := make([]float64, n)
		for i := range alphas {
			alphas[i] = math.Pow(10, 1-2.5*rng.Float64())
		}
		params := em.NewParams()
		params.Group("a", n, em.Variational{Alphas: alphas})
		checkCoordinates(t, seed, rng, newToy(rng, params), params.Random(rng), false)
		checkMaximize(t, seed, rng, params, randomCounts(rng, n))
	}
}

// TestVariationalBoundIsTight: where nothing is hidden the bound is the evidence,
// B(counts + α)/B(α), for small α too.
func TestVariationalBoundIsTight(t *testing.T) {
	lnB := func(a []float64) float64 {
		total, l := 0.0, 0.0
		for _, x := range a {
			g, _ := math.Lgamma(x)
			total, l = total+x, l+g
		}
		g, _ := math.Lgamma(total)
		return l - g
	}
	for _, alpha := range []float64{1, .3, 1e-3, 1e-9, 1e-200} {
		params := em.NewParams()
		g := params.Group("a", 4, em.Variational{Alpha: alpha})
		counts := []float64{3, 0, 7.5, 1}
		prior, posterior, theta := make([]float64, 4), make([]float64, 4), params.Start()
		for i, c := range counts {
			prior[i], posterior[i] = alpha, alpha+c
		}
		if err := g.Law().Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		want := lnB(posterior) - lnB(prior)
		if got := expected(params, theta, counts); !closeTo(got, want, 1e-12) {
			t.Errorf("α = %g: bound %.15g, evidence %.15g", alpha, got, want)
		}
	}
}
