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
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

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
