package em_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/lawtest"
	"example.org/pathsum/internal/trials"
)

// allLaws are the laws of the package, and two custom laws. Each function draws a law, and counts
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
		alphas := []float64{1, .3 + 2*rng.Float64(), .3} // the mode may be at a border
		return em.Dirichlet{Alphas: alphas}, []float64{3 * rng.Float64(), 3 * rng.Float64(), 1}
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
	"tied Gaussian": func(t *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		points := cloud(rng, 15, 1+rng.IntN(4), 2, 1)
		law := em.TiedGaussian{Gaussian: randomGaussian(t, rng, points), Means: 1 + rng.IntN(3)}
		counts := make([]float64, law.Len())
		for i, x := range points {
			law.Gaussian.AddCounts(law.Part(counts, i%law.Means), x, rng.Float64())
		}
		return law, counts
	},
	"Poisson": func(_ *testing.T, rng *rand.Rand) (em.Coordinated, []float64) {
		law := em.Poisson{Mean: rng.ExpFloat64()}
		if rng.IntN(2) == 0 {
			law.Prior = em.PoissonPrior{Sum: rng.Float64(), Weight: rng.Float64()}
		}
		counts := make([]float64, em.PoissonLen)
		for range 10 {
			law.AddCounts(counts, rng.IntN(9), rng.Float64())
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

// Derivatives of every law agree with differences, at a random θ and, for distributions, at a
// border; and they vanish after the M step.
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

func randomCounts(rng *rand.Rand, n int) []float64 {
	counts := make([]float64, n)
	for i := range counts {
		if rng.IntN(4) > 0 {
			counts[i] = 10 * rng.ExpFloat64()
		}
	}
	return counts
}

// An invalid θ and an invalid law are rejected.
func TestLawsRefuse(t *testing.T) {
	g, normal := em.NewGaussian(2), []float64{1, 0, 0, 1, .5, 1}
	half := []float64{.5, .5}
	firing := logLinearGroup(t, em.NewParams(), 2, [][][]em.Term{{{{0, -1}}, {{1, 1}}}}, em.LogLinearOptions{})
	for says, c := range map[string]struct {
		law   em.Law
		theta []float64
	}{
		"2 fixed values for 1":            {em.Fixed{Values: half}, half[:1]},
		"sum to 0.75":                     {em.Multinomial{}, []float64{.5, .25}},
		"all parameters are zero":         {em.Multinomial{}, []float64{0, 0}},
		"sum to 1.5":                      {em.Dirichlet{Alpha: 2}, []float64{.5, 1}},
		"alpha is 0":                      {em.Dirichlet{}, half},
		"alpha is +Inf":                   {em.Dirichlet{Alpha: math.Inf(1)}, half},
		"1 values of alpha":               {em.Variational{Alphas: []float64{1}}, half},
		"pseudo-count 1 is 0":             {em.Variational{Alpha: 1}, []float64{1, 0}},
		"sigma NaN":                       {em.Exponents{Sigma: math.NaN()}, half},
		"prior around +Inf":               {em.Exponents{Mean: em.Times(math.Inf(1))}, half},
		"outcome 0 has probability 0.3":   {firing, []float64{0, 0, .3, .7}},
		"want 2 strengths and 2 outcomes": {firing, half},
		"want 6":                          {g, normal[:5]},
		"want 1":                          {g, []float64{2, 0, 0, 1, .5, 1}},
		"not positive definite":           {g, []float64{1, 0, 0, 1, 1.5, 1}},
		"sizes > 0":                       {em.NewGaussian(3, 0), normal},
		"of 1 components":                 {em.Gaussian{Blocks: []int{2}, Center: []float64{1}}, normal},
		"scale 0":                         {em.Gaussian{Blocks: []int{2}, Scale: []float64{1, 0}}, normal},
		"scale -1":                        {em.Gaussian{Blocks: []int{2}, Prior: em.GaussianPrior{Scale: []float64{1, -1}}}, normal},
		"floor 0":                         {em.Gaussian{Blocks: []int{2}, Floor: []float64{1, 0}}, normal},
		"is 0.5 of its floor [1 1]":       {em.Gaussian{Blocks: []int{2}, Floor: []float64{1, 1}}, normal},
		"0 means":                         {em.TiedGaussian{Gaussian: g}, normal},
		"6 parameters, want 12":           {em.TiedGaussian{Gaussian: g, Means: 2}, normal},
		"distributions 0 and 1 differ":    {em.TiedGaussian{Gaussian: em.NewGaussian(1), Means: 2}, []float64{1, 0, 2, 1, 0, 3}},
		"want 2":                          {em.Poisson{}, []float64{1}},
		"the first parameter is 2":        {em.Poisson{}, []float64{2, 3}},
		"the mean is -1":                  {em.Poisson{}, []float64{1, -1}},
		"mean NaN":                        {em.Poisson{Mean: math.NaN()}, []float64{1, 1}},
		"sum -1":                          {em.Poisson{Prior: em.PoissonPrior{Sum: -1}}, []float64{1, 1}},
		"weight NaN":                      {em.Gaussian{Blocks: []int{2}, Prior: em.GaussianPrior{Weight: math.NaN()}}, normal},
	} {
		if err := c.law.Check(c.theta); err == nil {
			t.Errorf("no error, want %s", says)
		} else {
			wantIn(t, err, says)
		}
	}
	if err := g.Check(normal); err != nil {
		t.Error(err)
	}
}

// An M step rejects invalid counts, and keeps θ if there are no counts.
func TestMaximizeRefuses(t *testing.T) {
	firing := logLinearGroup(t, em.NewParams(), 2, [][][]em.Term{{{{0, -1}}, {{1, 1}}}}, em.LogLinearOptions{})
	for _, c := range []struct {
		law    em.Law
		counts []float64
		want   error
	}{
		{em.Fixed{}, []float64{1, math.NaN()}, nil},
		{em.Multinomial{}, []float64{-1, 3}, em.ErrParameter},
		{em.Multinomial{}, []float64{math.NaN(), 3}, em.ErrParameter},
		{em.Multinomial{}, []float64{0, 0}, nil},
		{em.Dirichlet{Alpha: .1}, []float64{.2, .3}, em.ErrNoMode},
		{em.Dirichlet{Alpha: 1}, []float64{0, 0}, nil},
		{em.Variational{Alpha: 1}, []float64{-1, 3}, em.ErrParameter},
		{em.Exponents{Sigma: .7}, []float64{3, -1}, em.ErrMethod},
		{em.Exponents{Sigma: .7}, []float64{0, 0}, nil},
		{firing, []float64{0, 1, 1, 1}, em.ErrMethod},
		{firing, []float64{0, 0, -1, 1}, em.ErrParameter},
		{em.NewGaussian(1), []float64{-1, 0, 0}, em.ErrParameter},
		{em.NewGaussian(1), []float64{1, math.Inf(1), 1}, em.ErrParameter},
		{em.NewGaussian(1), []float64{1, 2, 4}, em.ErrNoMode},
		{em.NewGaussian(1), []float64{0, 0, 0}, nil},
		{em.Poisson{}, []float64{-1, 0}, em.ErrParameter},
		{em.Poisson{}, []float64{1, math.Inf(1)}, em.ErrParameter},
		{em.Poisson{Prior: em.PoissonPrior{Sum: 1}}, []float64{0, 0}, em.ErrNoMode},
		{em.Poisson{}, []float64{0, 0}, nil},
		{nearFair{Sigma: 1}, []float64{math.NaN(), 1}, em.ErrParameter},
		{nearFair{Sigma: 1}, []float64{0, 0}, nil},
	} {
		theta := make([]float64, len(c.counts))
		c.law.Start(theta)
		start := slices.Clone(theta)
		if err := c.law.Maximize(theta, c.counts); !errors.Is(err, c.want) {
			t.Errorf("%T with counts %g: error %v, want %v", c.law, c.counts, err, c.want)
		} else if err == nil && !slices.Equal(theta, start) {
			t.Errorf("%T with counts %g: %g, started at %g", c.law, c.counts, theta, start)
		}
	}
}

// TestVariationalBoundIsTight: without hidden variables the bound is the evidence,
// B(counts + α)/B(α), also for small α.
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
		law, counts := em.Variational{Alpha: alpha}, []float64{3, 0, 7.5, 1}
		prior, posterior, theta := make([]float64, 4), make([]float64, 4), make([]float64, 4)
		for i, c := range counts {
			prior[i], posterior[i] = alpha, alpha+c
		}
		if err := law.Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		want := lnB(posterior) - lnB(prior)
		if got := lawtest.Score(law, theta, counts) + law.LogPrior(theta); !closeTo(got, want, 1e-12) {
			t.Errorf("α = %g: bound %.15g, evidence %.15g", alpha, got, want)
		}
	}
}

// BenchmarkLogLinear measures one evaluation of an M step, probabilities and gradient, for
// 10⁴ sets of 10 outcomes with 5 terms each. The baseline does the same, with a
// table of 5 features per outcome.
func BenchmarkLogLinear(b *testing.B) {
	const d, sets, size, terms = 5000, 10000, 10, 5
	rng := rand.New(rand.NewPCG(1, 1))
	table := make([]int32, sets*size*terms)
	spec := make([][][]em.Term, sets)
	for s := range spec {
		spec[s] = make([][]em.Term, size)
		for o := range size {
			for k := range terms {
				f := rng.Int32N(d)
				table[(s*size+o)*terms+k] = f
				spec[s][o] = append(spec[s][o], em.Term{Strength: f, Times: 1})
			}
		}
	}
	params := em.NewParams()
	law := logLinearGroup(b, params, d, spec, em.LogLinearOptions{})
	theta, dx := params.Random(rng), make([]float64, d)
	counts := append(make([]float64, d), randomCounts(rng, sets*size)...)
	perTerm := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*sets*size*terms), "ns/term")
	}
	b.Run("law", func(b *testing.B) {
		for b.Loop() {
			law.Derive(theta)
			law.Gradient(dx, theta, counts)
		}
		perTerm(b)
	})
	b.Run("hand", func(b *testing.B) {
		var p [size]float64
		for b.Loop() {
			clear(dx)
			for s := range sets {
				z, n := 0., 0.
				for o := range size {
					at, score := s*size+o, 0.
					for _, f := range table[at*terms : (at+1)*terms] {
						score += theta[f]
					}
					p[o] = math.Exp(score)
					z += p[o]
					n += counts[d+at]
				}
				for o := range size {
					at := s*size + o
					excess := counts[d+at] - n*p[o]/z
					for _, f := range table[at*terms : (at+1)*terms] {
						dx[f] += excess
					}
				}
			}
		}
		perTerm(b)
	})
}

// BenchmarkDensity measures the log density of vectors of 10 components.
func BenchmarkDensity(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	points := cloud(rng, 1000, 10, 3, 1)
	for name, law := range map[string]em.Gaussian{"full": em.NewGaussian(10), "diagonal": em.NewGaussian(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)} {
		theta := make([]float64, law.Len())
		law.Start(theta)
		density, err := law.Density(theta)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, x := range points {
					density.Log(x)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(points)), "ns/vector")
		})
	}
}
