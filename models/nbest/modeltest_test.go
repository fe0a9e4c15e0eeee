package nbest_test

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/nbest"
)

// combined is a product or a mixture of two random models.
type combined struct {
	nbest.Predictor
	product *nbest.Product
	score   func(x, y int32) float64 // the exponential of LogProb, by the definition
}

// question is a source, and its target if it is not hidden.
type question struct {
	x, y   int32
	hidden bool
}

const numSources, numTargets = 5, 4

// targets returns what the target may be.
func (q question) targets() (all []int32) {
	for y := range int32(numTargets) {
		if q.hidden || y == q.y {
			all = append(all, y)
		}
	}
	return all
}

// logProb adds up all targets that there may be.
func (c *combined) logProb(q question) (float64, error) {
	var logs []float64
	for _, y := range q.targets() {
		log, err := c.LogProb([]int32{q.x}, []int32{y})
		if err != nil {
			return 0, err
		}
		logs = append(logs, log)
	}
	return floats.LogSumExp(logs), nil
}

// best is Best where the target is hidden, which a known one answers itself.
func (c *combined) best(q question) ([]int, float64, error) {
	if !q.hidden {
		log, err := c.logProb(q)
		return []int{int(q.y)}, log, err
	}
	list, err := c.Best(context.Background(), []int32{q.x}, numTargets) // of the n best of each model
	if err != nil {
		return nil, 0, err
	}
	return []int{int(list[0].Labels[0])}, list[0].LogProb, nil
}

// promises are those of what make returns.
func promises(make func(a, b tables, weights [2]float64) *combined) modeltest.Model[*combined, question] {
	const list = "Best has a list; nbest.Posteriors is about lattices: TestPosteriors"
	draw := func(hidden bool) func(*rand.Rand, *combined) question {
		return func(rng *rand.Rand, _ *combined) question {
			return question{rng.Int32N(numSources), rng.Int32N(numTargets), hidden}
		}
	}
	return modeltest.Model[*combined, question]{
		New: func(rng *rand.Rand) *combined {
			return make(randomTables(rng, numSources, numTargets), randomTables(rng, numSources, numTargets), [2]float64{.2 + rng.Float64(), .2 + rng.Float64()})
		},
		Example: draw(true),
		Data:    draw(false),
		Enumerate: func(c *combined, q question) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) {
				for _, y := range q.targets() {
					if !yield([]int{int(y)}, c.score(q.x, y)) {
						return
					}
				}
			}
		},
		LogProb: (*combined).logProb,
		Best:    (*combined).best,
		Lacks: map[string]string{
			"Impossible": "TestProduct has targets that a factor does not know",
			"Posteriors": list, "Sample": list,
			"Likelihood": "Fit has candidates of its own, and risks: TestFit", "Weigh": "sources have no weights",
			"Save": "its factors are saved", "Load": "its factors are loaded",
		},
	}
}

func TestPromisesOfProduct(t *testing.T) {
	m := promises(func(a, b tables, w [2]float64) *combined {
		p, err := nbest.NewProduct(nbest.Factor{Predictor: a, Weight: w[0]}, nbest.Factor{Predictor: b, Weight: w[1]})
		if err != nil {
			t.Fatal(err)
		}
		return &combined{p, p, func(x, y int32) float64 {
			return math.Pow(a[x][y], p.Weights()[0]) * math.Pow(b[x][y], p.Weights()[1])
		}}
	})
	// After the weights a result has a parameter that is fixed at 1.
	m.Theta = func(c *combined) []float64 { return append(slices.Clone(c.product.Weights()), 1) }
	m.Fit = func(ctx context.Context, c *combined, data []question, opts *em.Options) (*em.Result, error) {
		var judged []nbest.Example
		for _, q := range data {
			judged = append(judged, nbest.Example{Source: []int32{q.x}, Targets: [][]int32{{q.y}}})
		}
		return c.product.Fit(ctx, judged, &nbest.FitOptions{Sigma: 1, Training: opts})
	}
	modeltest.Check(t, m)
}

func TestPromisesOfMixture(t *testing.T) {
	m := promises(func(a, b tables, w [2]float64) *combined {
		mixture, err := nbest.NewMixture(nbest.Factor{Predictor: a, Weight: w[0]}, nbest.Factor{Predictor: b, Weight: w[1]})
		if err != nil {
			t.Fatal(err)
		}
		return &combined{mixture, nil, func(x, y int32) float64 { return w[0]*a[x][y] + w[1]*b[x][y] }}
	})
	m.Lacks["Fit"], m.Lacks["Theta"] = "the weights of a mixture are given", "the weights of a mixture are given"
	modeltest.Check(t, m)
}

// TestMessages: mistakes are refused in words that name the factor.
func TestMessages(t *testing.T) {
	var all mistakes.List
	a, one := table{1: .5, 2: .3, 3: .2}, []int32{1}
	for _, x := range []struct {
		call    string
		factors []nbest.Factor
	}{
		{"no factors", nil}, {"weight 0", []nbest.Factor{{a, 0}}},
		{"a weight that is not a number", []nbest.Factor{{a, math.NaN()}}}, {"an infinite weight", []nbest.Factor{{a, math.Inf(1)}}},
	} {
		all.Add("NewProduct: "+x.call, nbest.ErrInvalid, func() error { _, err := nbest.NewProduct(x.factors...); return err })
		all.Add("NewMixture: "+x.call, nbest.ErrInvalid, func() error { _, err := nbest.NewMixture(x.factors...); return err })
	}
	all.Add("NewMixture: a negative weight", nbest.ErrInvalid, func() error { _, err := nbest.NewMixture(nbest.Factor{Predictor: a, Weight: -1}); return err })
	all.Add("NewProduct: no predictor", nil, func() error { _, err := nbest.NewProduct(nbest.Factor{Weight: 1}); return err })
	product, err := nbest.NewProduct(nbest.Factor{Predictor: a, Weight: 1})
	if err != nil {
		t.Fatal(err)
	}
	nan := func(_, _ []int32) (float64, error) { return math.NaN(), nil }
	for _, x := range []struct {
		call string
		data []nbest.Example
		o    *nbest.FitOptions
		want error
	}{
		{"no data", nil, nil, em.ErrUnderivable},
		{"no data, by risk", nil, &nbest.FitOptions{Loss: absolute}, em.ErrUnderivable},
		{"no right candidate", []nbest.Example{{one, [][]int32{{7}}}}, nil, em.ErrUnderivable},
		{"no right target", []nbest.Example{{one, nil}}, nil, nbest.ErrInvalid},
		{"-1 candidates", []nbest.Example{{one, [][]int32{one}}}, &nbest.FitOptions{Candidates: -1}, nbest.ErrInvalid},
		{"a loss that is not a number", []nbest.Example{{one, [][]int32{one}}}, &nbest.FitOptions{Loss: nan}, nbest.ErrInvalid},
	} {
		all.Add("Product.Fit: "+x.call, x.want, func() error { _, err := product.Fit(t.Context(), x.data, x.o); return err })
	}
	all.Add("MinimumRisk: probability 0", nbest.ErrInvalid, func() error {
		_, err := nbest.MinimumRisk([]nbest.Candidate{{Labels: one, LogProb: math.Inf(-1)}}, absolute)
		return err
	})
	mistakes.Check(t, all)
}
