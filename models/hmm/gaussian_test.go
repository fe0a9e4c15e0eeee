package hmm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// TestDensityByDistribution: sub-states have the density of their state, by its number.
func TestDensityByDistribution(t *testing.T) {
	topology := hmm.Durations(2, 3)
	p := em.NewParams()
	e := must(hmm.NewGaussian(p, "emission", topology.Of, em.NewGaussian(1)))
	m := must(hmm.New(p, topology, em.Multinomial{}, e))
	for state, mean := range []float64{-5, 5} {
		if err := e.SetDensity(m.Theta, state, []float64{mean}, mat.NewDiagDense(1, []float64{.01})); err != nil {
			t.Fatal(err)
		}
		if d := must(e.Density(m.Theta, state)); d.Mean()[0] != mean || math.Abs(d.Covariance().At(0, 0)-.01) > 1e-15 {
			t.Errorf("state %d has mean %g and variance %g", state, d.Mean(), d.Covariance().At(0, 0))
		}
	}
	s := must(must(m.Predictor()).Sample(50, rand.NewPCG(1, 1)))
	for i, x := range s.Observations {
		if (x[0] > 0) != (m.States(s.States)[i] == 1) {
			t.Errorf("sub-state %d emits %g", s.States[i], x[0])
		}
	}
}

// TestGaussianRecovery samples vectors from two states and finds their distributions
// and the transitions again, some observations missing and some states known.
func TestGaussianRecovery(t *testing.T) {
	build := func() (*hmm.Model[[]float64], *hmm.Gaussian) {
		p := em.NewParams()
		e, err := hmm.NewGaussian(p, "emission", hmm.Each(2), em.NewGaussian(2))
		if err != nil {
			t.Fatal(err)
		}
		m, err := hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e)
		if err != nil {
			t.Fatal(err)
		}
		return m, e
	}
	truth, emission := build()
	copy(truth.Row(0).In(truth.Theta), []float64{.9, .1})
	copy(truth.Row(1).In(truth.Theta), []float64{.3, .7})
	copy(emission.Groups()[0].In(truth.Theta), []float64{1, 0, 0, 1, .5, 1})
	copy(emission.Groups()[1].In(truth.Theta), []float64{1, 1, 2, .5, 0, 2})
	rng := rand.New(rand.NewPCG(9, 9))
	drawn, err := truth.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	var data []hmm.Sequence[[]float64]
	for range 200 {
		s, err := drawn.Sample(200, rng)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.States {
			if rng.IntN(20) > 0 {
				s.States[i] = -1
			}
			if rng.IntN(10) == 0 {
				s.Observations[i] = nil
			}
		}
		data = append(data, s)
	}
	m, _ := build()
	r, err := m.Fit(context.Background(), data, &em.Options{Iterations: 200, Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != em.Converged {
		t.Errorf("status %v", r.Status)
	}
	for i, x := range m.Theta[:len(m.Theta)-6] { // all but λ and transitions
		if math.Abs(x-truth.Theta[i]) > .12 {
			t.Errorf("%s is %.3f, want %.3f", m.Params.Name(int32(i)), x, truth.Theta[i])
		}
	}
	for i := range 2 {
		for k, x := range m.Row(i).In(m.Theta) {
			if want := truth.Row(i).In(truth.Theta)[k]; math.Abs(x-want) > .03 {
				t.Errorf("transition from %d to %d is %.3f, want %.3f", i, k, x, want)
			}
		}
	}
}

// TestGaussianLogProb: one state emits independent normal vectors; a density far below
// the range of float64 is no matter.
func TestGaussianLogProb(t *testing.T) {
	p := em.NewParams()
	e, err := hmm.NewGaussian(p, "emission", []int{0}, em.NewGaussian(1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, hmm.Topology{States: 1}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.LogProb(hmm.Sequence[[]float64]{Observations: [][]float64{{0}, nil, {100}, {-3}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := -1.5*math.Log(2*math.Pi) - (100*100+9)/2.; math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("log density %.17g, want %.17g", got, want)
	}
	if same := must(s.LogProb(hmm.Sequence[[]float64]{Observations: [][]float64{{0}, {math.NaN()}, {100}, {-3}}})); same != got {
		t.Errorf("log density %.17g with NaN, want %.17g as with nil", same, got)
	}
	for name, o := range map[string][]float64{"length": {1, 2}, "infinity": {math.Inf(1)}, "minus infinity": {math.Inf(-1)}} {
		if _, err := s.LogProb(hmm.Sequence[[]float64]{Observations: [][]float64{o}}); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// Two points on top of each other have no best variance.
	if _, err := m.Fit(context.Background(), []hmm.Sequence[[]float64]{{Observations: [][]float64{{5}, {5}}}}, nil); !errors.Is(err, em.ErrNoMode) {
		t.Errorf("no variance: error %v", err)
	}
}

// TestDegenerateStates: where a state specializes in too few vectors, EM, L-BFGS and SGD name its
// distribution; what they return otherwise is no lower than the start.
func TestDegenerateStates(t *testing.T) {
	refused, fitted := map[string]int{}, 0
	for _, data := range [][]float64{{1, 2, 9, 3, 2, 1}, {1, 1, 1, 9, 9, 1, 1, 9}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {5, 5, 5, 5}} {
		var vectors [][]float64
		for _, x := range data {
			vectors = append(vectors, []float64{x})
		}
		for seed := range uint64(4) {
			for _, method := range []em.Method{em.EM{}, em.LBFGS{}, em.SGD{}} {
				p := em.NewParams()
				e := must(hmm.NewGaussian(p, "emission", hmm.Each(2), must(em.NewGaussian(1).Around(vectors))))
				m := must(hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e))
				m.Theta = p.Random(rand.NewPCG(seed, 3))
				r, err := m.Fit(t.Context(), []hmm.Sequence[[]float64]{{Observations: vectors}}, &em.Options{Method: method, Iterations: 1500})
				if errors.Is(err, em.ErrNoMode) {
					refused[method.String()]++
					continue
				}
				if err != nil {
					t.Errorf("%v of %v: %v", method, data, err)
					continue
				}
				fitted++
				if r.Last() < r.Objective[0] {
					t.Errorf("%v of %v: from %g to %g", method, data, r.Objective[0], r.Last())
				}
				for state := range 2 {
					if v := must(e.Density(m.Theta, state)).Covariance().At(0, 0); v < 1e-11 {
						t.Errorf("%v of %v, seed %d: variance %g, %v", method, data, seed, v, r.Status)
					}
				}
			}
		}
	}
	if refused["EM"] < 8 || refused["L-BFGS"] < 8 || refused["SGD"] < 2 || fitted < 8 {
		t.Errorf("refused %v, fitted %d", refused, fitted)
	}
}

// TestTiedRecovery samples vectors from three states, two with a shared covariance, and finds
// their distributions again. EM climbs.
func TestTiedRecovery(t *testing.T) {
	build := func() (*hmm.Model[[]float64], *hmm.Gaussian) {
		p := em.NewParams()
		e := must(hmm.NewTiedGaussian(p, "x", hmm.Each(3), []int{0, 1, 0}, em.NewGaussian(2)))
		return must(hmm.New(p, hmm.Topology{States: 3}, em.Multinomial{}, e)), e
	}
	truth, emission := build()
	means := [][]float64{{0, 0}, {6, 0}, {0, 6}}
	wide, narrow := mat.NewSymDense(2, []float64{2, .8, .8, 1}), mat.NewDiagDense(2, []float64{.2, .1})
	for d, mean := range means {
		if err := emission.SetDensity(truth.Theta, d, mean, []mat.Symmetric{wide, narrow, wide}[d]); err != nil {
			t.Fatal(err)
		}
	}
	s := must(must(truth.Predictor()).Sample(6000, rand.NewPCG(3, 1)))
	m, e := build()
	data := hmm.Hide(s)
	if err := hmm.StartKMeans(m, data, rand.NewPCG(1, 1)); err != nil {
		t.Fatal(err)
	}
	r := must(m.Fit(t.Context(), data, &em.Options{Iterations: 100, Tolerance: 1e-9}))
	for i := 1; i < len(r.Objective); i++ {
		if r.Objective[i] < r.Objective[i-1]-1e-10*math.Abs(r.Objective[i]) {
			t.Errorf("fell from %g to %g", r.Objective[i-1], r.Objective[i])
		}
	}
	if len(e.Groups()) != 2 || !mat.Equal(must(e.Density(m.Theta, 0)).Covariance(), must(e.Density(m.Theta, 2)).Covariance()) {
		t.Error("two states do not share a covariance")
	}
	best := math.Inf(1) // over the ways to name the states
	for _, of := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		worst := 0.0
		for d, mean := range means {
			density := must(e.Density(m.Theta, of[d]))
			for j, x := range density.Mean() {
				worst = max(worst, math.Abs(x-mean[j]))
			}
		}
		best = min(best, worst)
	}
	if best > .15 {
		t.Errorf("means are off by %g", best)
	}
	for _, tied := range [][]int{{0}, {0, 1, 3}, {0, 2, 2}, {-1, 0, 0}} {
		if _, err := hmm.NewTiedGaussian(em.NewParams(), "x", hmm.Each(3), tied, em.NewGaussian(1)); !errors.Is(err, hmm.ErrInvalid) {
			t.Errorf("covariances %v: error %v", tied, err)
		}
	}
}

// TestMissingComponents: with one state and a second component that is missing for some vectors, EM
// leads to the maximum in closed form (Anderson 1957): the first component's mean and variance are
// those of all vectors, the regression of the second on it is that of the complete ones.
func TestMissingComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	s := hmm.Sequence[[]float64]{}
	for i := range 200 {
		x := 2 + rng.NormFloat64()
		v := []float64{x, 1 - x + .5*rng.NormFloat64()}
		if x > 2.5 || i%7 == 0 {
			v[1] = math.NaN()
		}
		s.Observations = append(s.Observations, v)
	}
	p := em.NewParams()
	e := must(hmm.NewGaussian(p, "x", []int{0}, em.NewGaussian(2)))
	m := must(hmm.New(p, hmm.Topology{States: 1}, em.Multinomial{}, e))
	r := must(m.Fit(t.Context(), []hmm.Sequence[[]float64]{s}, &em.Options{Iterations: 2000, Tolerance: 1e-15}))
	for i := 1; i < len(r.Objective); i++ {
		if r.Objective[i] < r.Objective[i-1]-1e-12*math.Abs(r.Objective[i]) {
			t.Errorf("fell from %g to %g", r.Objective[i-1], r.Objective[i])
		}
	}
	var n, sx, sxx, c, cx, cy, cxx, cxy, cyy float64
	for _, v := range s.Observations {
		x, y := v[0], v[1]
		n, sx, sxx = n+1, sx+x, sxx+x*x
		if !math.IsNaN(y) {
			c, cx, cy, cxx, cxy, cyy = c+1, cx+x, cy+y, cxx+x*x, cxy+x*y, cyy+y*y
		}
	}
	slope := (cxy/c - cx/c*cy/c) / (cxx/c - cx/c*cx/c)
	rest := cyy/c - cy/c*cy/c - slope*(cxy/c-cx/c*cy/c)
	variance := sxx/n - sx/n*sx/n
	want := []float64{sx / n, cy/c + slope*(sx/n-cx/c), variance, slope * variance, rest + slope*slope*variance}
	d := must(e.Density(m.Theta, 0))
	got := append(d.Mean(), d.Covariance().At(0, 0), d.Covariance().At(0, 1), d.Covariance().At(1, 1))
	for i, x := range got {
		if math.Abs(x-want[i]) > 1e-5 {
			t.Errorf("number %d is %.8g, want %.8g", i, x, want[i])
		}
	}
	if err := hmm.StartKMeans(m, []hmm.Sequence[[]float64]{s}, rng); err != nil {
		t.Error(err)
	}
}
