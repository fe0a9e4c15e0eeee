package main

import (
	"example.org/pathsum/em"
	"example.org/pathsum/models/hmm"
)

// newModel returns a model of the casino at its start. Its two states are alike but
// for the start.
func newModel() (*hmm.Model[int32], *hmm.Discrete, error) {
	p := em.NewParams()
	e, err := hmm.NewDiscrete(p, "face", faces, hmm.Each(dice), em.Multinomial{})
	if err != nil {
		return nil, nil, err
	}
	m, err := hmm.New(p, hmm.Topology{States: dice}, em.Multinomial{}, e)
	return m, e, err
}

// newTruth returns the casino as it is.
func newTruth() (*hmm.Model[int32], error) {
	m, e, err := newModel()
	if err != nil {
		return nil, err
	}
	copy(m.Initial().In(m.Theta), []float64{.5, .5})
	copy(m.Row(fair).In(m.Theta), []float64{.95, .05})
	copy(m.Row(loaded).In(m.Theta), []float64{.1, .9})
	copy(e.Groups()[loaded].In(m.Theta), []float64{.1, .1, .1, .1, .1, .5})
	return m, nil
}

// byLoad makes the loaded die the state that shows more sixes: training does not
// know which is which.
func byLoad(m *hmm.Model[int32], e *hmm.Discrete) {
	six := func(die int) float64 { return e.Groups()[die].In(m.Theta)[faces-1] }
	if six(fair) <= six(loaded) {
		return
	}
	swap := func(a, b []float64) {
		for i := range a {
			a[i], b[i] = b[i], a[i]
		}
	}
	swap(e.Groups()[fair].In(m.Theta), e.Groups()[loaded].In(m.Theta))
	swap(m.Row(fair).In(m.Theta), m.Row(loaded).In(m.Theta))
	for _, g := range []*em.Group{m.Initial(), m.Row(fair), m.Row(loaded)} {
		p := g.In(m.Theta)
		p[fair], p[loaded] = p[loaded], p[fair]
	}
}
