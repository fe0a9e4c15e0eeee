package main

import (
	"context"
	"math"

	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// What a misspelt word x comes from is ranked by a product of four models. Factors are
// nbest.Predictors from misspelt words to words; only the channel proposes some.

// priorWeight and others are the exponents before they are learnt.
const (
	priorWeight   = .55
	channelWeight = 1
	pairWeight    = .2
	wordWeight    = -.2
	// looseness is the standard deviation of the prior of each exponent around these.
	looseness = .5
)

// newProduct returns the product of the factors of s.
func (s *speller) newProduct() error {
	m := s.models
	pairs, err := m.pairs.Predictor(nil)
	if err != nil {
		return err
	}
	weights := m.weights
	if weights == nil {
		weights = []float64{priorWeight, channelWeight, pairWeight, wordWeight}
	}
	var factors []nbest.Factor
	for i, p := range []nbest.Predictor{prior{s}, channel{s}, paired{pairs}, spelled{m.wording}} {
		factors = append(factors, nbest.Factor{Predictor: p, Weight: weights[i]})
	}
	if s.product, err = nbest.NewProduct(factors...); err == nil {
		s.product.Candidates = candidates
	}
	return err
}

// silent is a factor that proposes nothing.
type silent struct{}

// Best returns nothing.
func (silent) Best(context.Context, []int32, int) ([]nbest.Candidate, error) { return nil, nil }

// prior is how often words are used.
type prior struct{ s *speller }

func (prior) Best(context.Context, []int32, int) ([]nbest.Candidate, error) { return nil, nil }

// LogProb returns ln of the count of y.
func (p prior) LogProb(_, y []int32) (float64, error) {
	return math.Log(p.s.words[p.s.number[string(runes(y))]].count + smoothing), nil
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
		if w := c.s.in[f.Word]; string(runes(w.Labels)) != string(runes(x)) {
			list = append(list, nbest.Candidate{Target: w.Labels, LogProb: f.LogProb - math.Log(w.Weight)})
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
		w := c.s.number[string(runes(y))]
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
type paired struct{ p *pairgram.Predictor }

func (paired) Best(context.Context, []int32, int) ([]nbest.Candidate, error) { return nil, nil }

// least stands for ln p of pairs that the chunks of the training pairs do not make.
const least = -60

// LogProb returns ln p(x, y).
func (f paired) LogProb(x, y []int32) (float64, error) {
	logp, err := f.p.LogProb(x, y)
	return max(logp, least), err
}

// spelled is the n-gram model of the words of the training pairs. Negative, its exponent
// makes of p(x, y) more of a p(x | y).
type spelled struct{ m *ngram.Model }

func (spelled) Best(context.Context, []int32, int) ([]nbest.Candidate, error) { return nil, nil }

// LogProb returns ln p(y).
func (f spelled) LogProb(_, y []int32) (float64, error) { return f.m.LogProb(y), nil }

// runes makes a key of labels for maps.
func runes(labels []int32) []rune { return labels }

// learn learns the exponents from pairs that no factor was trained on: they make the right
// words most probable among the candidates.
func (s *speller) learn(ctx context.Context, pairs []pair) error {
	var data []nbest.Judged
	for _, p := range pairs {
		x, err := s.labels(p.misspelt)
		w, ok := s.number[p.word]
		_ = w
		_ = ok
		if err != nil {
			continue
		}
		_ = x
	}
	_ = data
	return nil
}

var _ = edit.Word{}
