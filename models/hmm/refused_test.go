package hmm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
	"example.org/pathsum/semiring/graph"
)

// TestTrellis: the graph of a trellis has the probability of the sequence, and a sequence
// that makes no sense has none.
func TestTrellis(t *testing.T) {
	m, _ := weather(t)
	p, err := m.Predictor()
	if err != nil {
		t.Fatal(err)
	}
	seq := hmm.Sequence[int32]{Observations: []int32{0, 2, hmm.Missing, 1}}
	layers, err := p.Trellis(seq)
	if err != nil {
		t.Fatal(err)
	}
	g, err := layers.Graph()
	if err != nil {
		t.Fatal(err)
	}
	sum, err := graph.PathSum(g)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := p.LogProb(seq); err != nil || math.Abs(sum.Log()-want) > 1e-12 {
		t.Errorf("log probability %g by the graph, %g by LogProb (%v)", sum.Log(), want, err)
	}
	bad := hmm.Sequence[int32]{Observations: []int32{3}}
	if _, err := p.Trellis(bad); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("a symbol of three that is 3: error %v", err)
	}
	if _, _, err := p.Best(bad); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("Best: error %v", err)
	}
	if _, err := p.Posteriors(bad); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("Posteriors: error %v", err)
	}
	if _, err := p.Filter(bad); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("Filter: error %v", err)
	}
}

// TestParametersThatAreNone: methods of a model with NaN parameters return errors.
func TestParametersThatAreNone(t *testing.T) {
	m, _ := weather(t)
	m.Theta[0] = math.NaN()
	_, err := m.Predictor()
	_, stationary := m.Stationary()
	for name, err := range map[string]error{
		"predictor": err, "stationary": stationary, "save": m.Save(new(bytes.Buffer)),
	} {
		if !errors.Is(err, em.ErrParameter) || !strings.Contains(err.Error(), "NaN") {
			t.Errorf("%s: error %v, want ErrParameter that says NaN", name, err)
		}
	}
}

// TestForeignEmission: an emission of another table of parameters, even one that is as long, is
// refused with what is wrong. One without groups need not say anything.
func TestForeignEmission(t *testing.T) {
	p, other := em.NewParams(), em.NewParams()
	for _, p := range []*em.Params{p, other} {
		p.Group("before", 3, em.Multinomial{})
	}
	discrete, err := hmm.NewDiscrete(other, "symbols", 3, hmm.Each(2), em.Multinomial{})
	if err != nil {
		t.Fatal(err)
	}
	gaussian, err := hmm.NewGaussian(other, "vectors", hmm.Each(2), em.NewGaussian(1))
	if err != nil {
		t.Fatal(err)
	}
	type opaque struct{ hmm.Emission[int32] } // has no method Groups
	top := hmm.Topology{States: 2}
	_, symbols := hmm.New(p, top, em.Multinomial{}, discrete)
	_, vectors := hmm.New(p, top, em.Multinomial{}, gaussian)
	for name, err := range map[string]error{"symbols": symbols, "vectors": vectors} {
		if !errors.Is(err, hmm.ErrInvalid) || !strings.Contains(err.Error(), "another em.Params, such as "+name+"/0[0]") {
			t.Errorf("%s: error %v, want ErrInvalid that names a parameter", name, err)
		}
	}
	if len(p.Groups()) != 1 {
		t.Errorf("a model that was refused left %d groups", len(p.Groups())-1)
	}
	if _, err := hmm.New(other, top, em.Multinomial{}, opaque{discrete}); err != nil {
		t.Errorf("an emission without groups: %v", err)
	}
	if _, err := hmm.New(other, top, em.Multinomial{}, discrete); err != nil {
		t.Errorf("the emission's own parameters: %v", err)
	}
}

// TestSecondModel: where another model is made over the same parameters, the first one's values
// are too few, and every question says what to do.
func TestSecondModel(t *testing.T) {
	p := em.NewParams()
	model := func() *hmm.Model[int32] {
		e, err := hmm.NewDiscrete(p, fmt.Sprint("emission", p.Len()), 3, hmm.Each(2), em.Multinomial{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := hmm.New(p, hmm.Topology{States: 2}, em.Multinomial{}, e)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := model()
	model()
	_, predictor := m.Predictor()
	_, stationary := m.Stationary()
	_, fit := m.Fit(context.Background(), []hmm.Sequence[int32]{{Observations: []int32{0, 1}}}, nil)
	for name, err := range map[string]error{"predictor": predictor, "stationary": stationary, "fit": fit} {
		if !errors.Is(err, em.ErrParameter) || !strings.Contains(err.Error(), "12 values for 24 parameters; make all models of a Params first") {
			t.Errorf("%s: error %v, want ErrParameter that says what to do", name, err)
		}
	}
	m.Theta = p.Start()
	if _, err := m.Predictor(); err != nil {
		t.Errorf("with values for all: %v", err)
	}
}

// TestStartOfKnownStates: where all states are known, clusters say nothing, and the start is
// the frequencies. A sequence of weight 0 is not looked at.
func TestStartOfKnownStates(t *testing.T) {
	p := em.NewParams()
	e, err := hmm.NewGaussian(p, "emission", hmm.Each(2), em.NewGaussian(1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := hmm.New(p, hmm.Topology{States: 2, Ends: []int{0, 1}}, em.Multinomial{}, e)
	if err != nil {
		t.Fatal(err)
	}
	data := []hmm.Sequence[[]float64]{
		{Observations: [][]float64{{1}, {9}, {2}, {11}}, States: []int32{0, 1, 1, 0}},
		{Observations: [][]float64{{100}, {-100}}, States: []int32{1, 1}, Weight: em.Times(0)},
		{Observations: [][]float64{{3}, {4}}, States: []int32{0, 0}},
	}
	if err := hmm.StartKMeans(m, data, rand.NewPCG(1, 1)); err != nil {
		t.Fatal(err)
	}
	near := func(got []float64, want ...float64) bool {
		return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	}
	// From 0: to 0 once, to 1 once, twice the end. From 1: to 0 and to 1.
	for i, want := range [][]float64{{.25, .25, .5}, {.5, .5, 0}} {
		if got := m.Row(i).In(m.Theta); !near(got, want...) {
			t.Errorf("transitions from %d: %v, want %v", i, got, want)
		}
	}
	for i, mean := range []float64{(1. + 11 + 3 + 4) / 4, (9. + 2) / 2} {
		if got := e.Groups()[i].In(m.Theta)[1]; math.Abs(got-mean) > 1e-12 {
			t.Errorf("mean of state %d: %g, want %g", i, got, mean)
		}
	}
}

// TestStartOfNothing: missing observations do not distinguish states.
func TestStartOfNothing(t *testing.T) {
	m, _ := weather(t)
	theta := slices.Clone(m.Theta)
	data := []hmm.Sequence[int32]{{Observations: []int32{hmm.Missing, hmm.Missing}}}
	if err := m.StartRandom(data, rand.NewPCG(1, 1)); !errors.Is(err, em.ErrInvalid) || !slices.Equal(m.Theta, theta) {
		t.Errorf("error %v, want ErrInvalid and θ as before", err)
	}
}

// TestFixedIsADistribution: fixed emissions and transitions without values, which would sum to
// their number, are an error wherever the model is used, and those with values are used as they
// are.
func TestFixedIsADistribution(t *testing.T) {
	data := []hmm.Sequence[int32]{{Observations: []int32{0, 1}}}
	for name, laws := range map[string][2]em.Law{
		"emission":   {em.Fixed{}, em.Multinomial{}},
		"transition": {em.Multinomial{}, em.Fixed{}},
		"values":     {em.Fixed{Values: []float64{.5, .6}}, em.Multinomial{}},
	} {
		p := em.NewParams()
		e := must(hmm.NewDiscrete(p, "letters", 2, hmm.Each(2), laws[0]))
		m := must(hmm.New(p, hmm.Topology{States: 2}, laws[1], e))
		_, unknown := m.Predictor()
		_, notFitted := em.Fit(t.Context(), must(m.Likelihood(data, em.Fail)), &em.Options{Start: m.Theta})
		for _, err := range []error{unknown, notFitted} {
			if !errors.Is(err, em.ErrParameter) {
				t.Errorf("%s: error %v, want em.ErrParameter", name, err)
			}
		}
	}
	p := em.NewParams()
	e := must(hmm.NewDiscrete(p, "letters", 2, []int{0, 1}, em.Fixed{}))
	e.Groups()[0].SetStart([]float64{.9, .1})
	e.Groups()[1].SetStart([]float64{.2, .8})
	m := must(hmm.New(p, hmm.Topology{States: 2}, em.Fixed{Values: []float64{.75, .25}}, e))
	total := 0.0
	for a := range int32(2) {
		for b := range int32(2) {
			total += math.Exp(must(must(m.Predictor()).LogProb(hmm.Sequence[int32]{Observations: []int32{a, b}})))
		}
	}
	if math.Abs(total-1) > 1e-12 {
		t.Errorf("strings of two letters have the probability %g", total)
	}
}
