package main

import (
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
)

// prune is the probability below which an arc is not followed in decoding.
const prune = 1e-3

// work bounds the search for the candidates of a query. Before training, when the channel
// treats all letters alike, a search would not end.
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
	sources := &nbest.Reranker{First: back.Backward(), Depth: searched, Score: func(_, x []int32, logp float64) (float64, error) {
		return logp + (c.rank.LogProb(x) - c.search.LogProb(x)), nil
	}}
	return []*transliteration.Transliterator{
		{Name: transliteration.Directions[forward], From: c.letters, To: kana, Predictor: to.Forward()},
		{Name: transliteration.Directions[backward], From: kana, To: c.letters, Predictor: sources},
	}, nil
}
