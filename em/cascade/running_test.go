package cascade_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Labels of the running example of Eisner 2002, §2.
const (
	a, b    = 1, 2
	p, q    = 11, 12
	x, z    = 21, 22
	epsilon = fst.Epsilon
)

// coins are the four coins of the running example, each a group of two
// parameters: heads, tails.
type coins struct {
	params            *em.Params
	lambda, mu, nu, r *em.Group
}

func newCoins() coins {
	t := em.NewParams()
	return coins{t, t.Group("λ", 2, em.Multinomial{}), t.Group("μ", 2, em.Multinomial{}),
		t.Group("ν", 2, em.Multinomial{}), t.Group("ρ", 2, em.Multinomial{})}
}

func (c coins) theta(lambda, mu, nu, rho float64) []float64 {
	return []float64{lambda, 1 - lambda, mu, 1 - mu, nu, 1 - nu, rho, 1 - rho}
}

type weight = expr.W

func arc(in, out int32, w weight, to int32) fst.Arc[weight] {
	return fst.Arc[weight]{In: in, Out: out, Weight: w, To: to}
}

func freeze(t testing.TB, m *fst.Builder[weight]) *fst.FST[weight] {
	t.Helper()
	f, err := m.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// cascade returns machines (b) and (c) of the example.
func (c coins) cascade(t testing.TB) []cascade.Stage {
	k := c.params.Space()
	times := func(ws ...weight) weight {
		out := k.One()
		for _, w := range ws {
			out = k.Times(out, w)
		}
		return out
	}
	more, stop := c.lambda.Weight(0), c.lambda.Weight(1)
	again, end := c.mu.Weight(0), c.mu.Weight(1)
	toP, toQ := c.nu.Weight(0), c.nu.Weight(1)
	drop, keep := c.r.Weight(0), c.r.Weight(1)

	first := fst.NewBuilder(k)
	s4, s5 := first.AddState(), first.AddState()
	first.AddStart(s4, k.One())
	first.AddArc(s4, arc(a, p, more, s4))
	first.AddArc(s4, arc(b, p, times(stop, again, toP), s5))
	first.AddArc(s4, arc(b, q, times(stop, again, toQ), s5))
	first.SetFinal(s4, times(stop, end))
	first.AddArc(s5, arc(b, p, times(again, toP), s5))
	first.AddArc(s5, arc(b, q, times(again, toQ), s5))
	first.SetFinal(s5, end)

	second := fst.NewBuilder(k)
	s6, s7 := second.AddState(), second.AddState()
	second.AddStart(s6, k.One())
	second.AddArc(s6, arc(p, x, keep, s6))
	second.AddArc(s6, arc(p, epsilon, drop, s7))
	second.AddArc(s6, arc(q, z, k.One(), s6))
	second.AddArc(s7, arc(p, epsilon, k.One(), s7))
	second.AddArc(s7, arc(q, z, k.One(), s7))
	second.SetFinal(s6, k.One())
	second.SetFinal(s7, k.One())
	return []cascade.Stage{freeze(t, first), freeze(t, second)}
}

func TestRunningExampleWeights(t *testing.T) {
	c := newCoins()
	ms := c.cascade(t)
	lazy := fst.Compose(ms[0], ms[1])
	f, err := fst.Expand(lazy, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := cascade.Instantiate(c.params, f, c.theta(.7, .5, .2, .1), semiring.Real{})
	if err != nil {
		t.Fatal(err)
	}
	if m.NumStates() != 4 {
		t.Fatalf("%d states, want 4", m.NumStates())
	}
	start := m.Graph().Starts()[0].State
	got := map[[2]int32]float64{}
	sum := m.Final(start)
	for _, e := range m.AppendArcs(nil, start) {
		got[[2]int32{e.In, e.Out}] += e.Weight
		sum += e.Weight
	}
	want := map[[2]int32]float64{{a, x}: .63, {a, epsilon}: .07, {b, x}: .027, {b, epsilon}: .003, {b, z}: .12}
	for k, w := range want {
		if math.Abs(got[k]-w) > 1e-15 {
			t.Errorf("arc %v has weight %g, want %g", k, got[k], w)
		}
	}
	if len(got) != len(want) || math.Abs(m.Final(start)-.15) > 1e-15 || math.Abs(sum-1) > 1e-14 {
		t.Errorf("arcs %v stop %g sum %g", got, m.Final(start), sum)
	}
	total, err := graph.PathSum(m.Graph())
	if err != nil || math.Abs(total-1) > 1e-12 {
		t.Errorf("total %g (%v), want 1", total, err)
	}
}

// sample draws a pair of strings from the generative story of the example.
func sample(rng *rand.Rand, lambda, mu, nu, rho float64) (in, out []int32) {
	dropping := false
	emit := func(middle int32) {
		switch {
		case middle == q:
			out = append(out, z)
		case dropping:
		case rng.Float64() < rho:
			dropping = true
		default:
			out = append(out, x)
		}
	}
	for rng.Float64() < lambda {
		in = append(in, a)
		emit(p)
	}
	for rng.Float64() < mu {
		in = append(in, b)
		if rng.Float64() < nu {
			emit(p)
		} else {
			emit(q)
		}
	}
	return in, out
}

// anything returns an acceptor of all strings over labels.
func anything(t testing.TB, params *em.Params, labels ...int32) *fst.FST[weight] {
	k := params.Space()
	m := fst.NewBuilder(k)
	s := m.AddState()
	m.AddStart(s, k.One())
	m.SetFinal(s, k.One())
	for _, l := range labels {
		m.AddArc(s, arc(l, l, k.One(), s))
	}
	return freeze(t, m)
}

// TestRunningExampleRecovery trains the four coins on sampled strings. In some of them one side
// is replaced by a regular set or left out.
func TestRunningExampleRecovery(t *testing.T) {
	truth := [4]float64{.7, .5, .2, .1}
	rng := rand.New(rand.NewPCG(1, 2))
	c := newCoins()
	sigma, delta := cascade.Set(anything(t, c.params, a, b)), cascade.Set(anything(t, c.params, x, z))
	var data []cascade.Example
	n := trials.Serial(20000)
	for i := range n {
		in, out := sample(rng, truth[0], truth[1], truth[2], truth[3])
		e := cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)}
		switch i % 10 {
		case 0:
			e.Y = delta
		case 1:
			e.X = sigma
		case 2:
			e.X = cascade.Side{}
		}
		data = append(data, e)
	}
	r, err := cascade.Problem{Params: c.params, Stages: c.cascade(t)}.Fit(context.Background(), cascade.Data{Examples: data},
		&em.Options{Start: c.theta(.5, .4, .6, .3), Iterations: 500, Tolerance: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != em.Converged {
		t.Errorf("status %v", r.Status)
	}
	// Four standard errors of a coin tossed as often as in the complete data, doubled for the
	// hidden part.
	for i, want := range truth {
		tosses := float64(n) * [4]float64{1 / (1 - truth[0]), 1 / (1 - truth[1]), 1, 1}[i]
		if se := math.Sqrt(want * (1 - want) / tosses); math.Abs(r.Theta[2*i]-want) > 8*se {
			t.Errorf("coin %d is %.4f, want %.2f ± %.4f", i, r.Theta[2*i], want, 8*se)
		}
	}
}
