package agree_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/trials"
)

var algorithms = []string{"independent", "exact", "domain", "parameter", "average", "product"}

// anyLaw draws a law: submodels have their own priors.
func anyLaw(rng *rand.Rand, _ int) em.Law {
	switch rng.IntN(3) {
	case 0:
		return em.Dirichlet{Alpha: 1 + 2*rng.Float64()}
	case 1:
		return em.Fixed{}
	}
	return em.Multinomial{}
}

// TestTraining compares several iterations of each algorithm with an implementation that lists
// all structures and computes M steps by hand.
func TestTraining(t *testing.T) {
	const iterations = 5
	for seed := range trials.Seeds(150) {
		for _, algorithm := range algorithms {
			rng := rand.New(rand.NewPCG(seed, 1))
			e := newSpace(rng, shape{tied: seed%3 == 0, private: seed%2 == 0, law: anyLaw})
			theta := e.params.Random(rng)
			what := fmt.Sprintf("seed %d, %s", seed, algorithm)
			l, err := e.likelihood(algorithm)
			if err != nil {
				t.Fatal(what, err)
			}
			r, err := em.Fit(context.Background(), l, &em.Options{Start: theta, Iterations: iterations, Tolerance: -1})
			if err != nil {
				t.Fatal(what, err)
			}
			for k, got := range r.Objective {
				want, counts := e.oracle(algorithm, theta)
				near(t, fmt.Sprintf("%s, iteration %d", what, k), got, want+e.params.LogPrior(theta))
				for _, g := range e.params.Groups() {
					if err := g.Law().Maximize(g.In(theta), g.In(counts)); err != nil {
						t.Fatal(what, err)
					}
				}
			}
			for i, got := range r.Theta {
				near(t, fmt.Sprintf("%s, parameter %d", what, i), got, theta[i])
			}
			if t.Failed() {
				return
			}
		}
	}
}

// TestSingleSubmodel: all algorithms are equal for a single submodel.
func TestSingleSubmodel(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		e := newSpace(rng, shape{private: true, law: multinomial})
		e.domain, e.private, e.use = e.domain[:1], e.private[:1], e.use[:1]
		theta := e.params.Random(rng)
		want := must(em.Fit(context.Background(), e.each("independent")[0], &em.Options{Start: theta, Iterations: 4}))
		own := must(agree.Likelihood(em.Fail, &listed{space: e, domain: func(z int) bool { return e.domain[0][z] }}))
		for _, algorithm := range append(algorithms, "own") {
			l := own
			if algorithm != "own" {
				l = must(e.likelihood(algorithm))
			}
			got := must(em.Fit(context.Background(), l, &em.Options{Start: theta, Iterations: 4}))
			for i := range want.Theta {
				near(t, fmt.Sprintf("seed %d, %s, parameter %d", seed, algorithm, i), got.Theta[i], want.Theta[i])
			}
		}
	}
}

// TestOrderOfObjectives checks the inequalities between the objectives at one θ. They are
// Propositions 1 and 2 of Liang, Klein and Jordan 2007 at the optimum of the E step, and that
// agreeing is at most as probable as each submodel generating x.
func TestOrderOfObjectives(t *testing.T) {
	strict := 0
	for seed := range trials.Seeds(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		e := newSpace(rng, shape{tied: seed%2 == 0, law: multinomial})
		q := em.Query{Theta: e.params.Random(rng)}
		value := func(algorithm string) float64 {
			return must(must(e.likelihood(algorithm)).Expect(context.Background(), q)).LogLikelihood
		}
		for m := range e.submodels() { // without private potentials b is the same for all
			e.private[m] = make([][]int, len(e.feature))
		}
		exact, independent, domain, parameter := value("exact"), value("independent"), value("domain"), value("parameter")
		union := *e
		for m := range e.submodels() {
			union.domain = append(union.domain[:m:m], make([]bool, len(e.feature)))
			for z := range e.feature {
				union.domain[m][z] = e.either(z)
			}
		}
		bound := must(must(union.likelihood("exact")).Expect(context.Background(), q)).LogLikelihood
		const rounding = 1e-12
		for _, o := range []struct {
			less, more string
			low, high  float64
		}{
			{"exact", "independent", exact, independent},
			{"domain-approximate", "exact over the union", domain, bound},
			{"exact", "domain-approximate", exact, domain},
			{"exact", "parameter-approximate", exact, parameter},
		} {
			if o.low > o.high+rounding*(1+math.Abs(o.high)) {
				t.Errorf("seed %d: %s %.17g, more than %s %.17g", seed, o.less, o.low, o.more, o.high)
			}
			if o.low < o.high-1e-6 {
				strict++
			}
		}
	}
	if strict < 300 {
		t.Errorf("only %d inequalities were strict", strict)
	}
}

// TestPropositions checks both propositions for any μ: with H_Z(μ), the maximum entropy of a
// distribution over Z with mean μ,
//
//	1: bᵀμ_m + H_{Z_m}(μ_m), averaged over m, is at most bᵀμ̄ + H_{Z∪}(μ̄),
//	2: b_mᵀμ + H_{Z∩}(μ)/M, summed over m, is at most its maximum by each m for itself.
func TestPropositions(t *testing.T) {
	for seed := range trials.Seeds(150) {
		rng := rand.New(rand.NewPCG(seed, 4))
		e := newSpace(rng, shape{law: multinomial})
		e.weight = []float64{1}
		phi := e.params.Group("feature", len(e.feature[0]), em.Fixed{}) // values exp(b)
		over := func(domain func(z int) bool) *family {
			return &family{phi: phi, likelihood: e.lattices(e.machine(domain, func(_, z int) (list []int) {
				for i, n := range e.feature[z] {
					for range n {
						list = append(list, phi.First()+i)
					}
				}
				return list
			}))}
		}
		n := float64(e.submodels())
		b, bs := random(rng, phi.Len()), [][]float64{}
		mean, left := make([]float64, phi.Len()), 0.0
		for m := range e.submodels() {
			f := over(func(z int) bool { return e.domain[m][z] })
			c := random(rng, phi.Len())
			a, mu := f.at(c)
			left += (dot(b, mu) + a - dot(c, mu)) / n // entropy: A(c) − cᵀμ
			for i := range mean {
				mean[i] += mu[i] / n
			}
			bs = append(bs, random(rng, phi.Len()))
		}
		if right := dot(b, mean) + over(e.either).entropy(t, mean); left > right+1e-7 {
			t.Errorf("seed %d: domain-approximate %.12g > %.12g", seed, left, right)
		}
		f := over(e.common)
		c := random(rng, phi.Len())
		a, mu := f.at(c)
		left, right := a-dot(c, mu), 0.0
		for _, b := range bs {
			left += dot(b, mu)
			scaled := make([]float64, len(b))
			for i := range b {
				scaled[i] = n * b[i]
			}
			a, _ := f.at(scaled)
			right += a / n
		}
		if left > right+1e-9 {
			t.Errorf("seed %d: exact %.12g > parameter-approximate %.12g", seed, left, right)
		}
	}
}

// family is the exponential family of structures with the given features.
type family struct {
	phi        *em.Group
	likelihood em.Likelihood
}

// at returns A(b) = ln Σ exp(bᵀφ) and the expected features.
func (f *family) at(b []float64) (float64, []float64) {
	theta := f.likelihood.Params().Start()
	for i, x := range b {
		f.phi.In(theta)[i] = math.Exp(x)
	}
	e := must(f.likelihood.Expect(context.Background(), em.Query{Theta: theta}))
	return e.LogLikelihood, f.phi.In(e.Counts)
}

// entropy returns H(μ) = min over c of A(c) − cᵀμ.
func (f *family) entropy(t *testing.T, mu []float64) float64 {
	s, err := lbfgs.Minimize(make([]float64, len(mu)), nil, lbfgs.Stop{Gradient: 1e-10, Evaluations: 1000},
		func(gradient, c []float64) (float64, error) {
			a, at := f.at(c)
			for i := range gradient {
				gradient[i] = at[i] - mu[i]
			}
			return a - dot(c, mu), nil
		})
	if err != nil || s.Norm() > 1e-5 {
		t.Errorf("entropy: %v, gradient %g", err, s.Norm())
	}
	return s.Value
}

func random(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// TestBestStructures: sums of likelihoods are also sums for Viterbi E steps.
func TestBestStructures(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 12))
		e := newSpace(rng, shape{private: true, law: multinomial})
		e.best = true
		q := em.Query{Theta: e.params.Random(rng), EStep: em.Viterbi}
		for _, algorithm := range algorithms[:4] {
			want, _ := e.oracle(algorithm, q.Theta)
			near(t, fmt.Sprintf("seed %d, %s", seed, algorithm), must(must(e.likelihood(algorithm)).Expect(context.Background(), q)).LogLikelihood, want)
		}
	}
}

func fixed(*rand.Rand, int) em.Law { return em.Fixed{} }

// TestDerivatives compares counts with differences of the objective, and curvatures
// with differences of counts, at any temperature.
func TestDerivatives(t *testing.T) {
	ctx := context.Background()
	for seed := range trials.Seeds(60) {
		for _, algorithm := range algorithms[:4] {
			rng := rand.New(rand.NewPCG(seed, 5))
			e := newSpace(rng, shape{tied: seed%2 == 0, private: true, law: fixed})
			l := must(e.likelihood(algorithm))
			x, direction := random(rng, e.params.Len()), random(rng, e.params.Len())
			beta := .5 + rng.Float64()
			at := func(step float64) *em.Expectations {
				theta := make([]float64, len(x))
				for i := range theta {
					theta[i] = math.Exp(x[i] + step*direction[i])
				}
				return must(l.Expect(ctx, em.Query{Theta: theta, Temperature: beta, Tangent: direction}))
			}
			const h = 1e-4
			here, up, down := at(0), at(h), at(-h)
			likelihoodtest.Check(t, l, em.Query{Theta: e.params.Start(), Temperature: beta, Tangent: direction})
			slope := (up.LogLikelihood - down.LogLikelihood) / (2 * h * beta)
			if got := dot(here.Counts, direction); math.Abs(got-slope) > 1e-5*(1+math.Abs(slope)) {
				t.Errorf("seed %d, %s: derivative %.9g, by differences %.9g", seed, algorithm, got, slope)
			}
			for i, got := range here.Curvature {
				if want := (up.Counts[i] - down.Counts[i]) / (2 * h); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("seed %d, %s: curvature %d is %.9g, by differences %.9g", seed, algorithm, i, got, want)
				}
			}
		}
	}
}

// TestWorkers: the result has the same bits for any number of goroutines.
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	e := newSpace(rng, shape{private: true, law: multinomial})
	for e.submodels() < 2 || len(e.weight) < 3 {
		e = newSpace(rng, shape{private: true, law: multinomial})
	}
	theta := e.params.Random(rng)
	for _, algorithm := range algorithms {
		var first *em.Result
		for _, workers := range []int{1, 3, 2} {
			r := must(em.Fit(context.Background(), must(e.likelihood(algorithm)), &em.Options{Start: theta, Iterations: 5, Workers: workers}))
			if first == nil {
				first = r
			}
			for i := range r.Theta {
				if r.Theta[i] != first.Theta[i] {
					t.Errorf("%s: %d workers: parameter %d is %g, not %g", algorithm, workers, i, r.Theta[i], first.Theta[i])
				}
			}
		}
	}
}

// TestWeightZero: Posterior is not called for an example of weight 0, which need not have a
// derivation.
func TestWeightZero(t *testing.T) {
	e := pair(1, 2)
	q := em.Query{Theta: e.params.Start()}
	few, more := *e, *e
	few.weight, few.use = e.weight[1:], nil
	for m := range e.use {
		few.use = append(few.use, e.use[m][1:])
	}
	more.weight = append([]float64{0}, e.weight[1:]...)
	expect := func(e *space) *em.Expectations {
		var submodels []agree.Submodel
		for _, s := range listings(e) {
			s.skip = func(x int) bool { return e.weight[x] == 0 }
			submodels = append(submodels, s)
		}
		return must(must(agree.ProductOfPosteriors(em.Fail, submodels...)).Expect(context.Background(), q))
	}
	got, want := expect(&more), expect(&few)
	near(t, "log likelihood", got.LogLikelihood, want.LogLikelihood)
	for i := range want.Counts {
		near(t, fmt.Sprint("count ", i), got.Counts[i], want.Counts[i])
	}
}
