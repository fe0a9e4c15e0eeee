package bayes_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

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
	m := must(bayes.NewModel(n, bayes.SameLaw(bayes.Ridge{Beta: beta})))
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
	if _, err := must(must(bayes.NewModel(naive(3, 3), bayes.SameLaw(bayes.Ridge{Beta: beta}))).Polish(drawn(naive(3, 3), 5, 1), nil)).Run(ctx, c.Tables); !errors.Is(err, bayes.ErrInvalid) {
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

// regressed returns the network of a discrete c, of two numbers u and v, and of y, which is
// linear in u and v in a way that depends on c.
func regressed() *bayes.Network {
	return must(bayes.New([]bayes.Variable{{"c", []string{"0", "1"}}, {Name: "y"}, {Name: "u"}, {Name: "v"}}, []bayes.Family{
		{Children: []int{0}, Table: []float64{.4, .6}},
		{Children: []int{1}, Parents: []int{0}, Regressors: []int{2, 3}, Normals: []bayes.Normal{
			{Mean: []float64{1}, Covariance: []float64{.25}, Slope: []float64{2, -1}},
			{Mean: []float64{5}, Covariance: []float64{1}, Slope: []float64{0, 3}}}},
		{Children: []int{2, 3}, Normals: []bayes.Normal{{Mean: []float64{-3, 7}, Covariance: []float64{2, .5, .5, 1}}}},
	}))
}

// With nothing hidden the fit is that of least squares, class by class.
func TestLeastSquares(t *testing.T) {
	n := regressed()
	rng := graphtest.Rand(1)
	var data bayes.Data
	for range 100 {
		data.Rows, data.Weights = append(data.Rows, n.Sample(rng)), append(data.Weights, .5+rng.Float64())
	}
	m := must(bayes.NewModel(n, nil))
	r := must(m.Fit(ctx, data, &em.Options{Tolerance: 1e-12}))
	fit := must(m.Network())
	total := 0.
	for i, row := range data.Rows {
		total += data.Weights[i] * must(fit.LogProb(row))
	}
	if last := r.Last(); !near(total, last) {
		t.Errorf("log likelihood %v, the rows have %v", last, total)
	}
	for c := range 2 {
		var a, b []float64
		weight := 0.
		for i, row := range data.Rows {
			if row[0] == float64(c) {
				s := math.Sqrt(data.Weights[i])
				a, b = append(a, s, s*row[2], s*row[3]), append(b, s*row[1])
				weight += data.Weights[i]
			}
		}
		var w, rest mat.Dense
		target := mat.NewDense(len(b), 1, b)
		if err := w.Solve(mat.NewDense(len(b), 3, a), target); err != nil {
			t.Fatal(err)
		}
		rest.Mul(mat.NewDense(len(b), 3, a), &w)
		rest.Sub(&rest, target)
		got := fit.Family(1).Normals[c]
		want := []float64{w.At(0, 0), w.At(1, 0), w.At(2, 0), mat.Dot(rest.ColView(0), rest.ColView(0)) / weight}
		for i, x := range []float64{got.Mean[0], got.Slope[0], got.Slope[1], got.Covariance[0]} {
			if math.Abs(x-want[i]) > 1e-9*max(1, math.Abs(want[i])) {
				t.Errorf("class %d: %v, want %v", c, got, want)
			}
		}
	}
}

// A mixture of regressions whose class is hidden: EM does not fall, with priors either,
// and finds the lines.
func TestMixtureOfRegressions(t *testing.T) {
	n := regressed()
	for seed := range trials.Seeds(trials.Serial[uint64](5)) {
		rng := graphtest.Rand(seed)
		var data bayes.Data
		for range 300 {
			data.Rows = append(data.Rows, n.Sample(rng))
		}
		data.Rows = bayes.Hide(data.Rows, 0)
		for _, law := range []bayes.LawOf{nil, priors(n)} {
			m := must(bayes.NewModel(n, law))
			r, err := m.Fit(ctx, data, &em.Options{Iterations: 30})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for i, o := range r.Objective[1:] {
				if o < r.Objective[i]-1e-12*math.Abs(o) {
					t.Fatalf("seed %d: objective %v", seed, r.Objective)
				}
			}
			if slope := must(m.Network()).Family(1).Normals[0].Slope; math.Abs(slope[0]-2) > .5 || math.Abs(slope[1]+1) > .5 {
				t.Errorf("seed %d: slopes %v", seed, slope)
			}
		}
	}
}

func TestRegressionRows(t *testing.T) {
	n := regressed()
	nan := math.NaN()
	if _, err := n.LogProb(bayes.Row{0, 1, nan, nan}); !errors.Is(err, bayes.ErrInvalid) || !strings.Contains(err.Error(), "regressor u") {
		t.Errorf("a regressor is missing: %v", err)
	}
	p := must(n.Posteriors(bayes.Row{0, nan, 2, 1}))
	if mean, variance, err := p.Moments(1); err != nil || !near(mean, 1+2*2-1) || !near(variance, .25) {
		t.Errorf("moments %v, %v, %v", mean, variance, err)
	}
	p = must(n.Posteriors(bayes.Row{0, nan, nan, nan}))
	if _, _, err := p.Moments(1); !errors.Is(err, bayes.ErrInvalid) {
		t.Errorf("moments of y without its regressors: %v", err)
	}
	full, _, err := n.Best(bayes.Row{0, nan, nan, nan})
	if err != nil || full[2] != -3 || full[3] != 7 || !near(full[1], 1-2*3-7) {
		t.Errorf("explanation %v, %v", full, err)
	}
	// Drawn: y − slope·u has the mean and variance of the class.
	rng := graphtest.Rand(1)
	const samples = 20000
	sum, square := 0., 0.
	for range samples {
		r := must(n.Complete(bayes.Row{0, nan, nan, nan}, rng))
		x := r[1] - 2*r[2] + r[3]
		sum, square = sum+x/samples, square+x*x/samples
	}
	if math.Abs(sum-1) > .02 || math.Abs(square-sum*sum-.25) > .02 {
		t.Errorf("drawn with mean %v and variance %v, want 1 and .25", sum, square-sum*sum)
	}
}
