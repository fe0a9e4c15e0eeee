package ngram

import (
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"testing"
)

// data yields the strings, each with the weight at its position (1 without).
func data(all [][]int32, weights ...float64) iter.Seq2[[]int32, float64] {
	return func(yield func([]int32, float64) bool) {
		for i, s := range all {
			w := 1.0
			if i < len(weights) {
				w = weights[i]
			}
			if !yield(s, w) {
				return
			}
		}
	}
}

func train(t testing.TB, order int, vocabulary int32, all [][]int32, weights ...float64) *Model {
	t.Helper()
	return trainWith(t, order, vocabulary, all, weights, nil)
}

func trainWith(t testing.TB, order int, vocabulary int32, all [][]int32, weights []float64, opts *Options) *Model {
	t.Helper()
	m, err := Fit(order, vocabulary, data(all, weights...), opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(0); err != nil {
		t.Fatal(err)
	}
	return m
}

func counter(t testing.TB, order int, vocabulary int32) *Counter {
	t.Helper()
	c, err := NewCounter(order, vocabulary)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func model(t testing.TB, c *Counter, opts *Options) *Model {
	t.Helper()
	m, err := c.Model(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// random returns strings over all but the last of the symbols, with a preference
// for few successors.
func random(rng *rand.Rand, n int, vocabulary int32) (all [][]int32, weights []float64) {
	for range n {
		s := make([]int32, rng.IntN(7))
		for j := range s {
			s[j] = 1 + rng.Int32N(1+rng.Int32N(vocabulary-1))
		}
		all = append(all, s)
		weights = append(weights, []float64{1, 1, 2, .25, 3.5, 0}[rng.IntN(6)])
	}
	weights[0] = 1
	return all, weights
}

// TestUnknownHistory: what is not a symbol ends the context.
func TestUnknownHistory(t *testing.T) {
	m := train(t, 3, 2, [][]int32{{1, 2}, {2, 1}, {1}})
	for _, strange := range []int32{0, -5, 7} {
		got, want := m.Prob([]int32{strange, 1}, 2), m.Prob([]int32{2, 2, 2, 1}, 2)
		if known := m.Prob([]int32{1}, 2); got == known {
			t.Errorf("history %d 1 is taken for the beginning", strange)
		}
		if got == 0 || want == 0 {
			t.Error("probability 0")
		}
	}
}

func TestWeights(t *testing.T) {
	twice := train(t, 3, 3, [][]int32{{1, 2}, {2, 3, 1}, {1, 2}})
	weighted := train(t, 3, 3, [][]int32{{2, 3, 1}, {3, 3, 3}, {1, 2}}, 1, 0, 2)
	for _, s := range [][]int32{{}, {1}, {1, 2}, {3, 3, 3}, {2, 3, 1, 2}} {
		if a, b := twice.LogProb(s), weighted.LogProb(s); math.Abs(a-b) > 1e-14 {
			t.Errorf("%v: %v with the string twice, %v with weight 2", s, a, b)
		}
	}
}

func TestLogProbAndPerplexity(t *testing.T) {
	uniform := train(t, 1, 3, [][]int32{{1, 2, 3}}) // each of 3 symbols and the end once
	s := []int32{3, 3, 1, 2, 1}
	if got, want := uniform.LogProb(s), -6*math.Log(4); math.Abs(got-want) > 1e-14 {
		t.Errorf("log probability %v, want %v", got, want)
	}
	if got := uniform.Perplexity(data([][]int32{s, {}, {1}}, .5, 3, 0)); math.Abs(got-4) > 1e-14 {
		t.Errorf("perplexity %v, want 4", got)
	}
	if got := uniform.Perplexity(data([][]int32{{1}, {9}}, 1, 0)); math.Abs(got-4) > 1e-14 {
		t.Errorf("perplexity %v, want 4: a string of weight 0 does not count", got)
	}
	for _, bad := range [][]int32{{4}, {1, -1}, {0}} {
		if got := uniform.LogProb(bad); !math.IsInf(got, -1) {
			t.Errorf("log probability of %v is %v, want -Inf", bad, got)
		}
	}
	if got := uniform.Perplexity(data([][]int32{{4}})); !math.IsInf(got, 1) {
		t.Errorf("perplexity %v, want +Inf", got)
	}
	if got := uniform.Perplexity(data(nil)); !math.IsNaN(got) {
		t.Errorf("perplexity of nothing %v, want NaN", got)
	}
}

// TestValidateFails: a model whose numbers are not probabilities is found out.
func TestValidateFails(t *testing.T) {
	for i, spoil := range []func(*Model){
		func(m *Model) { m.logp[2] += 1e-9 },
		func(m *Model) { m.logp[len(m.logp)-1] -= 1e-9 },
		func(m *Model) { m.backoff[1] += 1e-9 },
		func(m *Model) { m.unseen += 1e-9 },
		func(m *Model) { m.logp[3] = math.NaN() },
		func(m *Model) { m.logp[3] = 1 },
	} {
		m := train(t, 2, 3, [][]int32{{1, 2}, {2}})
		spoil(m)
		if err := m.Validate(0); !errors.Is(err, ErrInvalid) {
			t.Errorf("change %d: error %v", i, err)
		}
		if err := m.Validate(1e-6); (err == nil) != (i < 4) {
			t.Errorf("change %d, tolerance 1e-6: error %v", i, err)
		}
	}
}
