package bayes_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
)

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
