package hmm_test

import (
	"errors"
	"math"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// TestFixedIsADistribution: fixed emissions and transitions without values, which would sum to
// their number, are an error wherever the model is used, and those with values are used as they are.
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
