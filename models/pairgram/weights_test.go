package pairgram_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// language is ln p(target), and proposes nothing.
type language struct{ *ngram.Model }

func (language) Best(context.Context, []int32, int) ([]nbest.Candidate, error) { return nil, nil }

func (m language) LogProb(_, y []int32) (float64, error) { return m.Model.LogProb(y), nil }

// length is e to the number of symbols of the target: a feature of a whole string.
type length struct{ language }

func (length) LogProb(_, y []int32) (float64, error) { return float64(len(y)), nil }

// spread returns n pairs at equal distances.
func spread(pairs []pairgram.Pair, n int) []pairgram.Pair {
	some := make([]pairgram.Pair, n)
	for i := range some {
		some[i] = pairs[i*len(pairs)/n]
	}
	return some
}

func targets(pairs []pairgram.Pair) iter.Seq2[[]int32, float64] {
	return func(yield func([]int32, float64) bool) {
		for _, p := range pairs {
			if !yield(p.Target, 1) {
				return
			}
		}
	}
}

// BenchmarkWeights turns katakana into Latin letters, by a channel that 4,000 pairs have
// trained and a language model of 63,000 spellings. The channel p(x | y) is a joint model
// p(x, y) over an n-gram model of its y. So Bayes' rule has the weights 1 for the joint model,
// −1 for its n-grams and 1 for the language model, and 0 for the length of y. Or all are
// learnt from 1,000 other pairs. It reports, for 2,000 pairs that nobody has seen, the
// percentage of words that are right and the mean edit distance of the best of ten
// candidates, or of forty, and the weights.
func BenchmarkWeights(b *testing.B) {
	train := shared(b, "katakana/train.tsv.gz", true, nil)
	dev, test := spread(shared(b, "katakana/dev.tsv.gz", true, train).pairs, 1000), spread(shared(b, "katakana/test.tsv.gz", true, train).pairs, 2000)
	// The pairs are swapped: targets are spelt in in.
	pairs, vocabulary := spread(train.pairs, 4000), int32(train.in.Len()-1)
	a, err := pairgram.NewAligner(pairs, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := a.Fit(b.Context(), pairs, nil); err != nil {
		b.Fatal(err)
	}
	counts, err := a.Count(b.Context(), pairs, &pairgram.CountOptions{Order: 5})
	if err != nil {
		b.Fatal(err)
	}
	model, err := counts.Model(nil)
	if err != nil {
		b.Fatal(err)
	}
	joint, err := model.Predictor(nil)
	if err != nil {
		b.Fatal(err)
	}
	few, err := ngram.Fit(5, vocabulary, targets(pairs), nil)
	if err != nil {
		b.Fatal(err)
	}
	all, err := ngram.Fit(7, vocabulary, targets(train.pairs), nil)
	if err != nil {
		b.Fatal(err)
	}
	var judged []nbest.Example
	for _, p := range dev {
		judged = append(judged, nbest.Example{Source: p.Source, Targets: [][]int32{p.Target}})
	}
	zeroOne := func(x, y []int32) (float64, error) {
		if slices.Equal(x, y) {
			return 0, nil
		}
		return 1, nil
	}
	bayes := []nbest.Factor{{Predictor: joint, Weight: 1}, {Predictor: language{few}, Weight: -1}, {Predictor: language{all}, Weight: 1}, {Predictor: length{}, Weight: .01}}
	for _, c := range []struct {
		name    string
		factors []nbest.Factor
		train   *nbest.FitOptions
		ranked  int
	}{
		{"joint", []nbest.Factor{{Predictor: joint, Weight: 1}}, nil, 10},
		{"fixed", bayes[:3], nil, 10},
		{"likelihood", bayes, &nbest.FitOptions{}, 10},
		{"likelihood40", bayes, &nbest.FitOptions{}, 40},
		{"riskErrors", bayes, &nbest.FitOptions{Loss: zeroOne, Sigma: 1}, 10},
		{"riskEdits", bayes, &nbest.FitOptions{Loss: nbest.EditDistance[int32], Sigma: 1}, 10},
	} {
		b.Run(c.name, func(b *testing.B) {
			product, err := nbest.NewProduct(c.factors...)
			if err != nil {
				b.Fatal(err)
			}
			product.Candidates = c.ranked
			var right, edits float64
			for b.Loop() {
				if c.train != nil {
					c.train.Candidates = 10
					if _, err := product.Fit(b.Context(), judged, c.train); err != nil {
						b.Fatal(err)
					}
				}
				right, edits = 0, 0
				for _, p := range test {
					list, err := product.Best(b.Context(), p.Source, 1)
					if err != nil || len(list) == 0 { // an unknown symbol, or nothing found
						edits += float64(len(p.Target))
						continue
					}
					d, err := nbest.EditDistance(list[0].Labels, p.Target)
					if err != nil {
						b.Fatal(err)
					}
					if edits += d; d == 0 {
						right++
					}
				}
			}
			b.ReportMetric(100*right/float64(len(test)), "%right")
			b.ReportMetric(edits/float64(len(test)), "edits")
			for i, w := range product.Weights() {
				b.ReportMetric(math.Round(1000*w)/1000, fmt.Sprintf("w%d", i))
			}
		})
	}
}
