package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/lbfgs"
	"example.org/pathsum/internal/likelihoodtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// TestRiskByEnumeration: the expected Hamming loss of a random output of the
// reference's length, given the input.
func TestRiskByEnumeration(t *testing.T) {
	some := 0
	for seed := range trials.Seeds(100) {
		rng := rand.New(rand.NewPCG(seed, 5))
		params := em.NewParams()
		g, loss := params.Group("g", 6, strengths{}), params.Group("loss", 1, em.Fixed{})
		f := acyclicMachine(t, params, g, rng)
		theta := params.Random(rng)
		s := enumerate(t, params, f, theta)
		var data []cascade.Example
		want, unit := 0.0, .1+rng.Float64()
		for range 5 {
			in, reference := randomLabels(rng, 3), randomLabels(rng, 3)
			x := cascade.Example{X: cascade.Labels(in...), Y: hamming(t, params, loss, reference), Weight: em.Times(1 + rng.Float64())}
			data = append(data, x)
			total, lost := 0.0, 0.0
			for code := range 1 << len(reference) { // all outputs of that length
				out, errs := make([]int32, 0, 3), 0
				for i, right := range reference {
					label := int32(1 + code>>i&1)
					out = append(out, label)
					if label != right {
						errs++
					}
				}
				p := s.pair[[2]string{fmt.Sprint(in), fmt.Sprint(out)}]
				total += p
				lost += p * float64(errs)
			}
			if total > 0 {
				some++
				want -= x.Weight.Float64() * unit * lost / total
			}
		}
		l := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, cascade.Data{Examples: data, Underivable: em.Skip})
		risk := &em.Risk{Likelihood: l, Loss: make([]float64, params.Len())}
		risk.Loss[loss.First()] = unit
		e, err := risk.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		if !closeTo(e.LogLikelihood, want, 1e-12) {
			t.Errorf("seed %d: minus the risk is %.12g, want %.12g", seed, e.LogLikelihood, want)
		}
		checkGradient(t, seed, risk, em.Query{Theta: theta, Temperature: .7})
	}
	if some < 100 {
		t.Errorf("only %d examples had a derivation", some)
	}
}

func hamming(t testing.TB, params *em.Params, loss *em.Group, reference []int32) cascade.Side {
	t.Helper()
	m := cascade.Hamming(params, loss.Weight(0), reference, []int32{1, 2})
	return cascade.Set(m)
}

// TestRiskDerivatives on random cascades with cycles, with random losses of any parameter.
func TestRiskDerivatives(t *testing.T) {
	for seed := range trials.Seeds(30) {
		rng := rand.New(rand.NewPCG(seed, 6))
		problem, data, theta := randomProblem(t, rng)
		risk := &em.Risk{Likelihood: likelihood(t, problem, cascade.Data{Examples: data, Underivable: em.Skip})}
		for range theta {
			risk.Loss = append(risk.Loss, rng.NormFloat64())
		}
		q := em.Query{Theta: theta, Temperature: []float64{0, .8, 1.3}[rng.IntN(3)]}
		checkGradient(t, seed, risk, q)
		likelihoodtest.Check(t, risk, q)
	}
}

// TestMinimumRisk: a channel without context that must undo a shift of symbols lowers its risk by
// following the gradient. It reaches a stationary point below its start at maximum likelihood.
func TestMinimumRisk(t *testing.T) {
	params := em.NewParams()
	loss := params.Group("loss", 1, em.Fixed{})
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(s, k.One())
	for in := int32(1); in <= 2; in++ {
		g := params.Group(fmt.Sprint("channel ", in), 2, em.Multinomial{})
		for out := int32(1); out <= 2; out++ {
			m.AddArc(s, arc(in, out, g.Weight(int(out)-1), s))
		}
	}
	rng := rand.New(rand.NewPCG(3, 3))
	var data []cascade.Example
	for range 50 {
		in := append(randomLabels(rng, 5), 1)
		reference := make([]int32, len(in))
		for i, l := range in {
			if reference[i] = 3 - l; rng.IntN(5) == 0 {
				reference[i] = l
			}
		}
		data = append(data, cascade.Example{X: cascade.Labels(in...), Y: hamming(t, params, loss, reference)})
	}
	risk := &em.Risk{Likelihood: likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}}, cascade.Data{Examples: data}), Loss: []float64{1, 0, 0, 0, 0}}
	coordinates := coordinatesOf(t, params, params.Start())
	evaluate := func(gradient, x []float64) (float64, error) {
		theta := coordinates.Theta(x)
		e, err := risk.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			return 0, err
		}
		coordinates.Gradient(gradient, theta, e.Counts)
		for i := range gradient {
			gradient[i] = -gradient[i]
		}
		return -e.LogLikelihood, nil
	}
	x := coordinates.Of(params.Start())
	before, err := evaluate(make([]float64, len(x)), x)
	if err != nil {
		t.Fatal(err)
	}
	end, err := lbfgs.Minimize(x, nil, lbfgs.Stop{Gradient: 1e-6, Evaluations: 200}, evaluate)
	if err != nil {
		t.Fatal(err)
	}
	// Each symbol maps to the majority of its references; the others are lost.
	if theta := coordinates.Theta(end.At); !(end.Value < before/2) || end.Norm() > 1e-3 || theta[2] < .99 || theta[3] < .99 {
		t.Errorf("risk %g, was %g, gradient %g, θ %v", end.Value, before, end.Norm(), theta)
	}
}

func TestRiskErrors(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	theta := problem.Params.Start()
	risk := &em.Risk{Likelihood: likelihood(t, problem, cascade.Data{Examples: data}), Loss: make([]float64, len(theta))}
	if _, err := risk.Expect(context.Background(), em.Query{Theta: theta, Tangent: theta}); !errors.Is(err, em.ErrMethod) {
		t.Errorf("second derivatives: error %v", err)
	}
	if _, err := risk.Expect(context.Background(), em.Query{Theta: theta, EStep: em.Viterbi}); !errors.Is(err, em.ErrMethod) {
		t.Errorf("best paths: error %v", err)
	}
	if _, err := em.Fit(context.Background(), risk, nil); !errors.Is(err, em.ErrMethod) {
		t.Errorf("M step: error %v", err)
	}
	theta[0] = math.NaN()
	if _, err := risk.Expect(context.Background(), em.Query{Theta: theta}); !errors.Is(err, em.ErrParameter) {
		t.Errorf("θ: error %v", err)
	}
	risk.Loss = nil
	if _, err := risk.Expect(context.Background(), em.Query{Theta: problem.Params.Start()}); !errors.Is(err, em.ErrParameter) {
		t.Errorf("no losses: error %v", err)
	}
	if fst.Err(cascade.Hamming(problem.Params, problem.Params.Groups()[0].Weight(0), []int32{1}, []int32{-3})) == nil {
		t.Error("a negative label: no error")
	}
}

// lossy accepts reference and all strings of its length, with the mark to the power loss[i] where
// symbol i+1 is wrong.
func lossy(t testing.TB, params *em.Params, mark weight, reference []int32, loss []float64) cascade.Side {
	t.Helper()
	k := params.Space()
	b := fst.NewBuilder(k)
	s := b.AddState()
	b.AddStart(s, k.One())
	for _, right := range reference {
		next := b.AddState()
		for label := int32(1); label <= 2; label++ {
			w := k.One()
			if label != right {
				w, _ = k.RealPower(mark, loss[label-1])
			}
			b.AddArc(s, arc(label, label, w, next))
		}
		s = next
	}
	b.SetFinal(s, k.One())
	return cascade.Set(freeze(t, b))
}

// TestRiskOfPowers: in a machine to the power x each path has its weight to the power x. Its cost
// has three terms. The first is the cost of its wrong outputs, which may be fractional or
// negative. The second is the cost of a unit of the exponent times ln of its weight, the third
// the cost of its parameters times x. The risk is the mean over paths, by enumeration, at any
// temperature and for any weights of examples. Its derivatives are differences.
func TestRiskOfPowers(t *testing.T) {
	derivable, ambiguous, negative := 0, 0, 0
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 65))
		params := em.NewParams()
		g, exponent, mark := params.Group("g", 6, strengths{}), params.Group("exponent", 1, strengths{}), params.Group("mark", 1, em.Fixed{})
		f := acyclicMachine(t, params, g, rng)
		theta := params.Random(rng)
		x := []float64{0, -.7, 1, 1.6, .4}[seed%5]
		theta[exponent.First()] = math.Exp(x) // the form that Power requires
		if x < 0 {
			negative++
		}
		risk := &em.Risk{Loss: make([]float64, params.Len())}
		for i := range g.Len() {
			risk.Loss[g.First()+i] = rng.NormFloat64()
		}
		risk.Loss[exponent.First()], risk.Loss[mark.First()] = rng.NormFloat64(), 1.5

		// The same machine, with each parameter moved a step along the losses.
		const step = 1e-3
		moved := append([]float64(nil), theta...)
		for i := range g.Len() {
			moved[g.First()+i] *= math.Exp(step * risk.Loss[g.First()+i])
		}
		here, there := enumerated(t, params, f, theta), enumerated(t, params, f, moved)
		loss := []float64{rng.NormFloat64(), []float64{1, .25, 1e-9, -2}[seed%4]}
		beta := []float64{1, .6, 1.8}[seed%3]
		var data []cascade.Example
		want, scale := 0.0, 1.0
		for n := range 8 {
			in, reference := randomLabels(rng, 3), randomLabels(rng, 3)
			often := []float64{1, 0, 2.5, 1e-300, 30}[n%5]
			sample := cascade.Example{X: cascade.Labels(in...), Y: lossy(t, params, mark.Weight(0), reference, loss), Weight: em.Times(often)}
			data = append(data, sample)
			total, lost, paths := 0.0, 0.0, 0
			for i, p := range here {
				if fmt.Sprint(p.in) != fmt.Sprint(in) || len(p.out) != len(reference) {
					continue
				}
				paths++
				cost := risk.Loss[exponent.First()]*p.ln + x*(there[i].ln-p.ln)/step
				for k, label := range p.out {
					if label != reference[k] {
						cost += risk.Loss[mark.First()] * loss[label-1]
					}
				}
				w := math.Exp(beta * x * p.ln)
				total += w
				lost += w * cost
			}
			if total > 0 {
				derivable++
				want -= often * lost / total
				scale += often * math.Abs(lost/total)
			}
			if paths > 1 {
				ambiguous++
			}
		}
		problem := cascade.Problem{Params: params, Stages: []cascade.Stage{cascade.Power(f, exponent.Weight(0))}}
		risk.Likelihood = likelihood(t, problem, cascade.Data{Examples: data, Underivable: em.Skip})
		for _, workers := range []int{1, 3} {
			e, err := risk.Expect(context.Background(), em.Query{Theta: theta, Temperature: beta, Workers: workers})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if math.Abs(e.LogLikelihood-want) > 1e-9*scale {
				t.Errorf("seed %d: minus the risk to the power %g is %.12g, want %.12g", seed, x, e.LogLikelihood, want)
			}
		}
		checkGradient(t, seed, risk, em.Query{Theta: theta, Temperature: beta})
	}
	if derivable < 60 || ambiguous < 30 || negative < 10 {
		t.Errorf("%d examples had a derivation, %d more than one; %d negative powers", derivable, ambiguous, negative)
	}
}

// listed is a path with the ln of its weight.
type listed struct {
	in, out []int32
	ln      float64
}

// enumerated lists the paths of f at theta.
func enumerated(t testing.TB, params *em.Params, f *fst.FST[weight], theta []float64) (all []listed) {
	t.Helper()
	m, err := cascade.Instantiate(params, f, theta, semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	for path := range oracle.Paths(m.Graph(), 20) {
		p := listed{in: []int32{}, out: []int32{}, ln: math.Log(path.Weight)}
		for _, e := range path.Arcs {
			if l := m.In()[e]; l != epsilon {
				p.in = append(p.in, l)
			}
			if l := m.Out()[e]; l != epsilon {
				p.out = append(p.out, l)
			}
		}
		all = append(all, p)
	}
	return all
}

// TestRiskRefusesLosses: a loss that is not finite is an error that names the parameter. If the
// context is done, the error is the context's.
func TestRiskRefusesLosses(t *testing.T) {
	problem, data := noisyProblem(t, em.Multinomial{})
	theta := problem.Params.Start()
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		risk := &em.Risk{Likelihood: likelihood(t, problem, cascade.Data{Examples: data}), Loss: make([]float64, len(theta))}
		risk.Loss[3] = bad
		_, err := risk.Expect(context.Background(), em.Query{Theta: theta})
		if !errors.Is(err, em.ErrParameter) {
			t.Errorf("a loss of %g: error %v, want ErrParameter", bad, err)
			continue
		}
		wantIn(t, err, "channel[3]", "finite")
	}
	risk := &em.Risk{Likelihood: likelihood(t, problem, cascade.Data{Examples: data}), Loss: make([]float64, len(theta))}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := risk.Expect(done, em.Query{Theta: theta}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	risk.Loss[0], risk.Loss[1] = 1e300, -1e300 // costs that cancel are not an overflow
	if e, err := risk.Expect(context.Background(), em.Query{Theta: theta}); err == nil && math.IsNaN(e.LogLikelihood) {
		t.Error("the risk is NaN")
	}
}
