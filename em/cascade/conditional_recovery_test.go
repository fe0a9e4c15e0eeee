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
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// styles is a machine that is ambiguous in its input: a string is written in one of two styles
// throughout, and the style is hidden. One style keeps label 1 with one strength and writes 2 for
// it with another; the other style has the strengths reversed. So both read with the same
// weights, and the sums over outputs have a deterministic machine.
func styles(t testing.TB, params *em.Params) (*fst.FST[weight], []float64) {
	g := params.Group("styles", 2, strengths{})
	k := params.Space()
	m := fst.NewBuilder(k)
	plain, mixed := m.AddState(), m.AddState()
	m.AddStart(plain, g.Weight(0))
	m.AddStart(mixed, k.One())
	for _, s := range []int32{plain, mixed} {
		m.SetFinal(s, k.One())
		m.AddArc(s, arc(2, 2, k.One(), s))
	}
	m.AddArc(plain, arc(1, 1, g.Weight(1), plain))
	m.AddArc(plain, arc(1, 2, k.One(), plain))
	m.AddArc(mixed, arc(1, 1, k.One(), mixed))
	m.AddArc(mixed, arc(1, 2, g.Weight(1), mixed))
	return freeze(t, m), []float64{2, 5}
}

// insertions is a machine with a cycle that reads ε, deletions, and strengths of outputs that
// depend on previously read labels.
func insertions(t testing.TB, params *em.Params) (*fst.FST[weight], []float64) {
	g := params.Group("insertions", 4, strengths{})
	k := params.Space()
	m := fst.NewBuilder(k)
	first, second := m.AddState(), m.AddState()
	m.AddStart(first, k.One())
	m.SetFinal(first, k.One())
	m.SetFinal(second, k.One())
	m.AddArc(first, arc(1, 1, g.Weight(0), second))
	m.AddArc(first, arc(1, 2, k.One(), second))
	m.AddArc(first, arc(2, 2, k.One(), first))
	m.AddArc(first, arc(2, epsilon, g.Weight(1), first))
	m.AddArc(second, arc(epsilon, 1, g.Weight(2), second))
	m.AddArc(second, arc(1, epsilon, g.Weight(3), first))
	m.AddArc(second, arc(1, 1, k.One(), first))
	m.AddArc(second, arc(2, 2, k.One(), first))
	return freeze(t, m), []float64{3, .5, .4, .7}
}

// TestConditionalNormalizationRecovery: strengths are recovered from outputs drawn given the
// inputs, if the inputs are observed, and if they are the hidden output of a known machine.
func TestConditionalNormalizationRecovery(t *testing.T) {
	for name, model := range map[string]func(testing.TB, *em.Params) (*fst.FST[weight], []float64){
		"ambiguous input": styles, "ε": insertions,
	} {
		for _, hidden := range []bool{false, true} {
			params := em.NewParams()
			f, truth := model(t, params)
			n := cascade.NormalizeConditional(f, nil)
			problem := cascade.Problem{Params: params, Stages: []cascade.Stage{n}}
			if hidden {
				problem.Stages = []cascade.Stage{blur(t, params), n}
			}
			rng := rand.New(rand.NewPCG(31, 32))
			var data []cascade.Example
			for i := range 3000 {
				in := make([]int32, 1+rng.IntN(6))
				for j := range in {
					in[j] = 1 + rng.Int32N(2)
				}
				x := cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(outputGiven(t, problem, truth, in, rng)...)}
				if i%10 == 0 {
					x.Y = cascade.Set(anything(t, params, 1, 2))
				}
				data = append(data, x)
			}
			t.Run(fmt.Sprintf("%s, hidden %v", name, hidden), func(t *testing.T) {
				start := make([]float64, len(truth)) // all 1 is a saddle for styles, and too large for insertions
				for i, v := range truth {
					start[i] = math.Sqrt(v)
				}
				checkRecovery(t, likelihood(t, problem, cascade.Data{Examples: data}), em.LBFGS{}, start, truth)
			})
		}
	}
}

// blur sometimes replaces a label by another one.
func blur(t testing.TB, params *em.Params) *fst.FST[weight] {
	k := params.Space()
	number := func(p float64) weight { return k.Const(semiring.NewScaled(p)) }
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(s, k.One())
	for l := int32(1); l <= 2; l++ {
		m.AddArc(s, arc(l, l, number(.9), s))
		m.AddArc(s, arc(l, 3-l, number(.1), s))
	}
	return freeze(t, m)
}

// outputGiven draws an output of the cascade for in.
func outputGiven(t testing.TB, problem cascade.Problem, theta []float64, in []int32, rng *rand.Rand) []int32 {
	t.Helper()
	real := semiring.Real{}
	var chain fst.Machine[float64] = fst.FromString(real, in)
	for _, m := range problem.Stages {
		f, err := cascade.Instantiate(problem.Params, m, theta, real)
		if err != nil {
			t.Fatal(err)
		}
		chain = fst.Compose(chain, f)
	}
	lattice, err := fst.Expand(chain, nil)
	if err != nil {
		t.Fatal(err)
	}
	sampler, err := graph.NewSampler(lattice.Graph())
	if err != nil {
		t.Fatal(err)
	}
	var out []int32
	for _, e := range sampler.Sample(rng).Arcs {
		if l := lattice.Out()[e]; l != epsilon {
			out = append(out, l)
		}
	}
	return out
}

// chain is the second machine of the running example, with strengths instead of probabilities: in
// its second state each input has the weight 1, in its first other weights.
func chain(t testing.TB, params *em.Params) *fst.FST[weight] {
	g := params.Group("c", 3, strengths{})
	k := params.Space()
	m := fst.NewBuilder(k)
	s6, s7 := m.AddState(), m.AddState()
	m.AddStart(s6, k.One())
	m.SetFinal(s6, k.One())
	m.SetFinal(s7, k.One())
	m.AddArc(s6, arc(p, x, g.Weight(0), s6))
	m.AddArc(s6, arc(p, epsilon, g.Weight(1), s7))
	m.AddArc(s6, arc(q, z, g.Weight(2), s6))
	m.AddArc(s7, arc(p, epsilon, k.One(), s7))
	m.AddArc(s7, arc(q, z, k.One(), s7))
	return freeze(t, m)
}

// upTo accepts the strings over p and q of up to n labels.
func upTo(t testing.TB, ring *expr.Space, n int) *fst.FST[weight] {
	m := fst.NewBuilder(ring)
	m.AddStart(m.AddState(), ring.One())
	for i := range int32(n) {
		next := m.AddState()
		m.AddArc(i, arc(p, p, ring.One(), next))
		m.AddArc(i, arc(q, q, ring.One(), next))
	}
	for i := range int32(n + 1) {
		m.SetFinal(i, ring.One())
	}
	return freeze(t, m)
}

// TestConditionalNormalizationOfRunningExample: the first machine has a normalization, the second
// only for a finite set of inputs. There it agrees with ConditionalLikelihood. If (b) is
// normalized as well, (b)∘(c) agrees with both and sums to 1 for each input of (b).
func TestConditionalNormalizationOfRunningExample(t *testing.T) {
	c := newCoins()
	plain := chain(t, c.params)
	wantIn(t, fst.Err(cascade.NormalizeConditional(plain, &fst.Options{Limit: 10_000})), "states are not twins", "states 0 and 1", "of weights c[2] and 1", "the limit of 10000", "fst.Compose", "ConditionalLikelihood")

	const longest = 6
	first := cascade.NormalizeConditional(c.cascade(t)[0], nil)
	second := cascade.NormalizeConditional(fst.Compose(upTo(t, c.params.Space(), longest), plain), nil)
	theta := append(c.theta(.7, .5, .2, .1), 3, .5, 2)
	problem := cascade.Problem{Params: c.params, Stages: []cascade.Stage{first, second}}
	for _, in := range [][]int32{{}, {a}, {a, b}, {a, a, b, b, b, b}} {
		if got := numeric(t, problem, theta, problem.Stages, in, nil); !closeTo(got, 1, 1e-12) {
			t.Errorf("%v has %.15g over all outputs", in, got)
		}
	}
	expectAt := func(l em.Likelihood, theta []float64) *em.Expectations {
		t.Helper()
		e, err := l.Expect(context.Background(), em.Query{Theta: theta})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	checkRatio := func(in, out []int32) {
		plain := cascade.Problem{Params: em.NewParams()}
		plain.Stages = []cascade.Stage{chain(t, plain.Params)}
		data := cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(in...), Y: cascade.Labels(out...)}}}
		e := expectAt(differences(t, plain, data)[0], theta[8:])
		got := expectAt(likelihood(t, cascade.Problem{Params: c.params, Stages: []cascade.Stage{second}}, data), theta)
		if !closeTo(got.LogLikelihood, e.LogLikelihood, 1e-12) {
			t.Errorf("%v to %v: log likelihood %g, want %g", in, out, got.LogLikelihood, e.LogLikelihood)
		}
		for i, want := range e.Counts {
			if !closeTo(got.Counts[8+i], want, 1e-10) {
				t.Errorf("%v to %v: count %d is %g, want %g", in, out, i, got.Counts[8+i], want)
			}
		}
	}
	checkRatio([]int32{p, q, p}, []int32{x, z})
	checkRatio([]int32{p, p, q, p, p}, []int32{x, x, z})
}
