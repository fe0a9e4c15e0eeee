package hmm_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/modeltest"
	"example.org/pathsum/models/hmm"
)

// TestPromisesOfPoisson is TestPromises for numbers: the probabilities of the oracle are products.
func TestPromisesOfPoisson(t *testing.T) {
	m := promises[int32]()
	m.Lacks["Impossible"] = "each number has a probability"
	m.Lacks["Sample"] = "numbers cannot be enumerated; TestPoissonRecovery has samples"
	m.New = func(rng *rand.Rand) *chain[int32] {
		p := em.NewParams()
		law := em.Poisson{Mean: 2, Prior: em.PoissonPrior{Sum: .5, Weight: .2}}
		of, top := []int{0, 1, 0}, hmm.Topology{States: 3}
		e := must(hmm.NewPoisson(p, "n", of, law))
		model := must(hmm.New(p, top, em.Dirichlet{Alpha: 1.5}, e))
		model.Theta = p.Random(rng)
		c := must(loaded(model, top.States))
		c.table = tableOf(c.Model, top, func(i int, x int32) float64 {
			if x == hmm.Missing {
				return 1
			}
			mean := e.Mean(c.Theta, of[i])
			p := math.Exp(-mean)
			for k := range x {
				p *= mean / float64(k+1)
			}
			return p
		})
		return c
	}
	m.Example = func(rng *rand.Rand, _ *chain[int32]) seen[int32] {
		return seen[int32]{Sequence: randomSequence(rng, 1+rng.IntN(4), 3, 9)}
	}
	m.Load = loader(hmm.Poissons())
	modeltest.Check(t, m)
}

// TestPoissonRecovery samples numbers from two states and finds their means and the transitions
// again, some numbers missing. Samples of a state have its mean and variance.
func TestPoissonRecovery(t *testing.T) {
	build := func() (*hmm.Model[int32], *hmm.Poisson) {
		p := em.NewParams()
		e := must(hmm.NewPoisson(p, "n", hmm.Each(2), em.Poisson{}))
		return must(hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e)), e
	}
	truth, emission := build()
	copy(truth.Row(0).In(truth.Theta), []float64{.9, .1})
	copy(truth.Row(1).In(truth.Theta), []float64{.3, .7})
	for state, mean := range []float64{1.5, 30} {
		if err := emission.SetMean(truth.Theta, state, mean); err != nil {
			t.Fatal(err)
		}
	}
	s := must(must(truth.Predictor()).Sample(20000, rand.NewPCG(9, 9)))
	for state, mean := range []float64{1.5, 30} {
		n, sum, squares := 0., 0., 0.
		for pos, i := range s.States {
			if x := float64(s.Observations[pos]); int(i) == state {
				n, sum, squares = n+1, sum+x, squares+(x-mean)*(x-mean)
			}
		}
		if math.Abs(sum/n-mean) > 5*math.Sqrt(mean/n) || math.Abs(squares/n/mean-1) > .1 {
			t.Errorf("state %d: mean %g and variance %g, want %g", state, sum/n, squares/n, mean)
		}
	}
	for pos := range s.Observations {
		if pos%10 == 0 {
			s.Observations[pos] = hmm.Missing
		}
	}
	m, e := build()
	data := hmm.Hide(s)
	if err := m.StartRandom(data, rand.NewPCG(2, 2)); err != nil {
		t.Fatal(err)
	}
	r := must(m.Fit(t.Context(), data, &em.Options{Iterations: 200, Tolerance: 1e-9}))
	for i := 1; i < len(r.Objective); i++ {
		if r.Objective[i] < r.Objective[i-1]-1e-10*math.Abs(r.Objective[i]) {
			t.Errorf("fell from %g to %g", r.Objective[i-1], r.Objective[i])
		}
	}
	low, high := 0, 1
	if e.Mean(m.Theta, 0) > e.Mean(m.Theta, 1) {
		low, high = 1, 0
	}
	for _, c := range []struct{ got, want float64 }{
		{e.Mean(m.Theta, low), 1.5}, {e.Mean(m.Theta, high) / 20, 1.5},
		{m.Transition(low, high), .1}, {m.Transition(high, low), .3},
	} {
		if math.Abs(c.got-c.want) > .05 {
			t.Errorf("%g, want %g", c.got, c.want)
		}
	}
}

// TestPoissonOfKnownStates: the M step is the mean of what each state has emitted, in closed form;
// a state that only emits 0 has the mean 0, and then emits no other number.
func TestPoissonOfKnownStates(t *testing.T) {
	p := em.NewParams()
	e := must(hmm.NewPoisson(p, "n", hmm.Each(2), em.Poisson{Prior: em.PoissonPrior{Weight: 1}}))
	m := must(hmm.New(p, hmm.Topology{States: 2}, em.Dirichlet{Alpha: 2}, e))
	data := []hmm.Sequence[int32]{{Observations: []int32{3, 0, 7, hmm.Missing, 0, 5}, States: []int32{0, 1, 0, 0, 1, 0}, Weight: em.Times(2)}}
	must(m.Fit(t.Context(), data, &em.Options{Iterations: 1}))
	for state, want := range []float64{2. * 15 / (2*3 + 1), 0} {
		if got := e.Mean(m.Theta, state); math.Abs(got-want) > 1e-14 {
			t.Errorf("mean %g of state %d, want %g", got, state, want)
		}
	}
	known := hmm.Sequence[int32]{Observations: []int32{0, 1}, States: []int32{1, 1}}
	if l := must(must(m.Predictor()).LogProb(known)); !math.IsInf(l, -1) {
		t.Errorf("a state of mean 0 has emitted 1: %g", l)
	}
	must(m.Fit(t.Context(), data, &em.Options{Method: em.LBFGS{}}))
	if got := e.Mean(m.Theta, 1); got != 0 {
		t.Errorf("mean %g after L-BFGS, want 0", got)
	}
	for _, mean := range []float64{-1, math.NaN(), math.Inf(1)} {
		if err := e.SetMean(m.Theta, 0, mean); !errors.Is(err, em.ErrParameter) {
			t.Errorf("mean %g: error %v", mean, err)
		}
	}
	if _, err := m.Likelihood([]hmm.Sequence[int32]{{Observations: []int32{-2}}}, em.Fail); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("number -2: error %v", err)
	}
	if err := e.SetMean(m.Theta, 0, 1e12); err != nil {
		t.Fatal(err)
	}
	copy(m.Initial().In(m.Theta), []float64{1, 0})
	if _, err := must(m.Predictor()).Sample(1, rand.NewPCG(1, 1)); !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("a sample of mean 1e12: error %v", err)
	}
}

// earthquakes has the number of earthquakes of magnitude 7 and more of each year from 1900 to 2006.
var earthquakes = []int32{
	13, 14, 8, 10, 16, 26, 32, 27, 18, 32, 36, 24, 22, 23, 22, 18, 25, 21, 21, 14, 8, 11, 14, 23, 18,
	17, 19, 20, 22, 19, 13, 26, 13, 14, 22, 24, 21, 22, 26, 21, 23, 24, 27, 41, 31, 27, 35, 26, 28, 36,
	39, 21, 17, 22, 17, 19, 15, 34, 10, 15, 22, 18, 15, 20, 15, 22, 19, 16, 30, 27, 29, 23, 20, 16, 21,
	21, 25, 16, 18, 15, 18, 14, 10, 15, 8, 15, 6, 11, 8, 7, 18, 16, 13, 12, 13, 20, 15, 16, 12, 18, 15,
	16, 13, 15, 16, 11, 11,
}

// TestPoissonPublished follows EM on the earthquakes: transitions, means and minus the log
// likelihood by iteration are those of Zucchini and MacDonald 2009, table 4.1.
func TestPoissonPublished(t *testing.T) {
	for iterations, want := range map[int][]float64{
		1:  {.138816, .11622, 13.742, 24.169, .99963, 343.76023},
		2:  {.115510, .10079, 14.090, 24.061, 1, 343.13618},
		30: {.071653, .11895, 15.419, 26.014, 1, 341.87871},
		50: {.071626, .11903, 15.421, 26.018, 1, 341.87870},
	} {
		p := em.NewParams()
		e := must(hmm.NewPoisson(p, "quakes", hmm.Each(2), em.Poisson{}))
		m := must(hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e))
		copy(m.Row(0).In(m.Theta), []float64{.9, .1})
		copy(m.Row(1).In(m.Theta), []float64{.1, .9})
		for state, mean := range []float64{10, 30} {
			if err := e.SetMean(m.Theta, state, mean); err != nil {
				t.Fatal(err)
			}
		}
		data := []hmm.Sequence[int32]{{Observations: earthquakes}}
		before := must(must(m.Predictor()).LogProb(data[0]))
		if math.Abs(before+413.27542) > 6e-6 {
			t.Errorf("log likelihood %.6f at the start, want -413.27542", before)
		}
		must(m.Fit(t.Context(), data, &em.Options{Iterations: iterations, Tolerance: -1}))
		after := must(must(m.Predictor()).LogProb(data[0]))
		got := []float64{m.Transition(0, 1), m.Transition(1, 0), e.Mean(m.Theta, 0), e.Mean(m.Theta, 1), m.Initial().In(m.Theta)[0], -after}
		for k, digits := range []float64{6, 5, 3, 3, 5, 5} {
			if math.Abs(got[k]-want[k]) > .6*math.Pow(10, -digits) {
				t.Errorf("%d iterations: %.7g, want %.7g", iterations, got[k], want[k])
			}
		}
	}
}

// Earthquakes of magnitude 7 and more, by year, come at two rates at least: calm years and others.
func ExampleNewPoisson() {
	params := em.NewParams()
	quakes, err := hmm.NewPoisson(params, "quakes", hmm.Each(2), em.Poisson{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, quakes)
	if err != nil {
		log.Fatal(err)
	}
	years := []hmm.Sequence[int32]{{Observations: earthquakes}}
	for state, mean := range []float64{10, 30} {
		if err := quakes.SetMean(m.Theta, state, mean); err != nil {
			log.Fatal(err)
		}
	}
	result, err := m.Fit(context.Background(), years, &em.Options{Iterations: 500, Tolerance: 1e-10})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f and %.3f a year, log likelihood %.4f\n", quakes.Mean(m.Theta, 0), quakes.Mean(m.Theta, 1), result.LogLikelihood)
	// Output:
	// 15.421 and 26.018 a year, log likelihood -341.8787
}
