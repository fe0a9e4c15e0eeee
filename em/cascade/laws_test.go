package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// substitutions returns a one-state machine that substitutes symbols of 1 … n: a pair of strings
// determines all of its choices.
func substitutions(t testing.TB, n int32) *fst.FST[float64] {
	m := fst.NewBuilder(real(semiring.Real{}))
	s := m.AddState()
	m.AddStart(s, 1)
	m.SetFinal(s, 1)
	for in := int32(1); in <= n; in++ {
		for out := int32(1); out <= n; out++ {
			m.AddArc(s, fst.Arc[float64]{In: in, Out: out, Weight: 1, To: s})
		}
	}
	f, err := m.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func substituted(rng *rand.Rand, n int32) []cascade.Example {
	var data []cascade.Example
	for range 40 {
		var in, out []int32
		for range 1 + rng.IntN(6) {
			s := 1 + rng.Int32N(n)
			in, out = append(in, s), append(out, min(n, s+rng.Int32N(2)))
		}
		data = append(data, cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)})
	}
	return data
}

func moves(_ int32, a *fst.Arc[float64]) []em.Feature {
	return []em.Feature{{Name: fmt.Sprint("writes ", a.Out)}, {Name: fmt.Sprint("moves ", a.Out-a.In)}}
}

// TestOneOptimum: if the problem is convex, every start and method, EM with any M step or the
// gradient, leads to the same objective.
func TestOneOptimum(t *testing.T) {
	plain := substitutions(t, 4)
	data := substituted(rand.New(rand.NewPCG(4, 4)), 4)
	type build func(p *em.Params) cascade.Stage
	law := func(l em.Law) build {
		return func(p *em.Params) cascade.Stage { return cascade.Conditional(p, "f", plain, l) }
	}
	features := func(o em.LogLinearOptions) build {
		return func(p *em.Params) cascade.Stage {
			return cascade.ConditionalLogLinear(p, "f", plain, moves, o)
		}
	}
	for name, builds := range map[string][]build{
		"Dirichlet":   {law(em.Dirichlet{Alpha: 1.5})},
		"variational": {law(em.Variational{Alpha: .5})},
		"Gaussian":    {features(em.LogLinearOptions{Sigma: 2}), features(em.LogLinearOptions{Sigma: 2, Step: em.Partial{Steps: 2}}), features(em.LogLinearOptions{Sigma: 2, Step: em.Scaling{}})},
		"Laplace":     {features(em.LogLinearOptions{Scale: 1}), features(em.LogLinearOptions{Scale: 1, Step: em.Partial{Steps: 2}}), features(em.LogLinearOptions{Scale: 1, Step: em.Scaling{}})},
	} {
		want := math.NaN()
		for i, b := range builds {
			params := em.NewParams()
			f := b(params)
			for _, method := range []em.Method{em.EM{}, em.LBFGS{}} {
				for seed := range uint64(2) {
					r := fit(t, cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, data, &em.Options{
						Method: method, Start: params.Random(rand.New(rand.NewPCG(seed, 1))), Iterations: 2000, Tolerance: 1e-13})
					got := r.Last()
					if math.IsNaN(want) {
						want = got
					}
					if !closeTo(got, want, 1e-8) {
						t.Errorf("%s, M step %d, %v from start %d: %.12g, want %.12g", name, i, method, seed, got, want)
					}
				}
			}
		}
	}
}

// TestGlobalRecovery: strengths of a cyclic, globally normalized machine are recovered from
// strings drawn from it, by gradient and by generalized EM, from any start. The normalizer is the
// same as an expression and as a likelihood.
func TestGlobalRecovery(t *testing.T) {
	letters := fst.NewBuilder(real(semiring.Real{}))
	s := letters.AddStates(2)
	letters.AddStart(s, 1)
	letters.SetFinal(s+1, 1)
	for l := int32(1); l <= 3; l++ {
		letters.AddArc(s, fst.Arc[float64]{In: l, Out: l, Weight: 1, To: s + 1})
		letters.AddArc(s+1, fst.Arc[float64]{In: l, Out: l, Weight: 1, To: s + l%2})
	}
	plain, err := letters.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	params := em.NewParams()
	f := cascade.GlobalLogLinear(params, "g", plain, func(s int32, a *fst.Arc[float64]) []em.Feature {
		if a == nil {
			return nil
		}
		return []em.Feature{{Name: fmt.Sprint(a.In)}}
	}, em.LogLinearOptions{})
	truth := []float64{math.Log(.2), math.Log(.5), math.Log(.1)}
	n := cascade.Normalize(f)
	m, err := cascade.Instantiate(params, n, truth, real(semiring.Real{}))
	if err != nil {
		t.Fatal(err)
	}
	sampler, err := graph.NewSampler(m.Graph())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	var data []cascade.Example
	for range 5000 {
		var word []int32
		for _, e := range sampler.Sample(rng).Arcs {
			word = append(word, m.In()[e])
		}
		data = append(data, cascade.Example{X: cascade.Labels(word...)})
	}
	difference, err := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}.NormalizedLikelihood(cascade.Data{Examples: data})
	if err != nil {
		t.Fatal(err)
	}
	quotient := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{n}}, cascade.Data{Examples: data})
	want, err := difference.Expect(context.Background(), em.Query{Theta: truth})
	if err != nil {
		t.Fatal(err)
	}
	got, err := quotient.Expect(context.Background(), em.Query{Theta: truth})
	if err != nil {
		t.Fatal(err)
	}
	if !closeTo(got.LogLikelihood, want.LogLikelihood, 1e-11) {
		t.Errorf("log likelihood %.12g with a quotient, %.12g with a difference", got.LogLikelihood, want.LogLikelihood)
	}
	for i := range want.Counts {
		if math.Abs(got.Counts[i]-want.Counts[i]) > 1e-7 {
			t.Errorf("count %d is %.12g with a quotient, %.12g with a difference", i, got.Counts[i], want.Counts[i])
		}
	}
	optimum := math.NaN()
	for name, c := range map[string]struct {
		likelihood em.Likelihood
		method     em.Method
	}{"generalized EM": {difference, em.EM{}}, "gradient": {difference, em.LBFGS{}}, "gradient of a quotient": {quotient, em.LBFGS{}}} {
		for _, w := range []float64{-1.5, -4} {
			r, err := em.Fit(context.Background(), c.likelihood, &em.Options{Method: c.method, Start: []float64{w, w, w}, Tolerance: 1e-12})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Last()
			if math.IsNaN(optimum) {
				optimum = got
			}
			if !closeTo(got, optimum, 1e-8) {
				t.Errorf("%s: optimum %.12g, elsewhere %.12g", name, got, optimum)
			}
			for i := range truth {
				if math.Abs(r.Theta[i]-truth[i]) > .1 {
					t.Errorf("%s: strength %d is %g, want %g", name, i, r.Theta[i], truth[i])
				}
			}
		}
	}
}

// TestProductOfExperts: two globally normalized acceptors, composed in advance or as a cascade,
// are one model with one normalizer, and its derivatives are correct.
func TestProductOfExperts(t *testing.T) {
	for seed := range trials.Seeds(10) {
		rng := rand.New(rand.NewPCG(seed, 13))
		params := em.NewParams()
		var experts []cascade.Stage
		for i := range 2 {
			f := cascade.GlobalLogLinear(params, fmt.Sprint("expert ", i), fst.ProjectIn(plainMachine(t, rng, false)), byArc, em.LogLinearOptions{Scale: 3})
			experts = append(experts, f)
		}
		theta := make([]float64, params.Len())
		for i := range theta {
			theta[i] = -1.5 + .3*rng.NormFloat64()
		}
		data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 2, 2)}, {X: cascade.Labels(2)}, {X: cascade.Labels()}}}
		composed := cascade.Normalize(fst.Compose(experts[0], experts[1]))
		stages, err := cascade.Problem{Params: params, Stages: experts}.NormalizedLikelihood(data)
		if err != nil {
			t.Fatal(err)
		}
		c := coordinatesOf(t, params, theta)
		x, g, dx := c.Of(theta), make([]float64, c.Dim()), make([]float64, c.Dim())
		for _, l := range []em.Likelihood{likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{composed}}, data), stages} {
			expect := func(x []float64) *em.Expectations {
				e, err := l.Expect(context.Background(), em.Query{Theta: c.Theta(x)})
				if err != nil {
					t.Fatal(err)
				}
				return e
			}
			c.Gradient(g, theta, expect(x).Counts)
			for j := range g {
				clear(dx)
				dx[j] = 1
				want := derivative(func(h float64) float64 { return expect(shifted(x, h, dx)).LogLikelihood })
				if !closeTo(g[j], want, 1e-8) {
					t.Errorf("seed %d: %T: derivative %d is %.12g, want %.12g", seed, l, j, g[j], want)
				}
			}
		}
		for j, w := range c.L1() {
			if w != 1./3 {
				t.Errorf("coordinate %d has the L1 weight %g, want 1/3", j, w)
			}
		}
	}
}

// TestVariationalTraining: the bound rises, also for α close to 0, the estimate is a
// distribution, and a small α makes more of it 0.
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

// TestVariationalExtremes: methods that never lower the bound do not do so at any α. For small α,
// values leave the range of their numbers; for large α, the rounding of ln Γ exceeds the rise of
// the bound.
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

// TestDistribution: probabilities of one choice sum to 1 under any law, in every use of θ and
// after a model was saved; other groups need not.
func TestDistribution(t *testing.T) {
	var arcs []fst.Arc[bool]
	for i := range int32(4) {
		arcs = append(arcs, fst.Arc[bool]{In: 1 + i/2, Out: 1 + i%2, Weight: true})
	}
	plain := fst.OneState(semiring.Boolean{}, true, arcs...)
	for name, make := range map[string]func(p *em.Params, law em.Law) (cascade.Stage, error){
		"Joint": func(p *em.Params, law em.Law) (cascade.Stage, error) { return cascade.Joint(p, "f", plain, law), nil },
		"Conditional": func(p *em.Params, law em.Law) (cascade.Stage, error) {
			return cascade.Conditional(p, "f", plain, law), nil
		},
	} {
		params := em.NewParams()
		f, err := make(params, em.Fixed{})
		if err != nil {
			t.Fatal(err)
		}
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
		data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1), Y: cascade.Labels(2)}}}
		model := cascade.NewModel(problem)
		_, notFitted := model.Fit(context.Background(), data, nil)
		_, unknown := em.LogLikelihood(context.Background(), likelihood(t, problem, data), params.Start())
		_, notMade := cascade.Instantiate(params, f, params.Start(), semiring.Real{})
		notSaved := model.Save(new(bytes.Buffer))
		for i, err := range []error{notFitted, unknown, notMade, notSaved} {
			if !errors.Is(err, em.ErrParameter) {
				t.Fatalf("%s, use %d: error %v, want ErrParameter", name, i, err)
			}
			wantIn(t, err, "group f/0", "distribution", "sum to", "want 1")
		}
		for _, g := range params.Groups() {
			start := g.In(params.Start())
			em.Multinomial{}.Start(start)
			g.SetStart(start)
		}
		model = cascade.NewModel(problem)
		if _, err := model.Fit(context.Background(), data, nil); err != nil {
			t.Errorf("%s, a start of probabilities: %v", name, err)
		}
		text := save(t, &model)
		if _, err := cascade.Load(strings.NewReader(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		loaded, err := cascade.Load(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		loaded.Theta[0] += .1
		if err := loaded.Params.Check(loaded.Theta); !errors.Is(err, em.ErrParameter) {
			t.Errorf("%s, saved: error %v, want ErrParameter", name, err)
		}
	}
	for _, law := range []em.Law{em.Exponents{}, struct{ em.Exponents }{}} {
		exponents := em.NewParams()
		exponents.Group("strengths", 3, law)
		if err := exponents.Check(exponents.Start()); err != nil {
			t.Error(err)
		}
		exponents.Distribution("choice", 3, law)
		wantIn(t, exponents.Check(exponents.Start()), "group choice", "distribution", "sum")
	}
	params := em.NewParams()
	params.Group("anything", 16, em.Fixed{})
	params.Distribution("posterior", 3, em.Variational{Alpha: 1})
	params.Distribution("empty", 0, em.Fixed{})
	if err := params.Check(params.Start()); err != nil {
		t.Error(err)
	}
	choice := params.Distribution("choice", 3, em.Fixed{Values: []float64{.5, .25, .3}})
	wantIn(t, params.Check(params.Start()), "group choice", "1.05")
	theta := params.Start()
	copy(choice.In(theta), []float64{.5, .25, .25})
	if err := params.Check(theta); err != nil {
		t.Error(err)
	}
}
