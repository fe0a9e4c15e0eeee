package cascade_test

import (
	"context"
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
)

// normalizations returns all forms of f normalized over all pairs and for each input, as the
// likelihood of data: conditional and normalized for each form.
func normalizations(t testing.TB, params *em.Params, f cascade.Stage, data cascade.Data) (conditional, joint map[string]em.Likelihood) {
	t.Helper()
	single := func(f cascade.Stage) cascade.Problem {
		return cascade.Problem{Params: params, Stages: []cascade.Stage{f}}
	}
	ds := differences(t, single(f), data)
	return map[string]em.Likelihood{
			"ConditionalLikelihood": ds[0],
			"NormalizeConditional":  likelihood(t, single(cascade.NormalizeConditional(f, nil)), data),
		}, map[string]em.Likelihood{
			"NormalizedLikelihood": ds[1],
			"Normalize":            likelihood(t, single(cascade.Normalize(f)), data),
		}
}

// TestTemperatureByEnumeration: at a temperature β every path has the weight (w/Z)^β, in all
// forms of normalization, and counts and curvature are derivatives of the objective at β.
func TestTemperatureByEnumeration(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](40)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		params := em.NewParams()
		f := acyclicMachine(t, params, params.Group("g", 6, strengths{}), rng)
		theta := params.Random(rng)
		m, err := cascade.Instantiate(params, f, theta, semiring.Real{})
		if err != nil {
			t.Fatal(err)
		}
		total, inputs, paths := 0.0, map[string]float64{}, map[[2]string][]float64{}
		pairs := map[[2]string]cascade.Example{}
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
			pair := [2]string{fmt.Sprint(in), fmt.Sprint(out)}
			pairs[pair] = cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...), Weight: em.Times(1 + float64(len(pairs)))}
			paths[pair] = append(paths[pair], path.Weight)
			inputs[pair[0]] += path.Weight
			total += path.Weight
		}
		for _, beta := range []float64{.3, .7, 1, 1.9} {
			var data []cascade.Example
			want := map[bool]map[em.EStep]float64{true: {}, false: {}} // for each input?
			for pair, x := range pairs {
				data = append(data, x)
				for conditional, z := range map[bool]float64{true: inputs[pair[0]], false: total} {
					sum, best := 0.0, 0.0
					for _, w := range paths[pair] {
						p := math.Pow(w/z, beta)
						sum, best = sum+p, max(best, p)
					}
					want[conditional][em.Marginal] += x.Weight.Float64() * math.Log(sum)
					want[conditional][em.Viterbi] += x.Weight.Float64() * math.Log(best)
				}
			}
			conditional, joint := normalizations(t, params, f, cascade.Data{Examples: data})
			for c, forms := range map[bool]map[string]em.Likelihood{true: conditional, false: joint} {
				for name, l := range forms {
					for step, want := range want[c] {
						e, err := l.Expect(context.Background(), em.Query{Theta: theta, EStep: step, Temperature: beta})
						if err != nil {
							t.Fatalf("seed %d: %s, %v at β = %g: %v", seed, name, step, beta, err)
						}
						if !closeTo(e.LogLikelihood, want, 1e-10) {
							t.Errorf("seed %d: %s, %v at β = %g: %.12g, want %.12g", seed, name, step, beta, e.LogLikelihood, want)
						}
					}
					q := em.Query{Theta: theta, Temperature: beta}
					checkGradient(t, seed, l, q)
					checkCurvature(t, seed, rng, l, q)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}

// TestTemperatureOfConstants: constants of machines and of examples' sets are raised to the power
// β like parameters, even if they first meet in the products of an example.
func TestTemperatureOfConstants(t *testing.T) {
	params := em.NewParams()
	g := params.Group("g", 2, strengths{})
	k := params.Space()
	number := func(x float64) weight { return k.Const(semiring.NewScaled(x)) }
	machine, set := fst.NewBuilder(k), fst.NewBuilder(k)
	for _, b := range []*fst.Builder[weight]{machine, set} {
		b.AddStart(b.AddState(), k.One())
		b.SetFinal(b.AddState(), k.One())
	}
	constants, known := []float64{.5, .3}, []float64{.2, .7}
	for i, c := range constants {
		in := int32(i + 1)
		machine.AddArc(0, arc(in, x, k.Times(number(c), g.Weight(i)), 1))
		set.AddArc(0, arc(in, in, number(known[i]), 1))
	}
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, machine)}}
	l := likelihood(t, problem, cascade.Data{Examples: []cascade.Example{{X: cascade.Set(freeze(t, set)), Y: cascade.Labels(x), Weight: em.Times(3)}}})
	q := em.Query{Theta: []float64{.4, 1.1}}
	for _, q.Temperature = range []float64{.3, 1, 1.9} {
		sum := 0.0
		for i, c := range constants {
			sum += math.Pow(c*known[i]*q.Theta[i], q.Temperature)
		}
		e, err := l.Expect(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if want := 3 * math.Log(sum); !closeTo(e.LogLikelihood, want, 1e-12) {
			t.Errorf("β = %g: %.15g, want %.15g", q.Temperature, e.LogLikelihood, want)
		}
		checkGradient(t, 0, l, q)
		checkCurvature(t, 0, rand.New(rand.NewPCG(1, 2)), l, q)
	}
}

// twoLabels returns a machine that writes one of two labels by two paths each. Only the labels
// are observed, 7 times the one and 3 times the other.
func twoLabels(t testing.TB, law em.Law) (cascade.Problem, cascade.Data) {
	params := em.NewParams()
	g := params.Group("paths", 4, law)
	k := params.Space()
	m := fst.NewBuilder(k)
	s, end := m.AddState(), m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(end, k.One())
	for i := range 4 {
		m.AddArc(s, arc(a, int32(x+i/2), g.Weight(i), end))
	}
	return cascade.Problem{Params: params, Stages: []cascade.Stage{freeze(t, m)}},
		cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(a), Y: cascade.Labels(x), Weight: em.Times(7)}, {X: cascade.Labels(a), Y: cascade.Labels(x + 1), Weight: em.Times(3)}}}
}

// TestTemperatureKeepsProbabilities: at β = .1 the maximum likelihood estimate of 7 : 3 is .7, by
// every method and every normalization: by group, by Z in the likelihood, and by Z in the
// machine. The same holds at the end of annealing.
func TestTemperatureKeepsProbabilities(t *testing.T) {
	check := func(name string, l em.Likelihood, o em.Options) {
		t.Helper()
		o.Iterations, o.Tolerance = 5000, 1e-13
		o.Start = l.Params().Random(rand.New(rand.NewPCG(3, 4)))
		r, err := em.Fit(context.Background(), l, &o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		v := r.Theta
		if got := (v[0] + v[1]) / (v[0] + v[1] + v[2] + v[3]); math.Abs(got-.7) > 1e-4 {
			t.Errorf("%s, %+v: %.6f, want .7", name, o.Method, got)
		}
	}
	local, data := twoLabels(t, em.Multinomial{})
	check("by groups", likelihood(t, local, data), em.Options{Temperature: .1})
	problem, data := twoLabels(t, strengths{})
	conditional, joint := normalizations(t, problem.Params, problem.Stages[0], data)
	for _, forms := range []map[string]em.Likelihood{conditional, joint} {
		for name, l := range forms {
			check(name, l, em.Options{Temperature: .1, Method: em.LBFGS{}})
			if _, ok := l.(*em.Difference); ok {
				check(name, l, em.Options{Temperature: .1})
				check(name, l, em.Options{Method: em.Anneal{}})
			}
		}
	}
}

// TestTemperatureOfCompleteData: without hidden data the objective is the same at every
// temperature, in all forms.
func TestTemperatureOfCompleteData(t *testing.T) {
	problem, data := leakyProblem(t, strengths{})
	theta := make([]float64, problem.Params.Len())
	for i := range theta {
		theta[i] = .01 + .001*float64(i)
	}
	conditional, joint := normalizations(t, problem.Params, problem.Stages[0], cascade.Data{Examples: data[:20]})
	for _, forms := range []map[string]em.Likelihood{conditional, joint} {
		for name, l := range forms {
			var one, half *em.Expectations
			for beta, e := range map[float64]**em.Expectations{1: &one, .5: &half} {
				var err error
				if *e, err = l.Expect(context.Background(), em.Query{Theta: theta, EStep: em.Viterbi, Temperature: beta}); err != nil {
					t.Fatal(err)
				}
			}
			if got := half.LogLikelihood / .5; !closeTo(got, one.LogLikelihood, 1e-12) {
				t.Errorf("%s: objective %.12g at β = .5, %.12g at 1", name, got, one.LogLikelihood)
			}
			for i, c := range half.Counts {
				if math.Abs(c-one.Counts[i]) > 1e-9 {
					t.Errorf("%s: count %d is %g at β = .5, %g at 1", name, i, c, one.Counts[i])
				}
			}
		}
	}
}
