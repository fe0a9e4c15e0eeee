package align

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// textOf returns a corpus of lines of words, E and F in turn.
func textOf(t *testing.T, lines ...string) *Corpus {
	t.Helper()
	c := NewCorpus()
	for i := 0; i < len(lines); i += 2 {
		if err := c.Add(Sentence{strings.Fields(lines[i]), strings.Fields(lines[i+1])}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

var lines = []string{
	"the house", "das haus", "the small house", "das kleine haus", "a small dog", "ein kleiner hund",
	"the dog sleeps here", "hier schläft der hund", "a house", "ein haus", "here is the small dog", "hier ist der kleine hund",
}

// TestStart: training that is interrupted before any M step, saved, loaded and gone on
// with ends with the same model, to the last bit.
func TestStart(t *testing.T) {
	c := textOf(t, lines...)
	opts := func() *setup {
		return &setup{
			Stages: []Stage{{Model1, 2, Own, Multiplied}, {Model2, 2, Own, Separately}, {Diagonal, 2, Own, Separately}, {HMM, 3, Joint, Averaged}},
			Floor:  1e-7, Classes: 3, Decode: Joint, Workers: 1,
		}
	}
	save := func(m *Model) []byte {
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	type state struct {
		model            []byte
		stage, iteration int
		rest             []float64
	}
	var states []state
	whole := opts()
	whole.Observer = func(m *Model, p Progress) {
		states = append(states, state{save(m), p.Stage, p.Iteration, nil})
		for i := range states {
			states[i].rest = append(states[i].rest, p.Objective)
		}
	}
	trained, _, err := whole.train(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	p, q, err := trained.Posteriors(Sentence{strings.Fields("the small dog"), strings.Fields("der kleine hund")})
	if err != nil {
		t.Fatal(err)
	}
	if len(states) != 9 {
		t.Fatalf("%d iterations", len(states))
	}
	for _, s := range states {
		o := opts()
		if o.Start, err = Load(bytes.NewReader(s.model)); err != nil {
			t.Fatal(err)
		}
		o.Stages = o.Stages[s.stage:]
		o.Stages[0].Iterations -= s.iteration
		var rest []float64
		o.Observer = func(_ *Model, p Progress) { rest = append(rest, p.Objective) }
		m, _, err := o.train(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(s.rest, rest); d != "" {
			t.Errorf("from stage %d, iteration %d: %s", s.stage, s.iteration, d)
		}
		x, y, err := m.Posteriors(Sentence{strings.Fields("the small dog"), strings.Fields("der kleine hund")})
		if err != nil || !slices.Equal(x.P, p.P) || !slices.Equal(y.P, q.P) {
			t.Errorf("from stage %d, iteration %d: other posteriors, %v", s.stage, s.iteration, err)
		}
	}
}

func TestBadStart(t *testing.T) {
	o := &setup{Classes: 2, Stages: []Stage{{HMM, 1, Own, Separately}}}
	m := train(t, textOf(t, lines...), o)
	o.Start = m
	train(t, textOf(t, lines...), o)
	for _, test := range []struct {
		c    *Corpus
		want string
	}{
		{textOf(t, lines[:8]...), "other words of the source"},
		{textOf(t, slices.Concat(lines, []string{"house dog", "haus hund"})...), "other sentences"},
	} {
		if _, _, err := o.train(t.Context(), test.c); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
}
