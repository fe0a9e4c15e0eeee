package rx_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// The running example of Eisner, "Parameter estimation for probabilistic
// finite-state transducers" (2002): figures 1 (b), (c) and (a).
const runningExample = `
b = (a:p)*_λ (b:(p +_ν q))*_μ;
c = (p:x<1-ρ> | q:z)* (p:()<ρ> (p:() | q:z)*)?;
a = @b >> @c;`

// truth are the coins of the example in order of occurrence.
var truth = []float64{.7, .3, .5, .5, .2, .8, .1, .9} // λ μ ν ρ, heads and tails

func must[T any](x T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// define adds the definitions of text to c.
func define[W any](t testing.TB, c *rx.Compiler[W], text string) {
	t.Helper()
	if err := c.Load(text); err != nil {
		t.Fatal(err)
	}
}

// trainable returns a compiler whose groups are of params.
func trainable(params *em.Params, alphabet *fst.Symbols) *rx.Compiler[expr.W] {
	c := rx.NewCompiler(params.Space(), alphabet)
	c.Groups = em.Alternatives(params, nil)
	return c
}

type labels struct{ in, out string }

// arcsOf returns the weights of the arcs that leave state s, by their labels.
func arcsOf(t *testing.T, f *fst.FST[float64], s int32) map[labels]float64 {
	weights := map[labels]float64{}
	for _, a := range f.AppendArcs(nil, s) {
		names := must(f.InSymbols().Decode([]int32{a.In, a.Out}))(t)
		l := labels{names[0], names[1]}
		if _, twice := weights[l]; twice {
			t.Errorf("state %d has two arcs %v", s, l)
		}
		weights[l] = a.Weight
	}
	return weights
}

func TestRunningExample(t *testing.T) {
	params := em.NewParams()
	c := trainable(params, fst.NewSymbols("a", "b", "p", "q", "x", "z"))
	define(t, c, runningExample)
	const e = fst.EpsilonName
	for _, test := range []struct {
		name   string
		states int
		first  map[labels]float64
		stop   float64
	}{
		{"a", 4, map[labels]float64{{"a", "x"}: .63, {"a", e}: .07, {"b", "x"}: .027, {"b", e}: .003, {"b", "z"}: .12}, .15},
		{"b", 2, map[labels]float64{{"a", "p"}: .7, {"b", "p"}: .03, {"b", "q"}: .12}, .15},
		{"c", 2, map[labels]float64{{"p", "x"}: .9, {"p", e}: .1, {"q", "z"}: 1}, 1},
	} {
		f := must(c.Compile(rx.Ref(test.name)))(t)
		m := must(cascade.Instantiate(params, f, truth, semiring.Real{}))(t)
		start := m.Graph().Starts()
		if m.NumStates() != test.states || len(start) != 1 || start[0].Weight != 1 {
			t.Errorf("(%s) has %d states and the starts %v, want %d and one", test.name, m.NumStates(), start, test.states)
		}
		got := arcsOf(t, m, start[0].State)
		for l, want := range test.first {
			if math.Abs(got[l]-want) > 1e-15 {
				t.Errorf("(%s) has arcs %v, want %v of weight %g", test.name, got, l, want)
			}
		}
		if len(got) != len(test.first) {
			t.Errorf("(%s) has arcs %v, want %v", test.name, got, test.first)
		}
		if stop := m.Final(start[0].State); math.Abs(stop-test.stop) > 1e-15 {
			t.Errorf("(%s) stops with %g, want %g", test.name, stop, test.stop)
		}
		if test.name == "c" { // conditional
			continue
		}
		if sum := must(graph.PathSum(m.Graph()))(t); math.Abs(sum-1) > 1e-14 {
			t.Errorf("the weights of (%s) sum to %g", test.name, sum)
		}
	}
}

// Paths drawn from (a) reveal only their input and output: no arc of (a) is a coin.
func TestTrainingRecoversTheCoins(t *testing.T) {
	params := em.NewParams()
	c := trainable(params, fst.NewSymbols("a", "b", "p", "q", "x", "z"))
	define(t, c, runningExample)
	a := must(c.Machine("a"))(t)
	m := must(cascade.Instantiate(params, a, truth, semiring.Real{}))(t)
	const n = 20000
	data := samples(t, m, n)
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{a}}
	start := []float64{.5, .5, .4, .6, .6, .4, .3, .7}
	l := must(problem.Likelihood(cascade.Data{Examples: data}))(t)
	r := must(em.Fit(context.Background(), l, &em.Options{Start: start, Iterations: 500, Tolerance: 1e-10}))(t)
	if r.Status != em.Converged {
		t.Errorf("status %v", r.Status)
	}
	tosses := []float64{1 / .3, 1 / .5, 1, 1} // for each pair, at least
	for i, tosses := range tosses {
		p := truth[2*i]
		if se := math.Sqrt(p * (1 - p) / (tosses * n)); math.Abs(r.Theta[2*i]-p) > 6*se {
			t.Errorf("coin %d is %.4f, want %.2f ± %.4f", i, r.Theta[2*i], p, 6*se)
		}
	}
}

// samples draws n pairs of strings from m, whose weights are probabilities.
func samples(t *testing.T, m *fst.FST[float64], n int) []cascade.Example {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() cascade.Example {
		var x, y []int32
		for s := m.Graph().Starts()[0].State; ; {
			u := rng.Float64() - m.Final(s)
			if u < 0 {
				return cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...)}
			}
			for _, a := range m.AppendArcs(nil, s) {
				if u -= a.Weight; u < 0 {
					if a.In != fst.Epsilon {
						x = append(x, a.In)
					}
					if a.Out != fst.Epsilon {
						y = append(y, a.Out)
					}
					s = a.To
					break
				}
			}
			if u >= 0 {
				t.Fatalf("the weights of state %d sum to less than 1", s)
			}
		}
	}
	data := make([]cascade.Example, n)
	for i := range data {
		data[i] = draw()
	}
	return data
}
