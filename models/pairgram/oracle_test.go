package pairgram

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ngram"
)

// randomPairs returns pairs of short strings over a few symbols.
func randomPairs(rng *rand.Rand, n, length int) []Pair {
	str := func() []int32 {
		s := make([]int32, rng.IntN(length+1))
		for i := range s {
			s[i] = 1 + rng.Int32N(3)
		}
		return s
	}
	pairs := make([]Pair, n)
	for i := range pairs {
		pairs[i] = Pair{Source: str(), Target: str(), Name: fmt.Sprint("p", i)}
	}
	// A chunk of every inventory.
	pairs[n-1].Source, pairs[n-1].Target = []int32{1 + rng.Int32N(3)}, []int32{1 + rng.Int32N(3)}
	return pairs
}

var inventories = [][]Size{
	nil,
	{{1, 0}, {1, 1}, {1, 2}, {2, 1}},
	{{0, 1}, {1, 0}, {2, 2}, {1, 1}},
	{{1, 1}, {3, 1}, {0, 2}},
}

// cuts yields all ways to cut a pair into chunks of the inventory, by brute force.
func cuts(c *Chunks, x, y []int32, yield func(chunks []int32)) {
	var walk func(x, y, so []int32)
	walk = func(x, y, so []int32) {
		if len(x)+len(y) == 0 {
			yield(so)
			return
		}
		for n := int32(1); int(n) <= c.Len(); n++ {
			k := c.chunk(n)
			if len(k.Source) <= len(x) && len(k.Target) <= len(y) && slices.Equal(k.Source, x[:len(k.Source)]) && slices.Equal(k.Target, y[:len(k.Target)]) {
				walk(x[len(k.Source):], y[len(k.Target):], append(slices.Clip(so), n))
			}
		}
	}
	walk(x, y, nil)
}

func newTestAligner(t testing.TB, pairs []Pair, o *AlignerOptions) *Aligner {
	t.Helper()
	a, err := NewAligner(pairs, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// occurrence is a chunk, or the end, in a place where the chunks before are known as far
// as the order asks for.
type occurrence struct {
	x, y    int
	history string
	chunk   int32
}

// TestCountsAreThePosteriors of all occurrences, weight by weight, in both directions.
func TestCountsAreThePosteriors(t *testing.T) {
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		pairs := randomPairs(rng, 6, 4)
		pairs[2].Weight = em.Times([]float64{1, 2.5, .25, 40}[rng.IntN(4)])
		a := newTestAligner(t, pairs, &AlignerOptions{Sizes: inventories[seed%4]})
		a.Theta = a.Params.Random(rng)
		order, reversed := 1+rng.IntN(4), rng.IntN(2) == 1
		counts, err := a.Count(context.Background(), pairs, &CountOptions{Order: order, Reversed: reversed, MinCount: -1, MinPosterior: -1, Workers: 1 + rng.IntN(3)})
		if err != nil {
			t.Fatal(err)
		}
		grams, err := ngram.NewCounter(order, int32(a.chunks.Len()))
		if err != nil {
			t.Fatal(err)
		}
		skipped := 0
		for _, p := range pairs {
			if !countByHand(t, a, grams, p, order, reversed) {
				skipped++
			}
		}
		if len(counts.Skipped) != skipped {
			t.Fatalf("seed %d: %v skipped, want %d", seed, counts.Skipped, skipped)
		}
		if skipped == len(pairs) {
			continue
		}
		m, err := counts.Model(nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := grams.Model(nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			s := make([]int32, rng.IntN(5))
			for i := range s {
				s[i] = 1 + rng.Int32N(int32(a.chunks.Len()))
			}
			if got, want := m.grams.LogProb(s), want.LogProb(s); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("seed %d, order %d, %v: %v has log probability %v, want %v", seed, order, reversed, s, got, want)
			}
		}
	}
}

// A pair counts as many times as its weight says, however many these are.
func TestLargeWeights(t *testing.T) {
	pairs := []Pair{{Source: []int32{1, 2}, Target: []int32{1}, Weight: em.Times(1e9)}, {Source: []int32{2}, Target: []int32{2}, Weight: em.Times(1e-9)}}
	a := newTestAligner(t, pairs, nil)
	if _, err := a.Fit(t.Context(), pairs, &em.Options{Iterations: 3}); err != nil {
		t.Fatal(err)
	}
	counts, err := a.Count(t.Context(), pairs, &CountOptions{MinCount: -1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := counts.Model(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.grams.Validate(1e-9); err != nil {
		t.Error(err)
	}
	if p, err := newTestPredictor(t, m, nil).LogProb([]int32{1, 2}, []int32{1}); err != nil || p < -1e-6 {
		t.Errorf("a pair that is nearly all of the data has log probability %v: %v", p, err)
	}
}

// countByHand adds the occurrences of a pair to grams; false if there is none.
func countByHand(t *testing.T, a *Aligner, grams *ngram.Counter, p Pair, order int, reversed bool) bool {
	sum, sums := 0.0, map[occurrence]float64{}
	histories := map[occurrence][]int32{}
	var keys []occurrence
	cuts(a.chunks, p.Source, p.Target, func(chunks []int32) {
		w := 1.0
		for _, n := range chunks {
			w *= a.Theta[n-1]
		}
		sum += w
		if reversed {
			chunks = slices.Clone(chunks)
			slices.Reverse(chunks)
		}
		at := occurrence{}
		for i, n := range append(slices.Clip(chunks), ngram.End) {
			before := chunks[:i]
			last := before[max(0, i-order+1):]
			at.history = fmt.Sprint(last, i < order-1)
			at.chunk = n
			if _, ok := sums[at]; !ok {
				keys = append(keys, at)
				histories[at] = before
			}
			sums[at] += w
			if n != ngram.End {
				at.x += len(a.chunks.chunk(n).Source)
				at.y += len(a.chunks.chunk(n).Target)
			}
		}
	})
	if sum == 0 {
		return false
	}
	for rest := p.weight(); rest > 0; rest-- {
		for _, k := range keys {
			if err := grams.Add(histories[k], k.chunk, min(rest, 1)*sums[k]/sum); err != nil {
				t.Fatal(err)
			}
		}
	}
	return true
}

// randomModel returns a model of random counts that knows every symbol up to 3.
func randomModel(t testing.TB, rng *rand.Rand, sizes []Size, reversed bool) *Model {
	t.Helper()
	pairs := append(randomPairs(rng, 8, 4), Pair{Source: []int32{1, 2, 3}, Target: []int32{1, 2, 3}})
	a := newTestAligner(t, pairs, &AlignerOptions{Sizes: sizes})
	// Chunks on no path have 0.
	if _, err := a.Fit(context.Background(), pairs, &em.Options{Iterations: 1}); err != nil {
		t.Fatal(err)
	}
	counts, err := a.Count(context.Background(), pairs, &CountOptions{Order: 1 + rng.IntN(4), Reversed: reversed, MinCount: -1, MinPosterior: -1})
	if err != nil {
		t.Fatal(err)
	}
	m, err := counts.Model(nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// probability returns p(x, y) by brute force.
func probability(m *Model, x, y []int32) float64 {
	sum := 0.0
	cuts(m.chunks, x, y, func(chunks []int32) {
		if m.reversed {
			chunks = slices.Clone(chunks)
			slices.Reverse(chunks)
		}
		sum += math.Exp(m.grams.LogProb(chunks))
	})
	return sum
}

// targets yields all strings over the symbols 1 … 3 of up to n of them.
func targets(n int, yield func([]int32)) {
	var walk func(s []int32)
	walk = func(s []int32) {
		yield(s)
		for w := int32(1); len(s) < n && w <= 3; w++ {
			walk(append(slices.Clip(s), w))
		}
	}
	walk(nil)
}

// TestPredictorFindsTheBest: a search without limits finds the best targets, with their
// sums over all cuts; those with more insertions than it tries are left out here.
func TestPredictorFindsTheBest(t *testing.T) {
	const longest = 4
	for seed := range trials.Seeds(24) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := randomModel(t, rng, inventories[seed%4], seed/4%2 == 1)
		d, err := m.Predictor(&PredictorOptions{Width: 1 << 20, Margin: 1e9, Insertions: longest})
		if err != nil {
			t.Fatal(err)
		}
		x := randomPairs(rng, 1, 3)[0].Source
		want := map[string]float64{}
		targets(longest, func(y []int32) {
			if p := probability(m, x, y); p > 0 {
				want[fmt.Sprint(y)] = math.Log(p)
			}
		})
		found, err := d.Best(t.Context(), x, 60)
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for _, c := range found {
			if c.LogProb > least+1e-9 {
				t.Fatalf("seed %d: %v after a target of %v", seed, c, least)
			}
			least = c.LogProb
			if len(c.Labels) > longest {
				continue
			}
			k := fmt.Sprint(c.Labels)
			if w, ok := want[k]; !ok || math.Abs(c.LogProb-w) > 1e-9*(1+math.Abs(w)) {
				t.Fatalf("seed %d: %v, want %v (once: %v)", seed, c, w, ok)
			}
			delete(want, k)
		}
		for y, logp := range want {
			if logp > least+1e-9 {
				t.Fatalf("seed %d: %s of %v is missing among %d targets down to %v", seed, y, logp, len(found), least)
			}
		}
	}
}

// TestLatticeSpellsTheSource: paths are sequences of chunks with their probabilities.
func TestLatticeSpellsTheSource(t *testing.T) {
	for seed := range trials.Seeds(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := randomModel(t, rng, inventories[seed%4], seed/4%2 == 1)
		d, err := m.Predictor(&PredictorOptions{Width: 5})
		if err != nil {
			t.Fatal(err)
		}
		x := []int32{1 + rng.Int32N(3), 1 + rng.Int32N(3), 1 + rng.Int32N(3)}
		part, err := d.Lattice(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		g, paths := part.Graph, 0
		var walk func(s int32, logp float64, chunks []int32)
		walk = func(s int32, logp float64, chunks []int32) {
			if f := g.Finals()[s]; !f.IsZero() {
				paths++
				var read []int32
				for i := range chunks {
					n := chunks[i]
					if m.reversed {
						n = chunks[len(chunks)-1-i]
					}
					read = append(read, m.chunks.chunk(n).Source...)
				}
				if want := m.grams.LogProb(chunks); !slices.Equal(read, x) || math.Abs(logp+f.Log()-want) > 1e-9 {
					t.Fatalf("seed %d: %v reads %v for %v and has %v, want %v", seed, chunks, read, x, logp+f.Log(), want)
				}
			}
			for e := g.Row()[s]; e < g.Row()[s+1] && paths < 1000; e++ {
				walk(g.To()[e], logp+g.Weights()[e].Log(), append(slices.Clip(chunks), part.Out[e]))
			}
		}
		walk(g.Starts()[0].State, 0, nil)
		if paths == 0 && m.chunks.sizes[0] == (Size{0, 1}) && len(m.chunks.sizes) == 3 {
			t.Errorf("seed %d: no path", seed)
		}
	}
}

// TestWeightZero: nothing is learnt from a pair that was seen 0 times, not even a chunk.
func TestWeightZero(t *testing.T) {
	some := randomPairs(rand.New(rand.NewPCG(3, 11)), 6, 4)
	never := Pair{Source: []int32{7, 7, 7, 7}, Target: []int32{8}, Weight: em.Times(0)}
	fit := func(pairs ...Pair) (*Aligner, *Counts) {
		a := newTestAligner(t, pairs, nil)
		if _, err := a.Fit(t.Context(), pairs, nil); err != nil {
			t.Fatal(err)
		}
		c, err := a.Count(t.Context(), pairs, &CountOptions{Order: 3, MinCount: -1})
		if err != nil {
			t.Fatal(err)
		}
		return a, c
	}
	a, all := fit(append([]Pair{never, some[0], never}, some[1:]...)...)
	b, counts := fit(some...)
	if !slices.Equal(a.Theta, b.Theta) || a.Chunks().Len() != b.Chunks().Len() || len(all.Skipped) != len(counts.Skipped) {
		t.Errorf("%d chunks and θ %v, want %d and %v", a.Chunks().Len(), a.Theta, b.Chunks().Len(), b.Theta)
	}
	x, err := all.Model(nil)
	if err != nil {
		t.Fatal(err)
	}
	y, err := counts.Model(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range some {
		q, errQ := newTestPredictor(t, x, nil).LogProb(p.Source, p.Target)
		want, errWant := newTestPredictor(t, y, nil).LogProb(p.Source, p.Target)
		if q != want || (errQ == nil) != (errWant == nil) {
			t.Errorf("ln p of %v is %v (%v), want %v (%v)", p, q, errQ, want, errWant)
		}
	}
	if all := questions([]Pair{never, some[0]}); len(all) != 1 {
		t.Errorf("%d questions, want 1", len(all))
	}
}
