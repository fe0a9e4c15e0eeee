package hmm_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/models/hmm"
)

// TestMessages: error messages for mistakes contain the remedy.
func TestMessages(t *testing.T) {
	var all mistakes.List
	p := em.NewParams()
	emission := must(hmm.NewDiscrete(p, "emission", 3, hmm.Each(2), em.Multinomial{}))
	for _, x := range []struct {
		call string
		top  hmm.Topology
	}{
		{"no states", hmm.Topology{}},
		{"3 states, emission of 2", hmm.Topology{States: 3}},
		{"no start", hmm.Topology{States: 2, Start: []int{}}},
		{"start in state 2 of 2", hmm.Topology{States: 2, Start: []int{2}}},
		{"a successor twice", hmm.Topology{States: 2, Next: [][]int{{0, 0}, {1}}}},
		{"successors of one state of 2", hmm.Topology{States: 2, Next: [][]int{{0}}}},
		{"row 2 of 2", hmm.Topology{States: 2, Row: []int{0, 2}}},
		{"no row 0", hmm.Topology{States: 2, Row: []int{1, 1}}},
		{"a row of 1 and 2 successors", hmm.Topology{States: 2, Next: [][]int{{0}, {0, 1}}, Row: []int{0, 0}}},
		{"a row that ends and does not", hmm.Topology{States: 2, Ends: []int{0}, Row: []int{0, 0}}},
	} {
		all.Add("New: "+x.call, hmm.ErrInvalid, func() error { _, err := hmm.New(p, x.top, em.Multinomial{}, emission); return err })
	}
	discrete := func(symbols int, of []int, law em.Law) func() error {
		return func() error { _, err := hmm.NewDiscrete(em.NewParams(), "x", symbols, of, law); return err }
	}
	all.Add("NewDiscrete: no symbols", hmm.ErrInvalid, discrete(0, []int{0}, em.Multinomial{}))
	all.Add("NewDiscrete: distribution 1 of 1", hmm.ErrInvalid, discrete(1, []int{1}, em.Multinomial{}))
	all.Add("NewDiscrete: no law", nil, discrete(2, []int{0}, nil))
	all.Add("New: no emission", nil, func() error { _, err := hmm.New[int32](p, hmm.Topology{States: 1}, em.Multinomial{}, nil); return err })

	m, _ := weather(t)
	for _, x := range []struct {
		call string
		seq  hmm.Sequence[int32]
	}{
		{"an empty sequence", hmm.Sequence[int32]{}},
		{"symbol 3 of 3", hmm.Sequence[int32]{Observations: []int32{0, 3}}},
		{"1 state for 2 observations", hmm.Sequence[int32]{Observations: []int32{0, 1}, States: []int32{0}}},
		{"state 2 of 2", hmm.Sequence[int32]{Observations: []int32{0}, States: []int32{2}}},
		{"a negative weight", hmm.Sequence[int32]{Observations: []int32{0}, Weight: em.Times(-1)}},
		{"a weight that is not a number", hmm.Sequence[int32]{Observations: []int32{0}, Weight: em.Times(math.NaN())}},
	} {
		all.Add("Likelihood: "+x.call, em.ErrInvalid, func() error { _, err := m.Likelihood([]hmm.Sequence[int32]{x.seq}, em.Fail); return err })
	}
	text := save(t, m)
	for _, x := range [][2]string{
		{text, ""},
		{"hmm 1", "hmm 2"},
		{`"States":2`, `"States":1000000000`},
		{`"law"`, `"flaw"`},
		{`"symbols":3`, `"symbols":1000000000`},
		{`"of":[0,1]`, `"of":[0,7]`},
		{`"Start":[0,1]`, `"Start":[0,9]`},
		{`"theta":[`, `"theta":[0,`},
	} {
		call := "LoadDiscrete: " + x[1] + " for " + x[0]
		if x[1] == "" {
			call = "LoadDiscrete: an empty file"
		}
		if !strings.Contains(text, x[0]) {
			t.Fatalf("no %s in %s", x[0], text)
		}
		all.Add(call, hmm.ErrFormat, func() error {
			_, _, err := hmm.LoadDiscrete(strings.NewReader(strings.Replace(text, x[0], x[1], 1)))
			return err
		})
	}
	all.Add("LoadGaussian: symbols", hmm.ErrFormat, func() error { _, _, err := hmm.LoadGaussian(strings.NewReader(text)); return err })

	certain, groups := weather(t)
	for _, g := range groups.Groups() {
		copy(g.In(certain.Theta), []float64{1, 0, 0})
	}
	impossible := hmm.Sequence[int32]{Observations: []int32{0, 2, 0}, Name: "line 7"}
	all.Add("Fit: a sequence of probability 0", em.ErrUnderivable, func() error {
		_, err := certain.Fit(t.Context(), []hmm.Sequence[int32]{impossible}, nil)
		return err
	})
	predictor := must(certain.Predictor())
	all.Add("Best: a sequence of probability 0", em.ErrUnderivable, func() error { _, _, err := predictor.Best(impossible); return err })
	all.Add("Filter: a sequence of probability 0", em.ErrUnderivable, func() error { _, err := predictor.Filter(impossible); return err })
	more, _ := weather(t)
	more.Params.Group("more", 1, em.Fixed{})
	more.Theta = append(more.Theta, 1)
	all.Add("Save: parameters of another model", hmm.ErrFormat, func() error { return more.Save(new(bytes.Buffer)) })
	mistakes.Check(t, all)
}
