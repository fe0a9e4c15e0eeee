package cascade_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
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

// sampling is a likelihood and the same with sampled E steps.
type sampling struct {
	params  *em.Params
	theta   []float64
	exact   em.Likelihood
	sampled func(cascade.Sampling) em.Likelihood
}

// The kinds of randomSampling, by seed. In shared, templates divide by arguments.
const kinds, shared = 6, 3

// randomSampling returns random graphs, forests with arguments or without, cascades or trees of
// tapes, each with examples of weight 1.
func randomSampling(t *testing.T, seed uint64) sampling {
	rng := rand.New(rand.NewPCG(seed, 31))
	given := func(params *em.Params, x cascade.Derivations, theta []float64) sampling {
		x.Weight = nil
		return sampling{params, theta, must(x.Likelihood(params)), func(s cascade.Sampling) em.Likelihood { return must(x.Sampled(params, s)) }}
	}
	composed := func(problem cascade.Problem, data []cascade.Example, theta []float64) sampling {
		d := cascade.Data{Examples: data, Underivable: em.Skip}
		return sampling{problem.Params, theta, must(problem.Likelihood(d)), func(s cascade.Sampling) em.Likelihood { return must(problem.Sampled(d, s)) }}
	}
	switch seed % kinds {
	case 0:
		return given(monomials(rng))
	case 1:
		problem, _, graphs, theta := written(t, rng)
		return given(problem.Params, graphs, theta)
	case 2, shared:
		params := em.NewParams()
		x := randomTrees(rng, params, seed%kinds == shared)
		theta := make([]float64, params.Len())
		for i := range theta {
			theta[i] = .05 + .3*rng.Float64()
		}
		return given(params, x, theta)
	case 4:
		problem, data, _, theta := written(t, rng)
		for i := range data {
			data[i].Weight = em.Multiplicity{}
		}
		return composed(problem, data, theta)
	default:
		problem, seen, theta := randomTree(t, rng)
		return composed(problem, []cascade.Example{{Tapes: tapes(seen)}}, theta)
	}
}

// Sampled counts scatter around the expected ones with the covariances of the uses of parameters,
// which are second derivatives of the log likelihood: over paths and over trees. The log
// likelihood is exact, and so are the skipped examples.
func TestSampled(t *testing.T) {
	const draws = 200
	squares, n := 0.0, 0
	for seed := range trials.Seeds(180) {
		x := randomSampling(t, seed)
		for _, beta := range []float64{1, .8} {
			q := em.Query{Theta: x.theta, Temperature: beta}
			exact, err := x.exact.Expect(t.Context(), q)
			got, failed := x.sampled(cascade.Sampling{Draws: draws, Seed: seed}).Expect(t.Context(), q)
			if err != nil || failed != nil {
				if !errors.Is(err, semiring.ErrDiverges) || !errors.Is(failed, semiring.ErrDiverges) {
					t.Fatalf("seed %d: error %v, want %v", seed, failed, err)
				}
				continue
			}
			if math.Abs(got.LogLikelihood-exact.LogLikelihood) > 1e-10*(1+math.Abs(exact.LogLikelihood)) || len(got.Skipped) != len(exact.Skipped) || got.Examples != exact.Examples {
				t.Fatalf("seed %d: %g of %d without %d, want %g of %d without %d", seed, got.LogLikelihood, got.Examples, len(got.Skipped), exact.LogLikelihood, exact.Examples, len(exact.Skipped))
			}
			if beta != 1 || seed%kinds == shared {
				continue
			}
			for i := range x.theta {
				direction := make([]float64, len(x.theta))
				direction[i] = 1
				variance := must(x.exact.Expect(t.Context(), em.Query{Theta: x.theta, Tangent: direction})).Curvature[i] / draws
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
					} else if seed%kinds == 0 { // the draws determine all uses: no weight is a sum
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

// For templates that divide by arguments, second derivatives are not covariances. So the
// deviation is the sample's.
func TestSampledTemplates(t *testing.T) {
	const seeds, draws = 60, 2000
	checked := 0
	for seed := range trials.Seeds(20) {
		x := randomSampling(t, kinds*seed+shared)
		exact := must(x.exact.Expect(t.Context(), em.Query{Theta: x.theta}))
		sum, squares := make([]float64, len(x.theta)), make([]float64, len(x.theta))
		for s := range uint64(seeds) {
			got := must(x.sampled(cascade.Sampling{Draws: draws, Seed: s}).Expect(t.Context(), em.Query{Theta: x.theta}))
			for i, n := range got.Counts {
				off := n - exact.Counts[i]
				sum[i], squares[i] = sum[i]+off, squares[i]+off*off
			}
		}
		for i := range sum {
			mean, deviation := sum[i]/seeds, math.Sqrt(squares[i])/seeds
			// Uses too rare to be drawn are not in the deviation. The empirical Bernstein bound (Maurer
			// and Pontil 2009) has a second term for them: 3·18/n times the range of a draw, at a
			// probability of e⁻¹⁸. Draws for 200 seeds had up to 32 uses of a parameter.
			const rare = 3. * 18 * 32 / (seeds * draws)
			if math.Abs(mean) > 1e-9+6*deviation+rare {
				t.Fatalf("seed %d: count %d is off by %g ± %g", seed, i, mean, deviation)
			}
			if deviation > 0 {
				checked++
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d counts were checked", checked)
	}
}

// A hidden string has two values with known posteriors. Each draw counts the arcs of one value,
// and the frequency of each value equals its posterior.
func TestSampledProblemByEnumeration(t *testing.T) {
	params := em.NewParams()
	first, second := params.Group("first", 2, em.Fixed{}), params.Group("second", 2, em.Fixed{})
	space := params.Space()
	// a becomes b or c, and either becomes d.
	split := fst.FromArcs(space, map[int32]weight{1: expr.One}, []fst.Arc[weight]{{In: 'a', Out: 'b', Weight: first.Weight(0), To: 1}, {In: 'a', Out: 'c', Weight: first.Weight(1), To: 1}})
	join := fst.FromArcs(space, map[int32]weight{1: expr.One}, []fst.Arc[weight]{{In: 'b', Out: 'd', Weight: second.Weight(0), To: 1}, {In: 'c', Out: 'd', Weight: second.Weight(1), To: 1}})
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{split, join}}
	data := cascade.Pairs([][2]string{{"a", "d"}})
	data.Examples[0].Weight = em.Times(3)
	q := em.Query{Theta: []float64{.6, .4, .2, .7}}
	p := .6 * .2 / (.6*.2 + .4*.7)
	const seeds = 10_000
	b := 0
	for seed := range uint64(seeds) {
		e := must(must(problem.Sampled(data, cascade.Sampling{Draws: 1, Seed: seed})).Expect(t.Context(), q))
		switch {
		case slices.Equal(e.Counts, []float64{3, 0, 3, 0}):
			b++
		case !slices.Equal(e.Counts, []float64{0, 3, 0, 3}):
			t.Fatalf("seed %d: counts %v of one draw", seed, e.Counts)
		}
		if want := 3 * math.Log(.6*.2+.4*.7); math.Abs(e.LogLikelihood-want) > 1e-12 {
			t.Fatalf("log likelihood %g, want %g", e.LogLikelihood, want)
		}
	}
	if got := float64(b) / seeds; math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/seeds) {
		t.Errorf("b is drawn with frequency %g, want %g", got, p)
	}
}

// The draws of a Problem have the same bits for any number of workers, with kept lattices or
// without, and for a Stream. They are made from lattices for any Strategy.
func TestSampledProblemIsAFunction(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	data[7] = cascade.Example{X: cascade.Labels(1), Y: cascade.Labels(99), Name: "unknown symbol"}
	calls := 0
	var want *em.Expectations
	for _, d := range []cascade.Data{
		{Examples: data}, {Examples: data, CacheBytes: -1}, {Examples: data, Strategy: cascade.ByBlocks},
		{Stream: stream(data, &calls)}, {Stream: stream(data, &calls), CacheBytes: -1},
	} {
		d.Underivable = em.Skip
		l := must(problem.Sampled(d, cascade.Sampling{Draws: 2, Seed: 1}))
		for _, workers := range []int{1, 2, 7} {
			got := must(l.Expect(t.Context(), em.Query{Theta: problem.Params.Start(), Workers: workers}))
			if want == nil {
				want = got
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d workers, %+v: other bits", workers, got)
			}
		}
	}
	if want.WithoutLattice != 0 || len(want.Skipped) != 1 {
		t.Errorf("%d examples without a lattice, %d skipped, want 0 and 1", want.WithoutLattice, len(want.Skipped))
	}
	exact := must(must(problem.Likelihood(cascade.Data{Examples: data, Underivable: em.Skip, Strategy: cascade.ByLattice})).Expect(t.Context(), em.Query{Theta: problem.Params.Start()}))
	if slices.Equal(exact.Counts, want.Counts) || math.Abs(exact.LogLikelihood-want.LogLikelihood) > 1e-9 {
		t.Errorf("log likelihood %g and counts %v, expected %g and %v", want.LogLikelihood, want.Counts, exact.LogLikelihood, exact.Counts)
	}
	fingerprint := func(l em.Likelihood) string {
		var b bytes.Buffer
		l.Fingerprint(&b)
		return b.String()
	}
	d := cascade.Data{Examples: data, Underivable: em.Skip}
	if a := fingerprint(must(problem.Likelihood(d))); a == fingerprint(must(problem.Sampled(d, cascade.Sampling{Draws: 2}))) {
		t.Error("the fingerprint does not tell draws from expectations")
	}
}

// The same query has the same bits for any number of workers; another θ or seed has other draws.
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
	data := cascade.Data{Examples: []cascade.Example{{}}}
	if _, err := problem.Sampled(data, cascade.Sampling{Draws: -1}); !errors.Is(err, em.ErrInvalid) || !strings.Contains(err.Error(), "-1 draws") {
		t.Error(err)
	}
	if _, err := problem.Sampled(cascade.Data{}, cascade.Sampling{Draws: 1}); !errors.Is(err, em.ErrInvalid) {
		t.Error(err)
	}
	data.Pruning = &cascade.Pruning{K: 1}
	if _, err := problem.Sampled(data, cascade.Sampling{Draws: 1}); !errors.Is(err, em.ErrInvalid) || !strings.Contains(err.Error(), "Pruning") {
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

// Monte Carlo EM approaches the result of EM up to noise, and its objective may fall.
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
