package speller

import (
	"context"
	"errors"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/models/nbest"
)

// A product of four models, or of seven if pronunciations are known, ranks the words that a
// misspelt word x may come from. Factors are nbest.Predictors from misspelt words to words;
// only the channel proposes candidates.

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

// initial returns the exponents before learning, for the factors with or without sounds.
func initial(sounds bool) []float64 {
	weights := []float64{priorWeight, channelWeight, pairWeight, wordWeight}
	if sounds {
		weights = append(weights, heardWeight, legibleWeight, listedWeight)
	}
	return weights
}

// newProduct makes the product of the factors.
func (s *Speller) newProduct() error {
	pairs, err := s.Pairs.Predictor(nil)
	if err != nil {
		return err
	}
	weights := s.Weights
	if weights == nil {
		weights = initial(s.Sounds != nil)
	}
	predictors := []nbest.Predictor{
		ranks(func(_, y []int32) (float64, error) {
			return math.Log(s.words[s.number[key(y)]].Count + smoothing), nil
		}),
		channel{s},
		ranks(func(x, y []int32) (float64, error) {
			logp, err := pairs.LogProb(x, y)
			return max(logp, least), err
		}),
		// A negative exponent turns p(x, y) of the pairs into an approximation of p(x | y).
		ranks(func(_, y []int32) (float64, error) { return s.Spelling.LogProb(y), nil }),
	}
	if s.Sounds != nil {
		more, err := s.Sounds.Factors(s)
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

// least replaces ln p of pairs that the chunks of the training pairs cannot produce.
const least = -60

// ranks is a factor that ranks candidates of other factors.
type ranks func(x, y []int32) (float64, error)

// Best returns an empty list.
func (ranks) Best(context.Context, []int32, int) ([]nbest.Candidate, error) { return nil, nil }

// LogProb calls f.
func (f ranks) LogProb(x, y []int32) (float64, error) { return f(x, y) }

// channel is the mixture of the errors of writers and typists.
type channel struct{ s *Speller }

// Best returns the words, other than x, that most probably become x.
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

// LogProbs returns LogProb for all ys.
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

// key returns a key for maps from labels.
func key(labels []int32) string { return string(labels) }

// enough is the approximate maximum number of pairs for learning the exponents, which are few.
const enough = 1000

// Learn learns the exponents from held-out pairs: they maximize the probability of the right
// words among the candidates. Without pairs they are unchanged.
func (s *Speller) Learn(ctx context.Context, pairs []Pair) error {
	var data []nbest.Example
	every := 1 + len(pairs)/enough
	for i := 0; i < len(pairs); i += every {
		p := pairs[i]
		x, err := s.Labels(p.Misspelt)
		w, known := s.number[key(s.Label(p.Word))]
		if err == nil && known && p.Word != p.Misspelt {
			data = append(data, nbest.Example{Source: x, Targets: [][]int32{s.in[w].Labels}})
		}
	}
	_, err := s.product.Fit(ctx, data, &nbest.FitOptions{Candidates: candidates, Sigma: looseness})
	if errors.Is(err, em.ErrUnderivable) {
		err = nil // all candidate lists lack the right word
	}
	s.Weights = s.product.Weights()
	return err
}
