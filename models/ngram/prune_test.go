package ngram

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

// without returns the model without n-gram i, which is not a context, and with the back-off
// weight of its context made anew by the definition.
func without(m *Model, k, i int32) *Model {
	keep := make([]bool, len(m.symbol))
	for j := range keep {
		keep[j] = int32(j) != i
	}
	copied := *m
	copied.first, copied.symbol = slices.Clone(m.first), slices.Clone(m.symbol)
	copied.logp, copied.backoff = slices.Clone(m.logp), slices.Clone(m.backoff)
	copied.backoff[k] = -1 // a context still
	copied.retain(keep)
	// Σ over what is seen after k, and over the same in the shorter context.
	sum, shorter := 0.0, 0.0
	for j := copied.first[k]; j < copied.first[k+1]; j++ {
		sum += math.Exp(copied.logp[j])
		shorter += copied.probAfter(copied.back[k], copied.symbol[j])
	}
	copied.backoff[k] = math.Log((1 - sum) / (1 - shorter))
	return &copied
}

// TestLoss: the loss of an n-gram is the relative entropy of the distributions after its
// context with and without it.
func TestLoss(t *testing.T) {
	checked := 0
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 6))
		order, vocabulary := 2+int(seed)%3, 2+rng.Int32N(5)
		all, weights := random(rng, 1+rng.IntN(12), vocabulary)
		m := trainWith(t, order, vocabulary, all, weights, nil)
		for k := int32(1); int(k) < len(m.backoff); k++ {
			for i := m.first[k]; i < m.first[k+1]; i++ {
				if m.hasSuccessor(i, slices.Repeat([]bool{true}, len(m.symbol))) {
					continue
				}
				pruned := without(m, k, i)
				want := 0.0
				for w := range vocabulary + 1 {
					p := m.probAfter(k, w)
					want += p * math.Log(p/pruned.probAfter(k, w))
				}
				if got := m.loss(k, i, m.unseenAfter(k)); math.Abs(got-want) > 1e-12 {
					t.Fatalf("seed %d: the loss of %v is %v, want %v", seed, m.symbols(i), got, want)
				}
				checked++
			}
		}
	}
	if checked < 500 {
		t.Errorf("%d n-grams", checked)
	}
}

// TestPruned: what is kept has its probability, the rest sums to 1, the contexts of what
// is kept are kept, and more is pruned the higher the threshold.
func TestPruned(t *testing.T) {
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		order, vocabulary := 1+int(seed)%5, 2+rng.Int32N(5)
		all, weights := random(rng, 2+rng.IntN(20), vocabulary)
		opts := options(rng, Smoothing(seed%2))
		m := trainWith(t, order, vocabulary, all, weights, &opts)
		before := len(m.symbol)
		for _, threshold := range []float64{0, 1e-4, 1e-3, .01, .1, math.Inf(1)} {
			pruned, err := m.Pruned(threshold)
			if err != nil {
				t.Fatal(err)
			}
			if err := pruned.Validate(1e-11); err != nil {
				t.Fatalf("seed %d, threshold %g: %v", seed, threshold, err)
			}
			if len(pruned.symbol) > before || threshold == 0 && len(pruned.symbol) != len(m.symbol) {
				t.Fatalf("%d n-grams at threshold %g, were %d", len(pruned.symbol), threshold, before)
			}
			before = len(pruned.symbol)
			for i := range int32(len(pruned.symbol)) {
				s := pruned.symbols(i)
				k := int32(0)
				for _, w := range s {
					if k = m.find(k, w); k == 0 {
						t.Fatalf("%v is new", s)
					}
				}
				if pruned.logp[i] != m.logp[k] {
					t.Fatalf("log p of %v is %v, was %v", s, pruned.logp[i], m.logp[k])
				}
			}
			if threshold == 0 {
				s := []int32{1, 2, 2, 1}
				if got, want := pruned.LogProb(s), m.LogProb(s); math.Abs(got-want) > 1e-12 {
					t.Fatalf("nothing is pruned, but the log probability is %v, was %v", got, want)
				}
			}
		}
		unigrams, _ := m.Pruned(math.Inf(1))
		if unigrams.NumGrams(2) > 0 || contexts(unigrams) != 1 {
			t.Fatalf("%d bigrams and %d contexts at an infinite threshold", unigrams.NumGrams(2), contexts(unigrams))
		}
	}
	for _, bad := range []float64{-1, math.NaN()} {
		if _, err := train(t, 2, 2, [][]int32{{1, 2}}).Pruned(bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("threshold %g: %v", bad, err)
		}
	}
}
