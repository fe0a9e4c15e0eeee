package align_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/models/align"
)

// twoPairs returns a corpus of two sentences and a model of it.
func twoPairs() (*align.Corpus, *align.Model, error) {
	c, err := corpus([]align.Sentence{{Source: []string{"a", "b"}, Target: []string{"x", "y"}}, {Source: []string{"c"}, Target: []string{"z"}}})
	if err != nil {
		return nil, nil, err
	}
	m, err := align.New(c, nil)
	return c, m, err
}

// TestMessages: mistakes are refused in words that name the option, or the sentence and the word.
func TestMessages(t *testing.T) {
	c, m, err := twoPairs()
	if err != nil {
		t.Fatal(err)
	}
	var all mistakes.List
	all.Add("New: no sentences", align.ErrInvalid, func() error { _, err := align.New(align.NewCorpus(), nil); return err })
	all.Add("New: no corpus", nil, func() error { _, err := align.New(nil, nil); return err })
	for _, s := range []align.Sentence{{Target: []string{"x"}}, {Source: []string{"x"}}, {Source: make([]string, align.MaxWords+1), Target: []string{"x"}}} {
		all.Add(fmt.Sprintf("Add: %d and %d words", len(s.Source), len(s.Target)), align.ErrInvalid, func() error { return align.NewCorpus().Add(s) })
	}
	optionMistakes(&all, c)
	stageMistakes(t, &all, c, m)
	sentenceMistakes(&all, m)
	for _, text := range []string{"", "x", "pathsum align model 4\n", "{}"} {
		all.Add(fmt.Sprintf("Load: %q", text), align.ErrFormat, func() error { _, err := align.Load(strings.NewReader(text)); return err })
	}
	for _, text := range []string{"1", "-", "1-", "-1", "1--1", "+1-1", "1-2-3", "1?2", "1-1048576", "1-99999999999999999999", "0x1-1", "1_0-1", "１-2"} {
		all.Add(fmt.Sprintf("ParseAlignment: %q", text), align.ErrLink, func() error { _, err := align.ParseAlignment("0-0 " + text); return err })
	}
	mistakes.Check(t, all)
}

func optionMistakes(all *mistakes.List, c *align.Corpus) {
	for _, x := range []struct {
		call string
		opts align.Options
	}{
		{"Floor 1", align.Options{Floor: 1}},
		{"Decode -1", align.Options{Decode: -1}},
		{"Floor NaN", align.Options{Floor: math.NaN()}},
		{"Null 1", align.Options{Null: 1}},
		{"MaxJump -1", align.Options{MaxJump: -1}},
		{"Classes -1", align.Options{Classes: -1}},
		{"Deleted -0.1", align.Options{Deleted: -.1}},
		{"Deleted 1", align.Options{Deleted: 1}},
		{"Deleted +Inf", align.Options{Deleted: math.Inf(1)}},
		{"Deleted NaN", align.Options{Deleted: math.NaN()}},
	} {
		all.Add("New: "+x.call, align.ErrInvalid, func() error { _, err := align.New(c, &x.opts); return err })
	}
}

func stageMistakes(t *testing.T, all *mistakes.List, c *align.Corpus, m *align.Model) {
	for _, x := range []struct {
		call string
		opts align.FitOptions
	}{
		{"Positions 9", align.FitOptions{Stages: []align.Stage{{Positions: 9}}}},
		{"Counting -1", align.FitOptions{Stages: []align.Stage{{Counting: -1}}}},
		{"Iterations -1", align.FitOptions{Stages: []align.Stage{{Iterations: -1}}}},
		{"EStep 2", align.FitOptions{Stages: []align.Stage{{EStep: 2}}}},
		{"a Strength of +Inf", align.FitOptions{Prior: align.Prior{Strength: math.Inf(1)}}},
		{"a prior of -1 classes", align.FitOptions{Prior: align.Prior{Classes: -1}}},
		{"a prior of NaN classes", align.FitOptions{Prior: align.Prior{Classes: math.NaN()}}},
		{"a prior of -1 jumps", align.FitOptions{Prior: align.Prior{Jumps: -1}}},
		{"a prior of NaN jumps", align.FitOptions{Prior: align.Prior{Jumps: math.NaN()}}},
		{"a prior of pairs that is NaN", align.FitOptions{Prior: align.Prior{Pair: func(_, _ string) float64 { return math.NaN() }}}},
		{"a law of α = -1", align.FitOptions{Prior: align.Prior{Law: em.Dirichlet{Alpha: -1}}}},
		{"Workers -1", align.FitOptions{Options: em.Options{Workers: -1}}},
	} {
		all.Add("Fit: "+x.call, align.ErrInvalid, func() error { _, err := m.Fit(t.Context(), c, &x.opts); return err })
	}
	all.Add("Fit: no context", nil, func() error {
		//lint:ignore SA1012 it is the test
		_, err := m.Fit(nil, c, nil)
		return err
	})
	all.Add("Fit: no corpus", nil, func() error { _, err := m.Fit(t.Context(), nil, nil); return err })
}

func sentenceMistakes(all *mistakes.List, m *align.Model) {
	good := align.Stage{Positions: align.Model1, Iterations: 1}
	ax := align.Sentence{Source: []string{"a"}, Target: []string{"x"}}
	for _, x := range []struct {
		call      string
		sentences []align.Sentence
		stage     align.Stage
	}{
		{"no sentences", nil, good},
		{"another stage", []align.Sentence{ax}, align.Stage{Positions: align.HMM, Iterations: 1}},
		{"Counting 17", []align.Sentence{ax}, align.Stage{Positions: align.Model1, Iterations: 1, Counting: 17}},
		{"an unknown word", []align.Sentence{{Source: []string{"a", "q"}, Target: []string{"x"}}}, good},
		{"an unknown pair", []align.Sentence{{Source: []string{"a"}, Target: []string{"z"}}}, good},
		{"an empty side", []align.Sentence{{Source: []string{"a"}}}, good},
	} {
		all.Add("Shard: "+x.call, align.ErrInvalid, func() error { _, err := m.Shard(x.sentences, x.stage); return err })
	}
	all.Add("Posteriors: an empty side", align.ErrInvalid, func() error { _, _, err := m.Posteriors(align.Sentence{Source: []string{"a"}}); return err })
	all.Add("LogProb: an empty side", align.ErrInvalid, func() error { _, _, err := m.LogProb(align.Sentence{Source: []string{"a"}}); return err })
}
