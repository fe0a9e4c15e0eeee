package hmm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/hmm"
)

// weather is a chain of two states that end by themselves.
func weather(t testing.TB) (*hmm.Model[int32], *hmm.Discrete) {
	t.Helper()
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "emission", 3, hmm.Each(2), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, hmm.Topology{States: 2, Ends: []int{0, 1}}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	copy(m.Initial().In(m.Theta), []float64{.6, .4})
	copy(m.Row(0).In(m.Theta), []float64{.7, .2, .1})
	copy(m.Row(1).In(m.Theta), []float64{.3, .65, .05})
	copy(e.Groups()[0].In(m.Theta), []float64{.8, .15, .05})
	copy(e.Groups()[1].In(m.Theta), []float64{.1, .2, .7})
	return m, e
}

// TestRecovery samples from a model and finds its parameters again.
func TestRecovery(t *testing.T) {
	m, _ := weather(t)
	truth := m.Theta
	rng := rand.New(rand.NewPCG(1, 2))
	var data []hmm.Sequence[int32]
	drawn, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	for range trials.Seeds(1000) {
		s, err := drawn.Sample(1000, rng)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, s)
	}
	data = hmm.Hide(data...)
	start := m.Params.Start()
	copy(start[:6], []float64{.5, .3, .2, .2, .3, .5}) // which state is which
	if _, err := m.Fit(context.Background(), data, &em.Options{Start: start, Iterations: 300, Tolerance: 1e-9}); err != nil {
		t.Fatal(err)
	}
	for i, x := range m.Theta {
		if math.Abs(x-truth[i]) > .05 {
			t.Errorf("%s is %.3f, want %.3f", m.Params.Name(int32(i)), x, truth[i])
		}
	}
}

// TestStationary compares with the share of time of a long walk and with the
// definition.
func TestStationary(t *testing.T) {
	m, _ := weather(t)
	pi, err := m.Stationary()
	if err != nil {
		t.Fatal(err)
	}
	// Given that it does not end: 7/9, 2/9 and 6/19, 13/19.
	want := []float64{6. / 19 / (6./19 + 2./9), 2. / 9 / (6./19 + 2./9)}
	for i := range pi {
		if math.Abs(pi[i]-want[i]) > 1e-12 {
			t.Errorf("share %d is %g, want %g", i, pi[i], want[i])
		}
	}
	copy(m.Row(0).In(m.Theta), []float64{.9, 0, .1})
	copy(m.Row(1).In(m.Theta), []float64{0, .9, .1})
	if _, err := m.Stationary(); !errors.Is(err, hmm.ErrReducible) {
		t.Errorf("two closed classes: error %v", err)
	}
	copy(m.Row(1).In(m.Theta), []float64{.5, .4, .1}) // state 1 is left for good
	pi, err = m.Stationary()
	if err != nil || math.Abs(pi[0]-1) > 1e-12 || pi[1] > 1e-12 {
		t.Errorf("an absorbing state: %v, %v", pi, err)
	}
	copy(m.Row(1).In(m.Theta), []float64{0, 0, 1})
	if _, err := m.Stationary(); !errors.Is(err, hmm.ErrReducible) {
		t.Errorf("a state that only ends: error %v", err)
	}
}

func TestErrors(t *testing.T) {
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "emission", 3, hmm.Each(2), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	for name, top := range map[string]hmm.Topology{
		"no states":       {},
		"other emissions": {States: 3},
		"no start":        {States: 2, Start: []int{}},
		"start":           {States: 2, Start: []int{2}},
		"twice":           {States: 2, Next: [][]int{{0, 0}, {1}}},
		"next":            {States: 2, Next: [][]int{{0}}},
		"rows":            {States: 2, Row: []int{0, 2}},
		"gap":             {States: 2, Row: []int{1, 1}},
		"tie":             {States: 2, Next: [][]int{{0}, {0, 1}}, Row: []int{0, 0}},
		"tie of ends":     {States: 2, Ends: []int{0}, Row: []int{0, 0}},
	} {
		if _, err := hmm.New(p, top, em.Multinomial{}, e); !errors.Is(err, hmm.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
	if _, err := hmm.NewDiscrete(p, "x", 0, []int{0}, em.Multinomial{}); !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("no symbols: error %v", err)
	}
	if _, err := hmm.NewDiscrete(p, "x", 1, []int{1}, em.Multinomial{}); !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("emission 1 of 1: error %v", err)
	}

	m, e := weather(t)
	for name, s := range map[string]hmm.Sequence[int32]{
		"empty":        {},
		"symbol":       {Observations: []int32{0, 3}},
		"states":       {Observations: []int32{0, 1}, States: []int32{0}},
		"state":        {Observations: []int32{0}, States: []int32{2}},
		"weight":       {Observations: []int32{0}, Weight: em.Times(-1)},
		"weight (NaN)": {Observations: []int32{0}, Weight: em.Times(math.NaN())},
	} {
		if _, err := m.Likelihood([]hmm.Sequence[int32]{s}, em.Fail); !errors.Is(err, em.ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
	copy(e.Groups()[0].In(m.Theta), []float64{1, 0, 0})
	copy(e.Groups()[1].In(m.Theta), []float64{1, 0, 0})
	impossible := hmm.Sequence[int32]{Observations: []int32{0, 2, 0}, Name: "impossible"}
	if _, err := m.Fit(context.Background(), []hmm.Sequence[int32]{impossible}, nil); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("error %v, want ErrUnderivable", err)
	}
	s, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.LogProb(impossible); err != nil || !math.IsInf(p, -1) {
		t.Errorf("log probability %g, %v", p, err)
	}
	if path, p, err := s.Best(impossible); !errors.Is(err, em.ErrUnderivable) || path != nil {
		t.Errorf("best %v %g, %v", path, p, err)
	}
	if _, err := s.Posteriors(impossible); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("posterior: error %v", err)
	}
	if _, err := s.Filter(impossible); !errors.Is(err, em.ErrUnderivable) {
		t.Errorf("filter: error %v", err)
	}
	if _, err := s.Sample(1, rand.NewPCG(1, 1)); err != nil && !errors.Is(err, hmm.ErrInvalid) {
		t.Errorf("sample: error %v", err)
	}
	m.Theta[0] = math.NaN()
	if _, err := m.Predictor(); !errors.Is(err, em.ErrParameter) {
		t.Errorf("predictor: error %v", err)
	}
}
