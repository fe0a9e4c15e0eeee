package grammar

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
)

// TestMessages: mistakes are refused in words that name the sentence or the option.
func TestMessages(t *testing.T) {
	var all mistakes.List
	data := [][]string{{"A", "B", "A"}, {"B", "A"}}
	for _, x := range []struct {
		call string
		kind Kind
		data [][]string
		o    *Options
	}{
		{"kind 7", 7, data, nil},
		{"start 9", DMV, data, &Options{Start: 9}},
		{"a negative smoothing", CCM, data, &Options{Smoothing: &Smoothing{-1, 0}}},
		{"an infinite smoothing", CCM, data, &Options{Smoothing: &Smoothing{0, math.Inf(1)}}},
		{"an empty sentence", DMV, [][]string{{"A"}, {}}, nil},
		{"a sentence that is too long", DMV, [][]string{slices.Repeat([]string{"A"}, MaxWords+1)}, nil},
	} {
		all.Add("New: "+x.call, ErrInvalid, func() error { _, err := New(x.kind, x.data, x.o); return err })
	}
	all.Add("ParseKind: x", ErrInvalid, func() error { _, err := ParseKind("x"); return err })
	all.Add("ParseStart: x", ErrInvalid, func() error { _, err := ParseStart("x"); return err })
	ccm, dmv := newTestModel(t, CCM, data, nil), newTestModel(t, DMV, data, nil)
	all.Add("Likelihood: a CCM and sentences of one word", em.ErrInvalid, func() error { _, err := ccm.Likelihood([][]string{{"A"}}); return err })
	all.Add("Fit: an unknown tag", ErrInvalid, func() error { _, err := ccm.Fit(t.Context(), [][]string{{"A", "B"}, {"A", "X"}}, nil); return err })
	for _, x := range []struct {
		call string
		m    *Model
		d    Decoding
	}{{"heads of a CCM", ccm, MostHeads}, {"brackets of a DMV", dmv, MostBrackets}, {"decoding -1", ccm, -1}} {
		all.Add("Predictor: "+x.call, ErrInvalid, func() error { _, err := x.m.Predictor(x.d); return err })
	}
	nan := newTestModel(t, CCM, data, nil)
	nan.Theta = slices.Clone(nan.Theta)
	nan.Theta[0] = math.NaN()
	all.Add("Predictor: a parameter that is not a number", em.ErrParameter, func() error { _, err := nan.Predictor(MostProbable); return err })
	best := func(m *Model, d Decoding, sentence ...string) func() error {
		p, err := m.Predictor(d)
		if err != nil {
			t.Fatal(err)
		}
		return func() error { _, err := p.Best(sentence); return err }
	}
	all.Add("Best: an empty sentence", ErrInvalid, best(ccm, MostProbable))
	all.Add("Best: an unknown tag", ErrInvalid, best(ccm, MostProbable, "X"))
	rough := newTestModel(t, CCM, data, &Options{Smoothing: &Smoothing{}})
	all.Add("Best: spans that were not seen, without smoothing", ErrInvalid, best(rough, MostProbable, "A", "A", "A"))
	copy(dmv.dmv.root.In(dmv.Theta), []float64{0, 1})
	all.Add("Best: a sentence without a tree", em.ErrUnderivable, best(dmv, MostProbable, "A", "A"))
	all.Add("Best: a sentence without a tree, by heads", em.ErrUnderivable, best(dmv, MostHeads, "A", "A"))
	mistakes.Check(t, all)
}
