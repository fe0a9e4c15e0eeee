package cascade_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

func wantIn(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}

func wantIs(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// randomMachine returns a machine over two input and two output labels, ε
// included, with tied parameters, products and sums as weights; every state is
// final. Cycles of ε:ε arcs have mass well below 1.
func randomMachine(t testing.TB, params *em.Params, g *em.Group, rng *rand.Rand, states, arcs int) *fst.FST[weight] {
	k := params.Space()
	pick := func() weight { return g.Weight(rng.IntN(g.Len())) }
	m := fst.NewBuilder(k)
	for range states {
		s := m.AddState()
		m.SetFinal(s, pick())
	}
	m.AddStart(0, k.One())
	if rng.IntN(2) == 0 {
		m.AddStart(int32(rng.IntN(states)), pick())
	}
	for range arcs {
		w := k.Times(k.Const(semiring.NewScaled(.2)), pick())
		switch rng.IntN(4) {
		case 0:
			w = k.Times(w, pick())
		case 1:
			w = k.Plus(w, k.Times(pick(), pick()))
		}
		m.AddArc(int32(rng.IntN(states)), arc(int32(rng.IntN(3)), int32(rng.IntN(3)), w, int32(rng.IntN(states))))
	}
	return freeze(t, m)
}

func randomLabels(rng *rand.Rand, n int) []int32 {
	s := make([]int32, rng.IntN(n+1))
	for i := range s {
		s[i] = 1 + int32(rng.IntN(2))
	}
	return s
}

// randomProblem returns a cascade of machines with cycles, examples, some with a hidden side, and
// a θ.
func randomProblem(t testing.TB, rng *rand.Rand) (cascade.Problem, []cascade.Example, []float64) {
	params := em.NewParams()
	g := params.Group("g", 6, em.Fixed{})
	problem := cascade.Problem{Params: params}
	for range 1 + rng.IntN(3) {
		problem.Stages = append(problem.Stages, randomMachine(t, params, g, rng, 1+rng.IntN(3), 6+rng.IntN(8)))
	}
	var data []cascade.Example
	for range 4 {
		e := cascade.Example{X: cascade.Labels(randomLabels(rng, 3)...), Y: cascade.Labels(randomLabels(rng, 3)...), Weight: em.Times(.5 + rng.Float64())}
		switch rng.IntN(4) {
		case 0:
			e.X = cascade.Side{}
		case 1:
			e.Y = cascade.Side{}
		}
		data = append(data, e)
	}
	theta := make([]float64, params.Len())
	for i := range theta {
		theta[i] = .02 + .1*rng.Float64()
	}
	return problem, data, theta
}

// mover returns a function that makes the E step q of l with every parameter moved
// by step times along in its logarithm.
func mover(t *testing.T, l em.Likelihood, q em.Query) func(step float64, along []float64) *em.Expectations {
	return func(step float64, along []float64) *em.Expectations {
		moved := q
		moved.Theta = slices.Clone(q.Theta)
		for i, d := range along {
			moved.Theta[i] *= math.Exp(step * d)
		}
		e, err := l.Expect(context.Background(), moved)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

// checkGradient compares the counts of any likelihood with differences of its value. The values
// of the parameters must be θ, and must allow changes one by one.
func checkGradient(t *testing.T, seed uint64, l em.Likelihood, q em.Query) {
	t.Helper()
	beta := q.Temperature
	if beta == 0 {
		beta = 1
	}
	expect := mover(t, l, q)
	e, one := expect(0, nil), make([]float64, len(q.Theta))
	for i, got := range e.Counts {
		clear(one)
		one[i] = 1
		want := derivative(func(h float64) float64 { return expect(h, one).LogLikelihood }) / beta
		if !closeTo(got, want, 1e-8) {
			t.Errorf("seed %d: %T: count of parameter %d is %.12g, finite difference %.12g", seed, l, i, got, want)
		}
	}
}

// checkCurvature compares, along a random direction, the curvature of any likelihood
// with differences of its counts.
func checkCurvature(t *testing.T, seed uint64, rng *rand.Rand, l em.Likelihood, q em.Query) {
	t.Helper()
	expect := mover(t, l, q)
	q.Tangent = make([]float64, len(q.Theta))
	for i := range q.Tangent {
		q.Tangent[i] = rng.NormFloat64()
	}
	e, err := l.Expect(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range e.Curvature {
		want := derivative(func(h float64) float64 { return expect(h, q.Tangent).Counts[i] })
		if !closeTo(got, want, 1e-7) {
			t.Errorf("seed %d: %T: curvature of parameter %d is %.12g, finite difference %.12g", seed, l, i, got, want)
		}
	}
	plain := expect(0, nil)
	if plain.Curvature != nil || plain.LogLikelihood != e.LogLikelihood {
		t.Errorf("seed %d: %T: without a direction the value is %.17g, with one %.17g", seed, l, plain.LogLikelihood, e.LogLikelihood)
	}
}

// TestCountsAreTheGradient on random cascades with cycles, hidden sides included.
func TestCountsAreTheGradient(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 0))
		problem, data, theta := randomProblem(t, rng)
		l := likelihood(t, problem, cascade.Data{Examples: data, Underivable: em.Skip})
		q := em.Query{Theta: theta, Temperature: []float64{1, 0, .7, 1.5}[rng.IntN(4)]}
		checkGradient(t, seed, l, q)
		checkCurvature(t, seed, rng, l, q)
	}
}

// TestLikelihoodIsThePathSum compares the likelihood of an example with the path
// sum of the eagerly composed cascade, and its counts with the expectation
// semiring run over it.
func TestLikelihoodIsThePathSum(t *testing.T) {
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		params := em.NewParams()
		g := params.Group("g", 4, em.Fixed{})
		stages := []cascade.Stage{randomMachine(t, params, g, rng, 2, 8), randomMachine(t, params, g, rng, 2, 8)}
		theta := make([]float64, params.Len())
		for i := range theta {
			theta[i] = .02 + .1*rng.Float64()
		}
		in, out := randomLabels(rng, 3), randomLabels(rng, 3)
		l := likelihood(t, cascade.Problem{Params: params, Stages: stages},
			cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(in...), Y: cascade.Labels(out...)}}, Underivable: em.Skip})
		e, err := l.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		want, counts := expectationOracle(t, params, stages, theta, in, out)
		if want == 0 {
			if len(e.Skipped) != 1 {
				t.Errorf("seed %d: not skipped", seed)
			}
			continue
		}
		if math.Abs(e.LogLikelihood-math.Log(want)) > 1e-9 {
			t.Errorf("seed %d: log likelihood %g, want %g", seed, e.LogLikelihood, math.Log(want))
		}
		for i, c := range counts {
			if math.Abs(e.Counts[i]-c/want) > 1e-9*(1+c/want) {
				t.Errorf("seed %d: count %d is %g, want %g", seed, i, e.Counts[i], c/want)
			}
		}
	}
}

// expectationOracle runs the expectation semiring with dense vectors forward
// over in ∘ T₁ ∘ T₂ ∘ out: an independent route to totals and counts.
func expectationOracle(t *testing.T, params *em.Params, stages []cascade.Stage, theta []float64, in, out []int32) (float64, []float64) {
	t.Helper()
	real := semiring.Real{}
	ring := semiring.Expectation(real, semiring.Dense(real, params.Len()))
	type pair = semiring.Expected[float64, []float64]
	values, err := expr.Map(params.Space(), ring, func(i int32) pair {
		v := make([]float64, params.Len())
		v[i] = theta[i]
		return pair{P: theta[i], V: v}
	}, func(c semiring.ScaledFloat) pair {
		return pair{P: c.Float64(), V: make([]float64, params.Len())}
	})
	if err != nil {
		t.Fatal(err)
	}
	var m fst.Machine[pair] = fst.FromString(ring, in)
	for _, f := range stages {
		m = fst.Compose(m, fsttest.Frozen(fst.Map(f, ring, func(h weight) pair { return values[h] })))
	}
	m = fst.Compose(m, fst.FromString(ring, out))
	f, err := fst.Expand(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	total, err := graph.PathSum(f.Graph())
	if err != nil {
		t.Fatal(err)
	}
	if total.V == nil {
		total.V = make([]float64, params.Len())
	}
	return total.P, total.V
}
