package cascade_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// normalizers are the normalizations at each state, with functions that examine their results.
var normalizers = map[string]struct {
	expressions func(cascade.Stage) cascade.Stage
	numbers     func(fst.Machine[float64]) fst.Machine[float64]
	check       func(fst.Machine[float64], float64) (*cascade.Markovian, error)
}{
	"joint":       {cascade.NormalizeStates[weight], cascade.NormalizeStates[float64], cascade.MarkovianJoint[float64]},
	"conditional": {cascade.NormalizeInputs[weight], cascade.NormalizeInputs[float64], cascade.MarkovianConditional[float64]},
}

// shares returns the divisors of the normalizations of state s as documented: per arc that leads
// to a final state, and for stopping.
func shares(m *fst.FST[float64], s int32, conditional bool) (arcs []float64, stop float64) {
	live := m.Graph().Coaccessible()
	sums, total := map[int32]float64{}, m.Final(s)
	all := m.AppendArcs(nil, s)
	if !live[s] {
		return make([]float64, len(all)), 0
	}
	for _, a := range all {
		if live[a.To] {
			sums[a.In] += a.Weight
			total += a.Weight
		}
	}
	if !conditional {
		for range all {
			arcs = append(arcs, 1/total)
		}
		return arcs, 1 / total
	}
	insert, choices := sums[epsilon], float64(len(sums))
	if insert > 0 {
		choices--
	}
	if m.Final(s) > 0 {
		choices++
	}
	coin := 0.0 // of inserting
	if insert > 0 {
		coin = 1
	}
	if choices > 0 {
		coin = insert / (insert + (total-insert)/choices)
	}
	for _, a := range all {
		if a.In == epsilon {
			arcs = append(arcs, coin/insert)
		} else {
			arcs = append(arcs, (1-coin)/sums[a.In])
		}
	}
	if m.Final(s) > 0 {
		stop = (1 - coin) / m.Final(s)
	}
	return arcs, stop
}

// TestNormalizeStatesByDefinition: at random θ, each weight is the documented quotient, and
// choices sum to 1. Over numbers the result is the same and its own normalization.
func TestNormalizeStatesByDefinition(t *testing.T) {
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 31))
		params := em.NewParams()
		g := params.Group("g", 6, strengths{})
		f := randomMachine(t, params, g, rng, 1+rng.IntN(4), 4+rng.IntN(9))
		if rng.IntN(2) == 0 { // some states do not stop, and may lead nowhere
			final := make([]weight, f.NumStates())
			final[rng.IntN(len(final))] = g.Weight(0)
			var err error
			if f, err = f.WithWeights(f.Graph().Weights(), f.AppendStarts(nil), final); err != nil {
				t.Fatal(err)
			}
		}
		theta := params.Random(rng)
		plain, err := cascade.Instantiate(params, f, theta, real(semiring.Real{}))
		if err != nil {
			t.Fatal(err)
		}
		for name, n := range normalizers {
			m, err := cascade.Instantiate(params, n.expressions(f), theta, real(semiring.Real{}))
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, name, err)
			}
			numbers, err := fst.Expand(n.numbers(plain), nil)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, name, err)
			}
			again, err := fst.Expand(n.numbers(numbers), nil)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, name, err)
			}
			live := plain.Graph().Coaccessible()
			for s := range int32(plain.NumStates()) {
				arcs, stop := shares(plain, s, name == "conditional")
				got, inNumbers, twice := m.AppendArcs(nil, s), numbers.AppendArcs(nil, s), again.AppendArcs(nil, s)
				for i, a := range plain.AppendArcs(nil, s) {
					want := a.Weight * arcs[i]
					if !live[a.To] {
						want = 0
					}
					if !closeTo(got[i].Weight, want, 1e-12) || !closeTo(inNumbers[i].Weight, want, 1e-12) || !closeTo(twice[i].Weight, want, 1e-12) {
						t.Fatalf("seed %d: %s: state %d: arc %d has %g, over numbers %g, again %g, want %g", seed, name, s, i, got[i].Weight, inNumbers[i].Weight, twice[i].Weight, want)
					}
				}
				if want := plain.Final(s) * stop; !closeTo(m.Final(s), want, 1e-12) || !closeTo(again.Final(s), want, 1e-12) {
					t.Fatalf("seed %d: %s: state %d stops with %g, again %g, want %g", seed, name, s, m.Final(s), again.Final(s), want)
				}
			}
			report, err := n.check(m, 1e-12)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Unbalanced) > 0 && live[0] {
				t.Errorf("seed %d: %s: %v", seed, name, report.Err())
			}
			if name == "joint" && live[0] && !(math.Abs(report.Lost) < 1e-9) {
				t.Errorf("seed %d: %g is lost", seed, report.Lost)
			}
		}
	}
}

// TestNormalizeStatesKeepsDistributions: machines of Joint and Conditional are unchanged.
func TestNormalizeStatesKeepsDistributions(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 32))
		for name, of := range map[string]func(*em.Params, string, fst.Machine[float64], em.Law) cascade.Stage{
			"joint": cascade.Joint[float64], "conditional": cascade.Conditional[float64],
		} {
			params := em.NewParams()
			f := of(params, "f", plainMachine(t, rng, true), em.Multinomial{})
			theta := params.Random(rng)
			var machines [2]*fst.FST[float64]
			for i, m := range []cascade.Stage{f, normalizers[name].expressions(f)} {
				var err error
				if machines[i], err = cascade.Instantiate(params, m, theta, real(semiring.Real{})); err != nil {
					t.Fatal(err)
				}
			}
			if same, err := fst.Equal(machines[0], machines[1], &fst.Options{Delta: 1e-12}); err != nil || !same {
				t.Errorf("seed %d: %s: another machine, %v", seed, name, err)
			}
		}
	}
}

// TestNormalizeStatesDerivatives: likelihoods of normalized random cascades, at temperatures
// too, have exact derivatives.
func TestNormalizeStatesDerivatives(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 33))
		problem, data, theta := randomProblem(t, rng)
		for i := range data { // the sum over x is unbounded in a conditional model
			data[i].X = cascade.Labels(randomLabels(rng, 3)...)
		}
		for name, n := range normalizers {
			normalized := problem
			normalized.Stages = nil
			for _, f := range problem.Stages {
				normalized.Stages = append(normalized.Stages, n.expressions(f))
			}
			l := likelihood(t, normalized, cascade.Data{Examples: data, Underivable: em.Skip})
			q := em.Query{Theta: theta, Temperature: []float64{0, 1.1, 1.3}[rng.IntN(3)]} // below 1 sums diverge
			checkGradient(t, seed, l, q)
			checkCurvature(t, seed, rng, l, q)
			if t.Failed() {
				t.Fatal(name)
			}
		}
	}
}

// TestNormalizeStatesAtTemperatures: a product w of parameters is (w/z)^β at the temperature β.
func TestNormalizeStatesAtTemperatures(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 34))
		params := em.NewParams()
		f := acyclicMachine(t, params, params.Group("g", 6, strengths{}), rng)
		theta, beta := params.Estimate(params.Random(rng)), .3+rng.Float64()
		for name, n := range normalizers {
			m, err := fst.Expand(n.expressions(f), nil)
			if err != nil {
				t.Fatal(err)
			}
			part := params.Space().NewSubset()
			weights := slices.Concat(m.Graph().Weights(), m.Graph().Finals())
			part.Add(weights...)
			var values [2][]semiring.ScaledFloat
			for i, beta := range []float64{1, beta} {
				if values[i], err = part.Evaluate(nil, theta, beta); err != nil {
					t.Fatal(err)
				}
			}
			for _, w := range weights {
				if got, want := values[1][w].Float64(), math.Pow(values[0][w].Float64(), beta); !closeTo(got, want, 1e-12) {
					t.Fatalf("seed %d: %s: weight %g at β = %g, want %g", seed, name, got, beta, want)
				}
			}
		}
	}
}

// superset is a grammar's approximation from above: S → a S b | c has the probabilities of a
// group, and its superset is a*cb*.
func superset(t testing.TB, params *em.Params, g *em.Group) fst.Machine[weight] {
	t.Helper()
	const a, b, c, S = 1, 2, 3, 4
	grammar, err := cfg.FromRules(params.Space(), S, []int32{a, b, c}, []cfg.Rule[weight]{
		{Left: S, Right: []int32{a, S, b}, Weight: g.Weight(0)}, {Left: S, Right: []int32{c}, Weight: g.Weight(1)}})
	if err != nil {
		t.Fatal(err)
	}
	return grammar.Superset(0)
}

// TestNormalizeStatesOfGrammar: the approximation of a grammar from above sums to infinity at
// every θ, and to 1 when it is normalized: aⁿcbᵐ has the probability pⁿ(1−p)/2^(m+1). Training of
// p by gradient finds the maximum in closed form, and the error of EM lists the applicable
// methods.
func TestNormalizeStatesOfGrammar(t *testing.T) {
	params := em.NewParams()
	g := params.Group("S", 2, em.Multinomial{})
	above := superset(t, params, g)
	f := cascade.NormalizeStates(above)
	for _, p := range []float64{.01, .3, .9} {
		theta := []float64{p, 1 - p}
		if _, err := cascade.Instantiate(params, cascade.Normalize(above), theta, semiring.Scaled{}); !errors.Is(err, semiring.ErrDiverges) {
			t.Errorf("p = %g: error %v, want ErrDiverges", p, err)
		}
		m, err := cascade.Instantiate(params, f, theta, real(semiring.Real{}))
		if err != nil {
			t.Fatal(err)
		}
		if z, err := fst.PathSum(m, nil); err != nil || !closeTo(z, 1, 1e-12) {
			t.Errorf("p = %g: the strings sum to %g, %v", p, z, err)
		}
		got, err := fst.Weight(m, []int32{1, 1, 3, 2}, []int32{1, 1, 3, 2}, nil)
		if want := p * p * (1 - p) / 4; err != nil || !closeTo(got, want, 1e-12) {
			t.Errorf("p = %g: aacb has %g, %v, want %g", p, got, err, want)
		}
	}

	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
	var data cascade.Data
	for _, s := range [][]int32{{3}, {1, 3, 2}, {1, 1, 1, 3, 2}, {3, 2, 2}} { // a occurs four times
		data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(s...)})
	}
	start := []float64{.2, .8}
	if _, err := problem.Fit(context.Background(), data, &em.Options{Start: start}); !errors.Is(err, em.ErrParameter) {
		t.Errorf("EM: error %v, want ErrParameter", err)
	} else {
		wantIn(t, err, "group S", "normalizers", "LBFGS")
	}
	r, err := problem.Fit(context.Background(), data, &em.Options{Start: start, Method: em.LBFGS{}})
	if err != nil {
		t.Fatal(err)
	}
	before, err := em.LogLikelihood(context.Background(), likelihood(t, problem, data), start)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.Objective); !(r.Objective[n-1] > before) || math.Abs(r.Theta[0]-.5) > 1e-6 {
		t.Errorf("log likelihood %v from %g, p = %g, want .5", r.Objective, before, r.Theta[0])
	}
}

// TestNormalizeStatesRefuses: sums that are not divisors are errors that name the state.
func TestNormalizeStatesRefuses(t *testing.T) {
	type arcs = []fst.Arc[float64]
	machine := func(w float64) fst.Machine[float64] {
		return fst.FromArcs(semiring.Real{}, map[int32]float64{1: 1},
			arcs{{In: 1, Out: 1, Weight: 1, To: 1}}, arcs{{In: 2, Out: 1, Weight: w, To: 1}, {In: 2, Out: 1, Weight: -1, To: 0}})
	}
	for says, w := range map[string]float64{"0": 1, "+Inf": math.Inf(1)} {
		for name, n := range normalizers {
			_, err := fst.Expand(n.numbers(machine(w)), nil)
			if name == "joint" && w == 1 {
				if err != nil { // 1 − 1 + 1
					t.Error(err)
				}
				continue
			}
			if !errors.Is(err, em.ErrParameter) {
				t.Errorf("%s: weight %g: error %v, want ErrParameter", name, w, err)
				continue
			}
			wantIn(t, err, "state 1")
			wantIn(t, err, "sum to "+says)
		}
	}
	best, err := semiring.KBest(semiring.Tropical{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func(fst.Machine[semiring.Ranked[semiring.Cost]]) fst.Machine[semiring.Ranked[semiring.Cost]]{
		cascade.NormalizeStates[semiring.Ranked[semiring.Cost]], cascade.NormalizeInputs[semiring.Ranked[semiring.Cost]],
	} {
		if err := fst.Err(f(fst.OneState(best, best.One()))); !errors.Is(err, semiring.ErrCapability) {
			t.Errorf("error %v, want ErrCapability", err)
		}
	}
	empty := fst.FromArcs(semiring.Real{}, nil, arcs{{In: 1, Out: 1, Weight: 1, To: 0}})
	for name, n := range normalizers {
		if z, err := fst.PathSum(n.numbers(empty), nil); err != nil || z != 0 {
			t.Errorf("%s: the empty machine sums to %g, %v", name, z, err)
		}
		failed := fst.Failed(real(semiring.Real{}), semiring.ErrLimit)
		if err := fst.Err(n.numbers(failed)); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("%s: error %v of a failed machine", name, err)
		}
	}
}
