package cascade_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

// byArc gives each arc of a machine a separate feature and shared ones.
func byArc(s int32, a *fst.Arc[float64]) []em.Feature {
	if a == nil {
		return []em.Feature{{Name: fmt.Sprint("stop ", s)}}
	}
	return []em.Feature{{Name: fmt.Sprint(s, a.In, a.Out, a.To, a.Weight)}, {Name: fmt.Sprint("writes ", a.Out), Value: em.Times(2)}}
}

// TestLogLinearMachines: at random strengths the machines are distributions.
func TestLogLinearMachines(t *testing.T) {
	for seed := range trials.Seeds(50) {
		rng := rand.New(rand.NewPCG(seed, 6))
		params := em.NewParams()
		plain := plainMachine(t, rng, seed%2 == 0)
		joint := cascade.JointLogLinear(params, "j", plain, byArc, em.LogLinearOptions{})
		conditional := cascade.ConditionalLogLinear(params, "c", plain, byArc, em.LogLinearOptions{})
		theta := params.Random(rng)
		checkJoint(t, seed, params, joint, theta)
		checkConditional(t, seed, params, conditional, theta, rng)
		if got := params.Name(0); got != "j["+byArc(0, &plain.AppendArcs(nil, 0)[0])[0].Name+"]" {
			t.Errorf("strength 0 is called %s", got)
		}
	}
}

// editMachine is the memoryless channel over n symbols, all in one set.
func editMachine(t testing.TB, n int32) *fst.FST[float64] {
	m := fst.NewBuilder(real(semiring.Real{}))
	s := m.AddState()
	m.AddStart(s, 1)
	m.SetFinal(s, 1)
	for i := int32(1); i < (n+1)*(n+1); i++ {
		m.AddArc(s, fst.Arc[float64]{In: i / (n + 1), Out: i % (n + 1), Weight: 1, To: s})
	}
	f, err := m.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// editFeatures tie edits by kind and by symbol.
func editFeatures(_ int32, a *fst.Arc[float64]) []em.Feature {
	switch {
	case a == nil:
		return []em.Feature{{Name: "stop"}}
	case a.In == 0 || a.Out == 0:
		return []em.Feature{{Name: "indel"}, {Name: fmt.Sprint("writes ", a.Out)}}
	case a.Out == a.In%5+1:
		return []em.Feature{{Name: "shift"}}
	}
	return []em.Feature{{Name: fmt.Sprint("reads ", a.In)}, {Name: fmt.Sprint("writes ", a.Out)}}
}

// TestLogLinearTraining: EM and generalized EM rise and reach the same objective.
func TestLogLinearTraining(t *testing.T) {
	data := noisyPairs(rand.New(rand.NewPCG(3, 4)), 40, 5)
	var last []float64
	for _, step := range []em.LogLinearStep{em.Exact{}, em.Partial{Steps: 1}, em.Scaling{}} {
		params := em.NewParams()
		f := cascade.JointLogLinear(params, "edit", editMachine(t, 5), editFeatures, em.LogLinearOptions{Sigma: 3, Step: step})
		r := fit(t, cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, data, &em.Options{Iterations: 3000, Tolerance: 1e-11})
		for i := 1; i < len(r.Objective); i++ {
			if r.Objective[i] < r.Objective[i-1]-1e-10*math.Abs(r.Objective[i]) {
				t.Errorf("%T: fell from %g to %g", step, r.Objective[i-1], r.Objective[i])
			}
		}
		last = append(last, r.Last())
	}
	for _, l := range last[1:] {
		if !closeTo(l, last[0], 1e-5) {
			t.Errorf("optima %.10g", last)
		}
	}
}

// TestSaturatedTraining: with a feature for each arc, log-linear EM equals EM.
func TestSaturatedTraining(t *testing.T) {
	data := noisyPairs(rand.New(rand.NewPCG(3, 4)), 100, 3)
	own := func(s int32, a *fst.Arc[float64]) []em.Feature {
		if a == nil {
			return []em.Feature{{Name: "stop"}}
		}
		return []em.Feature{{Name: fmt.Sprint(a.In, ":", a.Out)}}
	}
	opts := &em.Options{Iterations: 10, Tolerance: -1}
	params := em.NewParams()
	f := cascade.JointLogLinear(params, "edit", editMachine(t, 3), own, em.LogLinearOptions{})
	got := fit(t, cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, data, opts)
	params = em.NewParams()
	f = cascade.Joint(params, "edit", editMachine(t, 3), em.Multinomial{})
	want := fit(t, cascade.Problem{Params: params, Stages: []cascade.Stage{f}}, data, opts)
	for i := range want.Objective {
		if !closeTo(got.Objective[i], want.Objective[i], 1e-7) {
			t.Errorf("iteration %d: %.10g, want %.10g", i, got.Objective[i], want.Objective[i])
		}
	}
}

// global returns the globally normalized machine of plain at small strengths.
func global(t testing.TB, params *em.Params, plain *fst.FST[float64]) cascade.Stage {
	t.Helper()
	often := func(s int32, a *fst.Arc[float64]) []em.Feature {
		features := byArc(s, a)
		for i := range features {
			features[i].Value = em.Times(1.25 * features[i].Value.Float64())
		}
		return features
	}
	f := cascade.GlobalLogLinear(params, "g", plain, often, em.LogLinearOptions{Sigma: 2})
	g := params.Groups()[len(params.Groups())-1]
	start := make([]float64, g.Len())
	for i := range start {
		start[i] = -2
	}
	g.SetStart(start)
	return cascade.Normalize(f)
}

// TestGlobal: the machine, whose features fire 1¼ times, sums to 1. The derivatives of its
// likelihood, where the normalizer counts negatively, are right on cyclic machines.
func TestGlobal(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		params := em.NewParams()
		f := global(t, params, plainMachine(t, rng, true))
		theta := params.Start()
		for i := range theta {
			theta[i] += .3 * rng.NormFloat64()
		}
		checkJoint(t, seed, params, f, theta)
		l := likelihood(t, cascade.Problem{Params: params, Stages: []cascade.Stage{f}},
			cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 2, 1)}, {X: cascade.Labels(2)}}})
		objective := func(theta []float64) (float64, []float64) {
			e, err := l.Expect(context.Background(), em.Query{Theta: theta})
			if err != nil {
				t.Fatal(err)
			}
			return e.LogLikelihood + params.LogPrior(theta), e.Counts
		}
		c := coordinatesOf(t, params, theta)
		x, g, dx := c.Of(theta), make([]float64, c.Dim()), make([]float64, c.Dim())
		_, counts := objective(theta)
		c.Gradient(g, theta, counts)
		for j := range g {
			clear(dx)
			dx[j] = 1
			want := derivative(func(h float64) float64 { v, _ := objective(c.Theta(shifted(x, h, dx))); return v })
			if !closeTo(g[j], want, 1e-8) {
				t.Errorf("seed %d: derivative %d is %.12g, want %.12g", seed, j, g[j], want)
			}
		}
		if _, err := em.Fit(context.Background(), l, &em.Options{Start: theta}); !errors.Is(err, em.ErrMethod) {
			t.Errorf("error %v, want ErrMethod", err)
		}
	}
}

func TestGlobalErrors(t *testing.T) {
	params := em.NewParams()
	endless := func(int32, *fst.Arc[float64]) []em.Feature {
		return []em.Feature{{Name: "endless", Value: em.Times(math.Inf(1))}}
	}
	err := fst.Err(cascade.GlobalLogLinear(params, "g", editMachine(t, 1), endless, em.LogLinearOptions{}))
	if !errors.Is(err, em.ErrParameter) {
		t.Errorf("error %v, want ErrParameter", err)
	}
	wantIn(t, err, "g[endless] fires +Inf times")
	if err := fst.Err(cascade.Normalize(editMachine(t, 1))); !errors.Is(err, semiring.ErrDiverges) {
		t.Errorf("error %v, want ErrDiverges", err)
	}
	empty := fst.NewBuilder(real(semiring.Real{}))
	empty.AddStart(empty.AddState(), 1)
	f, err := empty.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := fst.Expand(cascade.Normalize(f), nil); err != nil || n.NumStates() != 1 {
		t.Errorf("a machine without a final state: %v, %v", n, err)
	}
	whole := func(int32, *fst.Arc[float64]) []em.Feature {
		return []em.Feature{{Name: "w", Value: em.Times(-3)}, {Name: "v", Value: em.Times(5)}}
	}
	m := cascade.GlobalLogLinear(params, "whole", editMachine(t, 1), whole, em.LogLinearOptions{})
	if got := params.Space().Format(m.Final(0)); !slices.Contains([]string{"$1^-3*$2^5", "$2^5*$1^-3"}, got) {
		t.Errorf("stop weight %s", got)
	}
}
