package bayes_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/lawtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

// Derivatives agree with differences. The mode is where they vanish: N·p − counts + β·w = 0, which
// has one solution.
func TestRidgeMaximize(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](1000)) {
		rng := graphtest.Rand(seed)
		counts, theta := make([]float64, 1+rng.IntN(5)), make([]float64, 0)
		total := 0.
		for i := range counts {
			if rng.IntN(3) > 0 {
				counts[i] = math.Pow(10, 8*rng.Float64()-3)
			}
			total += counts[i]
		}
		theta = append(theta, counts...)
		r := bayes.Ridge{Beta: math.Pow(10, 8*rng.Float64()-6)}
		if err := r.Maximize(theta, counts); err != nil {
			t.Fatal(err)
		}
		if err := r.Check(theta); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if seed%20 == 0 {
			p := make([]float64, len(theta))
			r.Random(p, rng)
			lawtest.Check(t, rng, bayes.Ridge{Beta: .1 + rng.Float64()}, p)
		}
		mean := 0.
		for _, p := range theta {
			mean += math.Log(p) / float64(len(theta))
		}
		for i, p := range theta {
			if g := total*p - counts[i] + r.Beta*(math.Log(p)-mean); math.Abs(g) > 1e-9*max(1, total) {
				t.Fatalf("seed %d: β = %v, counts %v: derivative %v at %v", seed, r.Beta, counts, g, theta)
			}
		}
	}
	theta := []float64{.5, .5}
	if err := (bayes.Ridge{Beta: 1}).Maximize(theta, []float64{1, math.NaN()}); !errors.Is(err, em.ErrParameter) {
		t.Errorf("a count that is NaN: %v", err)
	}
	for _, beta := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if err := (bayes.Ridge{Beta: beta}).Check(theta); err == nil {
			t.Errorf("ridge %v is accepted", beta)
		}
	}
	if p := (bayes.Ridge{Beta: 1}).LogPrior([]float64{1, 0}); !math.IsInf(p, -1) {
		t.Errorf("log prior of a probability of 0: %v", p)
	}
}

// A relaxation's objective of labels is that of training on them, and its tables are the
// same.
func TestRelax(t *testing.T) {
	n := naive(3, 4)
	data := drawn(n, 60, 3)
	for i := range data.Rows {
		data.Weights = append(data.Weights, float64(1+i%3)/2)
	}
	const beta = .7
	p := must(n.Relax(data, beta))
	rng := graphtest.Rand(1)
	labels := make([]int, len(data.Rows))
	complete := bayes.Data{Weights: data.Weights}
	for i, r := range data.Rows {
		labels[i] = rng.IntN(3)
		complete.Rows = append(complete.Rows, append(bayes.Row{float64(labels[i])}, r[1:]...))
	}
	c := must(p.Complete([][]int{labels}))
	m := must(bayes.NewModel(n, bayes.Same(bayes.Ridge{Beta: beta})))
	r := must(m.Fit(ctx, complete, &em.Options{Tolerance: 1e-14}))
	if got := -r.Last(); math.Abs(got-c.Objective) > 1e-8 {
		t.Errorf("objective %v, that of the relaxation is %v", got, c.Objective)
	}
	relaxed, fit := must(n.WithTables(c.Tables)), must(m.Network())
	for v := range n.Len() {
		for i, q := range relaxed.Family(v).Table {
			if math.Abs(q-fit.Family(v).Table[i]) > 1e-6 {
				t.Errorf("variable %d, entry %d: %v, training has %v", v, i, q, fit.Family(v).Table[i])
			}
		}
	}
	theta := must(m.At(relaxed))
	for i, x := range theta {
		if math.Abs(x-m.Theta[i]) > 1e-6 {
			t.Errorf("parameter %d: %v, training has %v", i, x, m.Theta[i])
		}
	}
	// What polishing starts from has the objective of the labels, as their data are complete.
	polished := must(must(m.Polish(complete, &em.Options{Iterations: 1, Tolerance: -1})).Run(ctx, c.Tables))
	if got := -polished.Objective[0]; math.Abs(got-c.Objective) > 1e-8 {
		t.Errorf("polishing begins at %v, the relaxation's objective is %v", got, c.Objective)
	}
	if _, err := must(m.Polish(complete, nil)).Run(ctx, c.Tables[1:2]); err != nil {
		t.Errorf("tables of a part of the variables: %v", err)
	}
	if _, err := must(must(bayes.NewModel(naive(3, 3), bayes.Same(bayes.Ridge{Beta: beta}))).Polish(drawn(naive(3, 3), 5, 1), nil)).Run(ctx, c.Tables); !errors.Is(err, bayes.ErrInvalid) {
		t.Errorf("polishing of another network: %v", err)
	}
	if _, err := m.Polish(bayes.Data{}, nil); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("polishing without data: %v", err)
	}
	if _, err := m.At(naive(3, 3)); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("numbers of another network: %v", err)
	}
	if _, err := naive(3, 3).WithTables(c.Tables); !errors.Is(err, bayes.ErrInvalid) {
		t.Errorf("tables of another network: %v", err)
	}
	if _, err := random(rng, true).Relax(bayes.Data{Rows: []bayes.Row{random(rng, true).Unknown()}}, 1); err == nil {
		t.Error("a continuous network is relaxed")
	}
}
