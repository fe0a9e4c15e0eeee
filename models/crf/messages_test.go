package crf_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/semiring"
)

// TestMessages: mistakes are refused in words that name the place.
func TestMessages(t *testing.T) {
	var all mistakes.List
	m, err := crf.Load(strings.NewReader(good))
	if err != nil || m.Weight("x", "B") != 4 || m.Weight("y", "A") != 5 || m.Transition("B", "A") != 2 {
		t.Fatal(err)
	}
	for _, x := range [][2]string{
		{good, ""},
		{good, "{"},
		{good, good[:90]},
		{good, "[]"},
		{"crf 1", "crf 2"},
		{`"kind":"crf"`, `"kind":"hmm"`},
		{`"kind":"crf"`, `"kind":"node"`},
		{`[0,1,2,3]`, `[0,1,2]`},
		{`["A","B"]`, `[]`},
		{`["A","B"]`, `["A","A"]`},
		{`["x","y"]`, `["x","x"]`},
		{`["x","y"]`, `["x"]`},
		{`[0,1,3]`, `[]`},
		{`[0,1,3]`, `[0,4,3]`},
		{`[0,1,3]`, `[1,1,3]`},
		{`[0,1,3]`, `[0,1,2]`},
		{`[1,0,1]`, `[1,0,2]`},
		{`[1,0,1]`, `[1,0,-1]`},
		{`[4,5,6]`, `[4,5]`},
		{`[4,5,6]`, `[4,5,1e999]`},
	} {
		call := "Load: " + x[1] + " for " + x[0]
		if x[0] == good {
			call = "Load: a file that is \"" + x[1] + "\""
		}
		all.Add(call, crf.ErrFormat, func() error { _, err := crf.Load(strings.NewReader(strings.Replace(good, x[0], x[1], 1))); return err })
	}
	nilMistakes(&all, m)
	all.Add("Best: -1 positions", crf.ErrInvalid, func() error { _, err := m.Best(-1, crf.Names()); return err })
	value := func(v float64, name string) crf.Features {
		return func(t int, a *crf.Attributes) {
			a.Add("good")
			if t == 1 {
				a.AddValue(v, name)
				a.AddValue(1, name)
			}
		}
	}
	all.Add("Best: an attribute that is not a number", crf.ErrInvalid, func() error { _, err := m.Best(2, value(math.NaN(), "x")); return err })
	dataMistakes(&all, value)
	weightMistakes(t, &all, value)
	mistakes.Check(t, all)
}

func nilMistakes(all *mistakes.List, m *crf.Predictor) {
	all.Add("Posteriors: no features", nil, func() error { _, err := m.Posteriors(2, nil); return err })
	all.Add("Best: no features", nil, func() error { _, err := m.Best(2, nil); return err })
	all.Add("LogProb: no features", nil, func() error { _, err := m.LogProb([]string{"A"}, nil); return err })
	all.Add("Trellis: no features", nil, func() error { _, err := m.Trellis(2, nil); return err })
	all.Add("Add: no features", nil, func() error { return crf.NewData().Add([]string{"A"}, nil) })
	all.Add("Allow: no features", nil, func() error { return crf.NewData().Allow([]string{"A"}, nil) })
	all.Add("New: no data", nil, func() error { _, err := crf.New(crf.Chain, nil, em.LogLinearOptions{}); return err })
}

// dataMistakes are about data, which have an empty sequence.
func dataMistakes(all *mistakes.List, value func(float64, string) crf.Features) {
	d := crf.NewData()
	if err := d.Add(nil, none); err != nil {
		panic(err)
	}
	labels := []string{"A", "B", "A"}
	for _, x := range []struct {
		call     string
		labels   []string
		features crf.Features
	}{
		{"an attribute that is not a number", labels, value(math.NaN(), "x")},
		{"an infinite attribute", labels, value(math.Inf(1), "x")},
		{"an attribute that is not UTF-8", labels, value(1, "\xff")},
		{"a label that is not UTF-8", []string{"A", "\xff"}, none},
	} {
		all.Add("Add: "+x.call, crf.ErrInvalid, func() error { return d.Add(x.labels, x.features) })
	}
	all.Add("New: data without labels", crf.ErrInvalid, func() error { _, err := crf.New(crf.Chain, d, em.LogLinearOptions{}); return err })
	all.Add("ParseKind: CRF", crf.ErrInvalid, func() error { _, err := crf.ParseKind("CRF"); return err })
}

// weightMistakes are about models and weights.
func weightMistakes(t *testing.T, all *mistakes.List, value func(float64, string) crf.Features) {
	d := crf.NewData()
	for _, labels := range [][]string{nil, {"A", "B", "A"}} {
		if err := d.Add(labels, value(2, "x")); err != nil {
			t.Fatal(err)
		}
	}
	all.Add("New: kind 3", crf.ErrInvalid, func() error { _, err := crf.New(crf.Kind(3), d, em.LogLinearOptions{}); return err })
	all.Add("New: a negative deviation", em.ErrParameter, func() error { _, err := crf.New(crf.Node, d, em.LogLinearOptions{Sigma: -1}); return err })
	l := must(newLikelihood(crf.Chain, d, em.LogLinearOptions{}))
	theta := l.Params().Start()
	expect := func(q em.Query) func() error { return func() error { _, err := l.Expect(t.Context(), q); return err } }
	all.Add("Expect: a tangent that is too short", em.ErrParameter, expect(em.Query{Theta: theta, Tangent: theta[1:]}))
	all.Add("Expect: θ that is too short", em.ErrParameter, expect(em.Query{Theta: theta[1:]}))
	huge, low, nan := slices.Clone(theta), slices.Clone(theta), slices.Clone(theta)
	huge[2], low[0], nan[2] = math.MaxFloat64, -math.MaxFloat64, math.NaN() // the first times 3
	all.Add("Expect: a weight whose multiple is infinite", semiring.ErrNotFinite, expect(em.Query{Theta: huge}))
	all.Add("Expect: a score that is infinite", em.ErrInvalid, expect(em.Query{Theta: low}))
	all.Add("Predictor: a weight that is not a number", em.ErrParameter, func() error { _, err := l.at(nan); return err })
}
