package cascade_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// monomials returns random cyclic graphs with a parameter on each arc and each end.
func monomials(rng *rand.Rand) (*em.Params, cascade.Derivations, []float64) {
	const states = 4
	params := em.NewParams()
	g := params.Group("g", 12, em.Fixed{})
	theta := make([]float64, params.Len())
	for i := range theta {
		theta[i] = .05 + .2*rng.Float64()
	}
	var graphs []*graph.Graph[weight]
	for range 3 {
		row, to, weights, finals := []int32{0}, []int32(nil), []weight(nil), []weight(nil)
		for range states {
			for range 1 + rng.IntN(3) {
				to, weights = append(to, int32(rng.IntN(states))), append(weights, g.Weight(rng.IntN(g.Len())))
			}
			row, finals = append(row, int32(len(to))), append(finals, g.Weight(rng.IntN(g.Len())))
		}
		graphs = append(graphs, must(graph.New(params.Space(), row, to, weights, []graph.Start[weight]{{State: 0, Weight: expr.One}}, finals)))
	}
	return params, cascade.Derivations{Examples: len(graphs), Graph: func(i int) (*graph.Graph[weight], error) { return graphs[i], nil }}, theta
}

// Sampled counts scatter about the expected ones as the second derivatives of the log likelihood
// say, which are the covariances of the uses of parameters: over paths and over trees. The log
// likelihood is exact, and so are the examples that are skipped.
func TestSampled(t *testing.T) {
	const draws = 200
	squares, n := 0.0, 0
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 31))
		var params *em.Params
		var x cascade.Derivations
		var theta []float64
		switch seed % 3 {
		case 0:
			params, x, theta = monomials(rng)
		case 1:
			problem, _, graphs, at := written(t, rng)
			params, x, theta = problem.Params, graphs, at
		default:
			params = em.NewParams()
			x = randomTrees(rng, params, false)
			for range params.Len() {
				theta = append(theta, .05+.3*rng.Float64())
			}
		}
		x.Weight = nil
		for _, beta := range []float64{1, .8} {
			exact := must(must(x.Likelihood(params)).Expect(t.Context(), em.Query{Theta: theta, Temperature: beta}))
			got := must(must(x.Sampled(params, cascade.Sampling{Draws: draws, Seed: seed})).Expect(t.Context(), em.Query{Theta: theta, Temperature: beta}))
			if math.Abs(got.LogLikelihood-exact.LogLikelihood) > 1e-10*(1+math.Abs(exact.LogLikelihood)) || len(got.Skipped) != len(exact.Skipped) || got.Examples != exact.Examples {
				t.Fatalf("seed %d: %g of %d without %d, want %g of %d without %d", seed, got.LogLikelihood, got.Examples, len(got.Skipped), exact.LogLikelihood, exact.Examples, len(exact.Skipped))
			}
			if beta != 1 {
				continue
			}
			for i := range theta {
				direction := make([]float64, len(theta))
				direction[i] = 1
				variance := must(must(x.Likelihood(params)).Expect(t.Context(), em.Query{Theta: theta, Tangent: direction})).Curvature[i] / draws
				off := got.Counts[i] - exact.Counts[i]
				if variance < 1e-12 {
					if math.Abs(off) > 1e-6 {
						t.Fatalf("seed %d: count %d is %g, certainly %g", seed, i, got.Counts[i], exact.Counts[i])
					}
					continue
				}
				if variance*draws > .05 { // enough draws for a normal distribution
					if z := off / math.Sqrt(variance); math.Abs(z) > 5.5 {
						t.Fatalf("seed %d: count %d is %g, expected %g ± %g", seed, i, got.Counts[i], exact.Counts[i], math.Sqrt(variance))
					} else if seed%3 == 0 { // the draws choose all: no weight is a sum
						squares, n = squares+z*z, n+1
					}
				}
			}
		}
	}
	// The standard deviation of the mean of n squares is √(2/n), if they are independent.
	if mean := squares / float64(n); n < 100 || math.Abs(mean-1) > 5*math.Sqrt(2/float64(n)) {
		t.Errorf("the mean square of %d deviations is %g, want 1", n, mean)
	}
}

// The same query has the same bits for any number of workers, another θ or seed has other draws.
// Shards add up.
func TestSampledIsAFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 31))
	params, x, theta := monomials(rng)
	at := func(s cascade.Sampling, q em.Query) []float64 {
		return must(must(x.Sampled(params, s)).Expect(t.Context(), q)).Counts
	}
	first := at(cascade.Sampling{Draws: 3, Seed: 1}, em.Query{Theta: theta, Workers: 1})
	if !slices.Equal(first, at(cascade.Sampling{Draws: 3, Seed: 1}, em.Query{Theta: theta, Workers: 4})) {
		t.Error("workers change the draws")
	}
	if slices.Equal(first, at(cascade.Sampling{Draws: 3, Seed: 2}, em.Query{Theta: theta})) {
		t.Error("the seed does not change the draws")
	}
	shards, sum := must(x.Sampled(params, cascade.Sampling{Draws: 3, Seed: 1})), make([]float64, len(theta))
	for i := range shards.Shards() {
		for k, n := range must(shards.Expect(t.Context(), em.Query{Theta: theta, Lo: i, Hi: i + 1})).Counts {
			sum[k] += n
		}
	}
	for k := range sum {
		if math.Abs(sum[k]-first[k]) > 1e-12 {
			t.Errorf("count %d is %g by shards, %g at once", k, sum[k], first[k])
		}
	}
	var a, b bytes.Buffer
	must(x.Sampled(params, cascade.Sampling{Draws: 3, Seed: 1})).Fingerprint(&a)
	must(x.Sampled(params, cascade.Sampling{Draws: 3, Seed: 2})).Fingerprint(&b)
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the fingerprint does not know the seed")
	}
}

func TestSampledErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 31))
	problem, _, x, theta := written(t, rng)
	if _, err := x.Sampled(problem.Params, cascade.Sampling{}); !errors.Is(err, em.ErrInvalid) {
		t.Error(err)
	}
	if _, err := (cascade.Derivations{}).Sampled(problem.Params, cascade.Sampling{Draws: 1}); !errors.Is(err, em.ErrInvalid) {
		t.Error(err)
	}
	params := em.NewParams()
	trees := randomTrees(rng, params, false)
	trees.Arguments = func(i int, dst []expr.W) ([]expr.W, error) { return dst, nil }
	if _, err := trees.Sampled(params, cascade.Sampling{Draws: 1}); !errors.Is(err, em.ErrInvalid) || !strings.Contains(err.Error(), "arguments") {
		t.Error(err)
	}
	l := must(x.Sampled(problem.Params, cascade.Sampling{Draws: 1}))
	for _, q := range []em.Query{{Theta: theta, EStep: em.Viterbi}, {Theta: theta, Tangent: theta}} {
		if _, err := l.Expect(t.Context(), q); !errors.Is(err, semiring.ErrCapability) {
			t.Error(err)
		}
	}
	x.Underivable = em.Fail
	zero := make([]float64, len(theta))
	if _, err := must(x.Sampled(problem.Params, cascade.Sampling{Draws: 1})).Expect(t.Context(), em.Query{Theta: zero}); !errors.Is(err, em.ErrUnderivable) {
		t.Error(err)
	}
	if h, ok := l.(em.Heuristic); !ok || !h.Heuristic() {
		t.Error("a sampled E step passes for an exact one")
	}
}

// Monte Carlo EM goes where EM goes, up to noise, and may fall on the way.
func TestMonteCarloEM(t *testing.T) {
	params := em.NewParams()
	a, b := params.Group("A", 2, em.Multinomial{}), params.Group("B", 2, em.Multinomial{})
	a.SetStart([]float64{.6, .4})
	space := params.Space()
	throws := func(g *em.Group, heads int) weight {
		w := space.Const(semiring.NewScaled(.5))
		for i := range 10 {
			side := 0
			if i >= heads {
				side = 1
			}
			w = space.Times(w, g.Weight(side))
		}
		return w
	}
	var graphs []*graph.Graph[weight]
	for _, heads := range []int{5, 9, 8, 4, 7} {
		graphs = append(graphs, must(graph.New(space, []int32{0, 2, 2}, []int32{1, 1}, []weight{throws(a, heads), throws(b, heads)},
			[]graph.Start[weight]{{State: 0, Weight: expr.One}}, []weight{expr.Zero, expr.One})))
	}
	x := cascade.Derivations{Examples: len(graphs), Graph: func(i int) (*graph.Graph[weight], error) { return graphs[i], nil }}
	exact := must(em.Fit(t.Context(), must(x.Likelihood(params)), nil))
	got := must(em.Fit(t.Context(), must(x.Sampled(params, cascade.Sampling{Draws: 2000, Seed: 1})), &em.Options{Iterations: 40, Tolerance: -1}))
	for i, p := range exact.Theta { // 0.80 and 0.52
		if math.Abs(got.Theta[i]-p) > .02 {
			t.Errorf("θ %d is %g, by exact E steps %g", i, got.Theta[i], p)
		}
	}
	falls := false
	for i := 1; i < len(got.Objective); i++ {
		falls = falls || got.Objective[i] < got.Objective[i-1]
	}
	if len(got.Objective) < 40 || !falls {
		t.Errorf("%d objectives, and none below the one before", len(got.Objective))
	}
}
