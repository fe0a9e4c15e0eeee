package main

import (
	"cmp"
	"context"
	"slices"

	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
)

// prune is the probability below which an arc is not followed in decoding.
const prune = 1e-3

// work bounds the search for the candidates of a query. Before training, when the channel
// does not know one letter from another, no search would end.
const work = 10_000

// searched is the number of letter strings that are ranked to find the best ones.
const searched = 100

// transliterators returns the cascade in both directions with the parameters theta.
func (c *cascadeSystem) transliterators(theta []float64) ([]*transliteration.Transliterator, error) {
	predictor := func(m *channel.Model) (*channel.Predictor, error) {
		model := *m
		model.Theta = theta
		return model.Predictor(&channel.PredictorOptions{Prune: prune, Work: work})
	}
	to, err := predictor(c.channel)
	if err != nil {
		return nil, err
	}
	back, err := predictor(c.backward)
	if err != nil {
		return nil, err
	}
	kana := c.table.column
	return []*transliteration.Transliterator{
		{Name: transliteration.Directions[forward], From: c.letters, To: kana, Predictor: to.Forward()},
		{Name: transliteration.Directions[backward], From: kana, To: c.letters, Predictor: &sources{back.Backward(), c}},
	}, nil
}

// sources predicts the letters of katakana: of the best under the model of the search the best
// under the model for ranking.
type sources struct {
	nbest.Predictor
	cascade *cascadeSystem
}

// Best returns the n sources that y most probably came from.
func (s *sources) Best(ctx context.Context, y []int32, n int) ([]nbest.Candidate, error) {
	found, err := s.Predictor.Best(ctx, y, max(n, searched))
	if err != nil {
		return nil, err
	}
	for i := range found {
		c := &found[i]
		c.LogProb += s.cascade.rank.LogProb(c.Labels) - s.cascade.search.LogProb(c.Labels)
	}
	slices.SortStableFunc(found, func(a, b nbest.Candidate) int { return cmp.Compare(b.LogProb, a.LogProb) })
	return found[:min(len(found), n)], nil
}

// LogProb returns ln of the probability of katakana with letters under the model for ranking.
func (s *sources) LogProb(y, x []int32) (float64, error) {
	p, err := s.Predictor.LogProb(y, x)
	return p + s.cascade.rank.LogProb(x) - s.cascade.search.LogProb(x), err
}
