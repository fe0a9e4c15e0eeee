package main

import (
	"context"
	"errors"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// What a misspelt word x comes from is ranked by a product of four models, or of seven where it
// is known how words are pronounced. Factors are
// nbest.Predictors from misspelt words to words; only the channel proposes some.

// priorWeight and others are the exponents before they are learnt.
const (
	priorWeight   = .55
	channelWeight = 1
	pairWeight    = .2
	wordWeight    = -.2
	heardWeight   = .3
	legibleWeight = .1
	listedWeight  = 2
	// looseness is the standard deviation of the prior of each exponent around these.
	looseness = .5
)

// initial returns the exponents before they are learnt, of the factors with or without sounds.
func initial(sounds bool) []float64 {
	weights := []float64{priorWeight, channelWeight, pairWeight, wordWeight}
	if sounds {
		weights = append(weights, heardWeight, legibleWeight, listedWeight)
	}
	return weights
}

// newProduct returns the product of the factors of s.
func (s *speller) newProduct() (err error) {
	m := s.models
	pairs, err := m.pairs.Predictor(nil)
	if err != nil {
		return err
	}
	weights := m.weights
	if weights == nil {
		weights = initial(m.sounds != nil)
	}
	predictors := []nbest.Predictor{prior{s: s}, channel{s}, paired{p: pairs}, spelled{m: m.spelling}}
	if m.sounds != nil {
		more, err := m.sounds.factors(m)
		if err != nil {
			return err
		}
		predictors = append(predictors, more...)
	}
	var all []nbest.Factor
	for i, p := range predictors {
		all = append(all, nbest.Factor{Predictor: p, Weight: weights[i]})
	}
	if s.product, err = nbest.NewProduct(all...); err != nil {
		return err
	}
	s.product.Candidates = candidates
	return nil
}

// silent is a factor that proposes nothing.
type silent struct{}

// Best returns nothing.
func (silent) Best(context.Context, []int32, int) ([]nbest.Candidate, error) { return nil, nil }

// prior is how often words are used.
type prior struct {
	silent
	s *speller
}

// LogProb returns ln of the count of y.
func (p prior) LogProb(_, y []int32) (float64, error) {
	return math.Log(p.s.words[p.s.number[key(y)]].count + smoothing), nil
}

// channel is the mixture of what a writer and what a typist does to a word.
type channel struct{ s *speller }

// Best returns the words that most probably become x, other words than x.
func (c channel) Best(ctx context.Context, x []int32, n int) ([]nbest.Candidate, error) {
	found, err := c.s.mixed.Best(ctx, x, n)
	if err != nil {
		return nil, err
	}
	var list []nbest.Candidate
	for _, f := range found {
		if w := c.s.in[f.Word]; key(w.Labels) != key(x) {
			list = append(list, nbest.Candidate{Labels: w.Labels, LogProb: f.LogProb - math.Log(w.Weight)})
		}
	}
	return list, nil
}

// LogProb returns ln p(x | y).
func (c channel) LogProb(x, y []int32) (float64, error) {
	all, err := c.LogProbs(context.Background(), x, [][]int32{y})
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

// LogProbs returns LogProb of all ys.
func (c channel) LogProbs(ctx context.Context, x []int32, ys [][]int32) ([]float64, error) {
	at := map[int]int{}
	var words []int
	out := make([]float64, len(ys))
	for i, y := range ys {
		w := c.s.number[key(y)]
		words, out[i] = append(words, w), math.Inf(-1)
		at[w] = i
	}
	ranked, err := c.s.mixed.Rank(ctx, x, words)
	for _, r := range ranked {
		out[at[r.Word]] = r.LogProb - math.Log(c.s.in[r.Word].Weight)
	}
	return out, err
}

// paired is the n-gram model of chunks of misspelt words with those of words.
type paired struct {
	silent
	p *pairgram.Predictor
}

// least stands for ln p of pairs that the chunks of the training pairs do not make.
const least = -60

// LogProb returns ln p(x, y).
func (f paired) LogProb(x, y []int32) (float64, error) {
	logp, err := f.p.LogProb(x, y)
	return max(logp, least), err
}

// spelled is the n-gram model of the words of the training pairs. Negative, its exponent
// makes of p(x, y) more of a p(x | y).
type spelled struct {
	silent
	m *ngram.Model
}

// LogProb returns ln p(y).
func (f spelled) LogProb(_, y []int32) (float64, error) { return f.m.LogProb(y), nil }

// key makes a key for maps of labels.
func key(labels []int32) string { return string(labels) }

// enough is about how many pairs the exponents are learnt from, at most: they are few.
const enough = 1000

// learn learns the exponents from pairs that no factor was trained on: those that make the
// right words the most probable among the candidates. Without such pairs they stay.
func (s *speller) learn(ctx context.Context, pairs []pair) error {
	var data []nbest.Judged
	every := 1 + len(pairs)/enough
	for i := 0; i < len(pairs); i += every {
		p := pairs[i]
		x, err := s.labels(p.misspelt)
		w, known := s.number[key(s.models.label(p.word))]
		if err == nil && known && p.word != p.misspelt {
			data = append(data, nbest.Judged{Source: x, Targets: [][]int32{s.in[w].Labels}})
		}
	}
	_, err := s.product.Fit(ctx, data, &nbest.FitOptions{Candidates: candidates, Sigma: looseness})
	if errors.Is(err, em.ErrUnderivable) {
		err = nil // no right word is among the candidates of any
	}
	s.models.weights = s.product.Weights()
	return err
}
