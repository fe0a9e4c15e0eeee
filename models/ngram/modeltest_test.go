package ngram

import (
	"bytes"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/internal/mistakes"
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
	var all mistakes.List
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
		{"a weight that is not a number", 2, 2, ok, []float64{1, math.NaN()}},
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
	counterMistakes(t, &all)
	mistakes.Check(t, all)
}

func counterMistakes(t *testing.T, all *mistakes.List) {
	c := counter(t, 3, 4)
	refuse := func(call string, do func() error) { all.Add(call, ErrInvalid, do) }
	refuse("Add: symbol 5 of 4", func() error { return c.Add([]int32{1, 2}, 5, 1) })
	refuse("Add: symbol -1", func() error { return c.Add([]int32{1, 2}, -1, 1) })
	refuse("Add: symbol 9 in the history", func() error { return c.Add([]int32{1, 9}, 1, 1) })
	refuse("Add: the end in the history", func() error { return c.Add([]int32{0}, 1, 1) })
	refuse("Add: a negative probability", func() error { return c.Add(nil, 1, -.1) })
	refuse("Add: a probability above 1", func() error { return c.Add(nil, 1, 1.001) })
	refuse("Add: a probability that is not a number", func() error { return c.Add(nil, 1, math.NaN()) })
	refuse("AddAt: an infinite probability", func() error { return c.AddAt(c.Start(), 1, math.Inf(1), 1) })
	refuse("AddAt: infinitely many times", func() error { return c.AddAt(c.Start(), 1, 1, math.Inf(1)) })
	refuse("AddAt: times that are no number", func() error { return c.AddAt(c.Start(), 1, 1, math.NaN()) })
	refuse("AddString: a negative weight", func() error { return c.AddString([]int32{1}, -1) })
	refuse("AddString: 1e300 times", func() error { return counter(t, 3, 4).AddString([]int32{1}, 1e300) })
	refuse("AddString: symbol 0", func() error { return c.AddString([]int32{1, 0}, 1) })
	refuse("Discounts: of nothing", func() error { _, err := c.Discounts(); return err })
	some := counter(t, 3, 4)
	if err := some.Add(nil, 1, 1); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		call string
		opts Options
	}{
		{"smoothing 4", Options{Smoothing: 4}}, {"smoothing -1", Options{Smoothing: -1}},
		{"a negative scale", Options{DiscountScale: []float64{1, -1}}}, {"a scale that is not a number", Options{DiscountScale: []float64{math.NaN()}}},
		{"a discount above the count", Options{Discounts: [][3]float64{{.5, 1, 1.5}, {.5, 2.5, 1}}}}, {"a negative discount", Options{Discounts: [][3]float64{{-.5, 1, 1}}}},
		{"a discount that is not a number", Options{Discounts: [][3]float64{{.5, 1, math.NaN()}}}}, {"discounts by Witten-Bell", Options{Smoothing: WittenBell, Discounts: [][3]float64{{}}}},
		{"a scale of discounts by stupid backoff", Options{Smoothing: StupidBackoff, DiscountScale: []float64{1}}},
		{"a pseudocount by Kneser-Ney", Options{Pseudocount: 1}}, {"a negative pseudocount", Options{Smoothing: Additive, Pseudocount: -1}},
		{"an infinite pseudocount", Options{Smoothing: Additive, Pseudocount: math.Inf(1)}}, {"a back-off factor by additive smoothing", Options{Smoothing: Additive, BackoffFactor: .4}},
		{"a back-off factor above 1", Options{Smoothing: StupidBackoff, BackoffFactor: 1.5}}, {"a back-off factor that is not a number", Options{Smoothing: StupidBackoff, BackoffFactor: math.NaN()}},
		{"a negative least count", Options{MinCount: []float64{-1}}}, {"an infinite least count", Options{MinCount: []float64{0, math.Inf(1)}}},
	} {
		refuse("Counter.Model: "+x.call, func() error { _, err := some.Model(&x.opts); return err })
	}
	scores := trainStupid(t)
	refuse("Validate: of stupid backoff", func() error { return scores.Validate(0) })
	refuse("Pruned: of stupid backoff", func() error { _, err := scores.Pruned(0); return err })
}

// TestStepOutOfRange: a symbol out of range is a mistake of the program.
func TestStepOutOfRange(t *testing.T) {
	c := counter(t, 3, 4)
	for _, bad := range []int32{0, -1, 5} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Step to %d: no panic", bad)
				}
			}()
			c.Step(c.Start(), bad)
		}()
	}
}
