package ngram

import (
	"bytes"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/internal/modeltest"
)

// grams is a model, and p(w | history) by the formulas.
type grams struct {
	*Model
	p func(history []int32, w int32) float64
}

// prob returns the probability of a string by the formulas.
func (g *grams) prob(s []int32) float64 {
	p := 1.0
	for i := range len(s) + 1 {
		w := int32(End)
		if i < len(s) {
			w = s[i]
		}
		p *= g.p(s[:i], w)
	}
	return p
}

// others asks for the probabilities of all symbols after each beginning of a string.
func (g *grams) others(s []int32) error {
	valid := g.Validate(1e-6) == nil
	for i := range s {
		for w := range min(g.Vocabulary()+1, 9) {
			if p := g.Prob(s[:i], w); !(p >= 0) || valid && p > 1 {
				return ErrInvalid
			}
		}
	}
	return nil
}

func TestPromises(t *testing.T) {
	const hidden, counted = "nothing is hidden in a string", "counts make a model in one step"
	modeltest.Check(t, modeltest.Model[*grams, []int32]{
		New: func(rng *rand.Rand) *grams {
			order, vocabulary := 1+rng.IntN(5), 2+rng.Int32N(5)
			all, weights := random(rng, 1+rng.IntN(12), vocabulary)
			opts := options(rng, Smoothing(rng.IntN(2)))
			o := newOracle(order, vocabulary, opts)
			for i, s := range all {
				o.addString(s, weights[i])
			}
			return &grams{trainWith(t, order, vocabulary, all, weights, &opts), o.model()}
		},
		Example: func(rng *rand.Rand, g *grams) []int32 {
			s := make([]int32, rng.IntN(7))
			for i := range s {
				s[i] = 1 + rng.Int32N(g.Vocabulary())
			}
			return s
		},
		Impossible: func(rng *rand.Rand, g *grams) []int32 {
			return []int32{1, []int32{0, -1, g.Vocabulary() + 1}[rng.IntN(3)]}
		},
		Enumerate: func(g *grams, s []int32) iter.Seq2[[]int, float64] {
			return func(yield func([]int, float64) bool) { yield(nil, g.prob(s)) }
		},
		LogProb: func(g *grams, s []int32) (float64, error) { return g.LogProb(s), nil },
		Save:    func(g *grams, w io.Writer) error { return g.Save(w) },
		Load: func(r io.Reader) (*grams, error) {
			m, err := Load(r)
			return &grams{Model: m}, err
		},
		Fields: func(g *grams) (any, func() ([]byte, error)) {
			m := g.Model
			s := &savedModel{m.order, m.vocabulary, m.unseen, m.level, m.first, m.symbol, m.logp, m.backoff}
			return s, func() ([]byte, error) {
				var b bytes.Buffer
				err := saveFormat.Write(&b, *s)
				return b.Bytes(), err
			}
		},
		Others:    (*grams).others,
		Unbounded: true, // the numbers of a file need not be probabilities: see Validate
		Lacks: map[string]string{
			"Posteriors": hidden, "Best": hidden, "Sample": "the acceptor is a machine of package fst, which draws",
			"Likelihood": counted, "Fit": counted, "Theta": counted, "Weigh": "TestWeights has weights, TestMessages those that make no sense",
		},
	})
}

// TestMessages: mistakes are refused in words that name the string.
func TestMessages(t *testing.T) {
	var all modeltest.Mistakes
	ok := [][]int32{{1, 2}, {2}}
	for _, x := range []struct {
		call       string
		order      int
		vocabulary int32
		all        [][]int32
		weights    []float64
	}{
		{"order 0", 0, 2, ok, nil},
		{"no vocabulary", 2, 0, ok, nil},
		{"a huge vocabulary", 2, math.MaxInt32, ok, nil},
		{"symbol 2 of 1", 2, 1, ok, nil},
		{"symbol 0", 2, 2, [][]int32{{1}, {0}}, nil},
		{"symbol -1", 2, 2, [][]int32{{-1}}, nil},
		{"a weight that is no number", 2, 2, ok, []float64{1, math.NaN()}},
		{"a negative weight", 2, 2, ok, []float64{-1}},
		{"an infinite weight", 2, 2, ok, []float64{math.Inf(1)}},
		{"no strings", 2, 2, nil, nil},
		{"no string that was seen", 2, 2, ok, []float64{0, 0}},
	} {
		all.Add("Fit: "+x.call, ErrInvalid, func() error {
			_, err := Fit(x.order, x.vocabulary, data(x.all, x.weights...), nil)
			return err
		})
	}
	all.Add("Fit: no data", nil, func() error { _, err := Fit(2, 2, nil, nil); return err })
	all.Add("ReadARPA: no symbols", nil, func() error { _, err := ReadARPA(strings.NewReader(""), "", nil); return err })
	all.Add("Acceptor: no model", nil, func() error { _, err := Acceptor[float64](nil, nil, nil); return err })
	modeltest.Messages(t, all)
}
