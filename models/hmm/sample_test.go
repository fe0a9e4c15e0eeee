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
