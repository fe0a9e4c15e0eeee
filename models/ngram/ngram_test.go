package ngram

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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
	m, err := Train(order, vocabulary, data(all, weights...), opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
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

// oracle computes p(w | history) from the formula, searching the data each time.
// Strings are texts: "^" the beginning, "$" the end, "1", "2", … symbols.
type oracle struct {
	order, vocabulary int
	texts             [][]string
	weights           []float64
	least             float64 // Options.MinContext
}

func newOracle(order int, vocabulary int32, all [][]int32, weights []float64) *oracle {
	o := &oracle{order: order, vocabulary: int(vocabulary), weights: weights}
	for _, s := range all {
		o.texts = append(o.texts, append(marked(s), "$"))
	}
	return o
}

func marked(s []int32) []string {
	text := []string{"^"}
	for _, x := range s {
		text = append(text, fmt.Sprint(x))
	}
	return text
}

func (o *oracle) prob(history []int32, w string) float64 {
	h := marked(history)
	return o.smooth(h[max(0, len(h)-o.order+1):], w)
}

func (o *oracle) smooth(h []string, w string) float64 {
	lower := 1 / float64(o.vocabulary+1)
	if len(h) > 0 {
		lower = o.smooth(h[1:], w)
	}
	followed := map[string]float64{}
	for i, text := range o.texts {
		for j := 1; j < len(text) && o.weights[i] > 0; j++ {
			if j >= len(h) && slices.Equal(text[j-len(h):j], h) {
				followed[text[j]] += o.weights[i]
			}
		}
	}
	c, total := followed[w], 0.0
	for _, x := range followed {
		total += x
	}
	types := float64(len(followed))
	if types == 0 || len(h) > 0 && total < o.least {
		return lower
	}
	return (c + types*lower) / (total + types)
}

func TestAgainstFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		order, vocabulary := 1+trial%5, 2+rng.Int32N(5)
		all, weights := random(rng, 1+rng.IntN(12), vocabulary)
		least := 1.5 * float64(rng.IntN(3))
		m := trainWith(t, order, vocabulary, all, weights, &Options{MinContext: least})
		o := newOracle(order, vocabulary, all, weights)
		o.least = least
		for range 20 {
			history := make([]int32, rng.IntN(6))
			for j := range history {
				history[j] = 1 + rng.Int32N(vocabulary)
			}
			sum := 0.0
			for w := range vocabulary + 1 {
				name := fmt.Sprint(w)
				if w == End {
					name = "$"
				}
				got, want := m.Prob(history, w), o.prob(history, name)
				if math.Abs(got-want) > 1e-14 {
					t.Fatalf("order %d: p(%s | %v) is %v, want %v", order, name, history, got, want)
				}
				sum += got
			}
			if math.Abs(sum-1) > 1e-13 {
				t.Fatalf("order %d: probabilities after %v sum to %v", order, history, sum)
			}
		}
	}
}

// TestByHand is a bigram model of ab, ab, b over {a, b, c}.
func TestByHand(t *testing.T) {
	const a, b, c = 1, 2, 3
	m := train(t, 2, 3, [][]int32{{a, b}, {b}}, 2)
	// Unigram: a 2, b 3, end 3; T = 3, C = 8; uniform 1/4.
	uni := func(count float64) float64 { return (count + 3./4) / 11 }
	// After the beginning: a 2, b 1; T = 2, C = 3. After a: b 2; T = 1, C = 2.
	for _, test := range []struct {
		history []int32
		w       int32
		want    float64
	}{
		{nil, a, (2 + 2*uni(2)) / 5},
		{nil, c, 2 * uni(0) / 5},
		{[]int32{a}, b, (2 + uni(3)) / 3},
		{[]int32{b, a}, b, (2 + uni(3)) / 3},
		{[]int32{a}, End, uni(3) / 3},
		{[]int32{b}, End, (3 + uni(3)) / 4},
		{[]int32{c}, a, uni(2)},
		{[]int32{a}, 4, 0},
		{[]int32{a}, -1, 0},
	} {
		if got := m.Prob(test.history, test.w); math.Abs(got-test.want) > 1e-15 {
			t.Errorf("p(%d | %v) is %v, want %v", test.w, test.history, got, test.want)
		}
	}
	// Contexts: empty, beginning, a, b.
	if m.NumContexts() != 4 || m.Order() != 2 || m.Vocabulary() != 3 {
		t.Errorf("%d contexts, order %d, %d symbols", m.NumContexts(), m.Order(), m.Vocabulary())
	}
}

// TestUnknownHistory: what is no symbol ends the context.
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

func TestErrors(t *testing.T) {
	ok := [][]int32{{1, 2}, {2}}
	tests := []struct {
		name       string
		order      int
		vocabulary int32
		all        [][]int32
		weights    []float64
		want       error
		text       string
	}{
		{"order 0", 0, 2, ok, nil, ErrInvalid, "order 0, want ≥ 1"},
		{"no vocabulary", 2, 0, ok, nil, ErrInvalid, "vocabulary of 0 symbols"},
		{"huge vocabulary", 2, math.MaxInt32, ok, nil, ErrInvalid, "vocabulary of 2147483647 symbols"},
		{"large symbol", 2, 1, ok, nil, ErrInvalid, "string 0: symbol 2 at position 1, want 1 to 1"},
		{"symbol 0", 2, 2, [][]int32{{1}, {0}}, nil, ErrInvalid, "string 1: symbol 0 at position 0"},
		{"negative symbol", 2, 2, [][]int32{{-1}}, nil, ErrInvalid, "string 0: symbol -1"},
		{"NaN weight", 2, 2, ok, []float64{1, math.NaN()}, ErrInvalid, "string 1: weight NaN"},
		{"negative weight", 2, 2, ok, []float64{-1}, ErrInvalid, "string 0: weight -1"},
		{"infinite weight", 2, 2, ok, []float64{math.Inf(1)}, ErrInvalid, "string 0: weight +Inf"},
		{"no strings", 2, 2, nil, nil, ErrEmpty, "0 strings"},
		{"no weight", 2, 2, ok, []float64{0, 0}, ErrEmpty, "2 strings"},
	}
	for _, test := range tests {
		_, err := Train(test.order, test.vocabulary, data(test.all, test.weights...), nil)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: error %v, want %v with %q", test.name, err, test.want, test.text)
		}
	}
}

func TestBadMinContext(t *testing.T) {
	for _, least := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err := Train(2, 2, data([][]int32{{1, 2}}), &Options{MinContext: least})
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("MinContext %g: error %v, want ErrInvalid", least, err)
		}
	}
}

// TestValidateFails: a model whose numbers are not probabilities is found out.
func TestValidateFails(t *testing.T) {
	for i, spoil := range []func(*Model){
		func(m *Model) { m.probability[1] *= 1 + 1e-9 },
		func(m *Model) { m.share[0] = 0 },
		func(m *Model) { m.probability[0] = math.NaN() },
	} {
		m := train(t, 2, 3, [][]int32{{1, 2}, {2}})
		spoil(m)
		if err := m.Validate(); !errors.Is(err, ErrInvalid) {
			t.Errorf("change %d: error %v", i, err)
		}
	}
}
