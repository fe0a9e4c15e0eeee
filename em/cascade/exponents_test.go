package cascade_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// TestPowerByEnumeration: each path of a finite machine has its weight to the power x. Normalized
// likelihoods, for each input and over all pairs, are sums of such powers.
func TestPowerByEnumeration(t *testing.T) {
	ambiguous := 0
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 61))
		params := em.NewParams()
		g, exponent := params.Group("g", 6, strengths{}), params.Group("exponent", 1, strengths{})
		f := acyclicMachine(t, params, g, rng)
		theta := params.Random(rng)
		x := math.Log(theta[exponent.First()])
		m, err := cascade.Instantiate(params, f, theta, semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		pair, input, all := map[[2]string]float64{}, map[string]float64{}, 0.0
		strings := map[[2]string][2][]int32{}
		for path := range oracle.Paths(m.Graph(), 20) {
			var in, out []int32
			for _, e := range path.Arcs {
				if l := m.In()[e]; l != epsilon {
					in = append(in, l)
				}
				if l := m.Out()[e]; l != epsilon {
					out = append(out, l)
				}
			}
			p, xy := math.Pow(path.Weight, x), [2]string{fmt.Sprint(in), fmt.Sprint(out)}
			if pair[xy] > 0 {
				ambiguous++
			}
			pair[xy] += p
			input[xy[0]] += p
			all += p
			strings[xy] = [2][]int32{in, out}
		}
		var data []cascade.Example
		conditional, joint := 0.0, 0.0
		for xy, p := range pair {
			if rng.IntN(4) > 0 {
				continue
			}
			data = append(data, cascade.Example{X: cascade.Labels(strings[xy][0]...), Y: cascade.Labels(strings[xy][1]...)})
			conditional += math.Log(p / input[xy[0]])
			joint += math.Log(p / all)
		}
		if len(data) == 0 {
			continue
		}
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{cascade.Power(f, exponent.Weight(0))}}
		q := em.Query{Theta: theta}
		for i, l := range differences(t, problem, cascade.Data{Examples: data}) {
			e, err := l.Expect(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			if want := []float64{conditional, joint}[i]; !closeTo(e.LogLikelihood, want, 1e-10) {
				t.Errorf("seed %d: likelihood %d is %.12g, want %.12g", seed, i, e.LogLikelihood, want)
			}
			checkGradient(t, seed, l, q)
			checkCurvature(t, seed, rng, l, q)
		}
	}
	if ambiguous < 30 {
		t.Errorf("only %d pairs had another path", ambiguous)
	}
}

// TestPowerInCascades: with cycles and ε, the powers of two machines, one by a real number,
// composed with others. The oracle raises the machines of numbers one by one.
func TestPowerInCascades(t *testing.T) {
	cyclic := 0
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 62))
		params := em.NewParams()
		g, exponent := params.Group("g", 6, strengths{}), params.Group("exponent", 1, strengths{})
		first, second := backwards(t, params, g, rng), backwards(t, params, g, rng)
		theta := make([]float64, params.Len())
		for i := range theta {
			theta[i] = .02 + .06*rng.Float64()
		}
		x, r := .7+.6*rng.Float64(), .8+.5*rng.Float64()
		theta[exponent.First()] = math.Exp(x)
		given := params.Space().Const(semiring.ScaledFromLog(r))
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{cascade.Power(first, exponent.Weight(0)), cascade.Power(second, given)}}
		raised := cascade.Problem{Params: params}
		for i, f := range []cascade.Stage{first, second} {
			m, err := cascade.Instantiate(params, f, theta, semiring.Real{})
			if err != nil {
				t.Fatal(err)
			}
			powers := fst.Map(m, m.Semiring(), func(w float64) float64 { return math.Pow(w, []float64{x, r}[i]) })
			raised.Stages = append(raised.Stages, cascade.Constants(params, powers))
		}
		var data []cascade.Example
		want := 0.0
		for range 8 {
			in, out := append([]int32{}, randomLabels(rng, 5)...), append([]int32{}, randomLabels(rng, 5)...)
			if p := numeric(t, problem, theta, raised.Stages, in, out); p > 0 {
				data = append(data, cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)})
				want += math.Log(p)
			}
		}
		if len(data) == 0 {
			continue
		}
		cyclic++
		l := likelihood(t, problem, cascade.Data{Examples: data})
		e, err := l.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		if !closeTo(e.LogLikelihood, want, 1e-10) {
			t.Errorf("seed %d: log likelihood %.12g, want %.12g", seed, e.LogLikelihood, want)
		}
		checkGradient(t, seed, l, em.Query{Theta: theta})
		checkGradient(t, seed, l, em.Query{Theta: theta, Temperature: .8})
		checkCurvature(t, seed, rng, l, em.Query{Theta: theta})
		risk := &em.Risk{Likelihood: l, Loss: make([]float64, params.Len())}
		for i := range g.Len() {
			risk.Loss[i] = rng.NormFloat64()
		}
		checkGradient(t, seed, risk, em.Query{Theta: theta})
	}
	if cyclic < 15 {
		t.Errorf("only %d cascades had data", cyclic)
	}
}

// TestExponentsRecovered: outputs are drawn from a product of two models, each raised to its own
// power. Both exponents are recovered.
func TestExponentsRecovered(t *testing.T) {
	params := em.NewParams()
	exponents := params.Group("exponents", 2, em.Exponents{})
	rng := rand.New(rand.NewPCG(63, 64))
	const inputs, outputs = 4, 5
	table := func(conditional bool) cascade.Stage {
		b := fst.NewBuilder(semiring.Real{})
		b.AddStates(2)
		b.AddStart(0, 1)
		b.SetFinal(1, 1)
		for in := int32(1); in <= inputs; in++ {
			for out := int32(1); out <= outputs; out++ {
				switch {
				case conditional:
					b.AddArc(0, fst.Arc[float64]{In: in, Out: out, Weight: math.Exp(rng.NormFloat64()), To: 1})
				case in == 1:
					b.AddArc(0, fst.Arc[float64]{In: out, Out: out, Weight: math.Exp(rng.NormFloat64()), To: 1})
				}
			}
		}
		f, err := b.Freeze()
		if err != nil {
			t.Fatal(err)
		}
		return cascade.Constants(params, f)
	}
	channel, language := table(true), table(false)
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{
		cascade.Power(channel, exponents.Weight(0)), cascade.Power(language, exponents.Weight(1)),
	}}
	truth := []float64{.6, 1.8}
	var data []cascade.Example
	for range 4000 {
		in := []int32{1 + rng.Int32N(inputs)}
		data = append(data, cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(outputGiven(t, problem, truth, in, rng)...)})
	}
	l := differences(t, problem, cascade.Data{Examples: data})[0]
	checkRecovery(t, l, em.LBFGS{}, params.Start(), truth)
	generalized := &em.Options{Method: em.EM{}, Tolerance: 1e-10, Iterations: 200}
	result, err := em.Fit(context.Background(), l, generalized)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range result.Theta {
		if math.Abs(x-truth[i]) > .3 {
			t.Errorf("by EM exponent %d is %g, want %g", i, x, truth[i])
		}
	}
}

// TestExponentsLaw: the start of exponents, and files.
func TestExponentsLaw(t *testing.T) {
	law := em.Exponents{Mean: em.Times(-.2), Sigma: .7}
	params := em.NewParams()
	g := params.Group("exponents", 2, law)
	if start := params.Start(); start[0] != -.2 || start[1] != -.2 {
		t.Errorf("exponents start at %v", start)
	}
	half := cascade.Constants(params, fst.FromString(semiring.Real{}, []int32{1}))
	if err := fst.Err(cascade.Power(half, expr.Zero)); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("the exponent −∞: %v", err)
	}
	f := cascade.Power(acyclicMachine(t, params, params.Group("g", 2, em.Multinomial{}), rand.New(rand.NewPCG(1, 1))), g.Weight(1))
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{f}})
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		t.Fatal(err)
	}
	again, err := cascade.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	a, b := enumerate(t, params, f, model.Theta), enumerate(t, again.Params, again.Stages[0], again.Theta)
	if a.total != b.total || again.Params.Groups()[0].Law() != em.Law(law) {
		t.Errorf("the file has a total of %g, want %g, law %v", b.total, a.total, again.Params.Groups()[0].Law())
	}
}

// TestExponentsRandom: random starts are around the mean, by half a unit.
func TestExponentsRandom(t *testing.T) {
	theta := make([]float64, 4000)
	em.Exponents{Mean: em.Times(-2)}.Random(theta, rand.NewPCG(1, 2))
	sum, squares := 0.0, 0.0
	for _, x := range theta {
		sum += x
		squares += (x + 2) * (x + 2)
	}
	n := float64(len(theta))
	// Five standard errors: of the mean .5/√n, of the variance .25·√(2/n).
	if mean, variance := sum/n, squares/n; math.Abs(mean+2) > 5*.5/math.Sqrt(n) || math.Abs(variance-.25) > 5*.25*math.Sqrt(2/n) {
		t.Errorf("mean %g and variance %g, want −2 and ¼", mean, variance)
	}
}
