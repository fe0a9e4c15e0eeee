package ngram

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/internal/benchtime"
)

// dictionary makes words words of about 7 of vocabulary symbols, where each symbol has
// some 20 successors, few of them likely.
func dictionary(rng *rand.Rand, words int, vocabulary int32) [][]int32 {
	all := make([][]int32, words)
	for i := range all {
		s := make([]int32, 3+rng.IntN(5)+rng.IntN(5))
		last := int32(0)
		for j := range s {
			u := rng.Float64()
			last = 1 + (last*31+int32(16*u*u*u*u)*17)%vocabulary
			s[j] = last
		}
		all[i] = s
	}
	return all
}

// BenchmarkCounter counts a dictionary of 113,000 words, each with 12 weighted ways to
// write it that differ in some, in n-grams of 8: some 10 million occurrences.
func BenchmarkCounter(b *testing.B) {
	const vocabulary = 550
	words := dictionary(rand.New(rand.NewPCG(1, 1)), 113_000, vocabulary)
	occurrences := 0
	for _, s := range words {
		occurrences += 12 * (len(s) + 1)
	}
	count := func() *Counter {
		rng := rand.New(rand.NewPCG(1, 2))
		c := counter(b, 8, vocabulary)
		for _, s := range words {
			for way := range 12 {
				at, k := other(rng, s, way), c.Start()
				for i, w := range s {
					if i == at {
						w = 1 + w%vocabulary
					}
					if err := c.AddAt(k, w, rng.Float64(), 1); err != nil {
						b.Fatal(err)
					}
					k = c.Step(k, w)
				}
				if err := c.AddAt(k, End, rng.Float64(), 1); err != nil {
					b.Fatal(err)
				}
			}
		}
		return c
	}
	var c *Counter
	b.Run("Add", func(b *testing.B) {
		defer benchtime.Per(b, occurrences, "occurrence")()
		for b.Loop() {
			c = count()
		}
		b.ReportMetric(float64(len(c.trie.nodes)), "n-grams")
	})
	b.Run("Add/maps", func(b *testing.B) {
		defer benchtime.Per(b, occurrences, "occurrence")()
		for b.Loop() {
			countInMaps(words, vocabulary)
		}
	})
	var m *Model
	b.Run("Model", func(b *testing.B) {
		defer benchtime.Per(b, len(c.trie.nodes), "n-gram")()
		for b.Loop() {
			m = model(b, c, nil)
		}
	})
	b.Run("Step", func(b *testing.B) {
		defer benchtime.Per(b, occurrences/12, "symbol")()
		for b.Loop() {
			for _, s := range words {
				k := m.Start()
				for _, w := range s {
					k, _ = m.Step(k, w)
				}
				m.Step(k, End)
			}
		}
	})
}

// other returns which symbol of a word is another one in the given way to write it, −1 for
// none.
func other(rng *rand.Rand, word []int32, way int) int {
	if way == 0 && rng.IntN(3) == 0 {
		return rng.IntN(len(word))
	}
	return -1
}

// countInMaps is the baseline: the same expected counts of the same n-grams in maps by
// context and symbol, without the distributions of the counts and without shorter n-grams.
func countInMaps(words [][]int32, vocabulary int32) map[uint64]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	node, counts := map[uint64]uint64{}, map[uint64]float64{}
	child := func(k uint64, w int32) uint64 {
		key := k<<32 | uint64(w)
		next, ok := node[key]
		if !ok {
			next = uint64(len(node) + 1)
			node[key] = next
		}
		return next
	}
	for _, s := range words {
		for way := range 12 {
			at := other(rng, s, way)
			var last [7]int32
			k := uint64(0)
			for i, w := range s {
				if i == at {
					w = 1 + w%vocabulary
				}
				counts[k<<32|uint64(w)] += rng.Float64()
				copy(last[:], last[1:])
				last[6] = w
				if i < 6 {
					k = child(k, w)
					continue
				}
				k = 0
				for _, w := range last {
					k = child(k, w)
				}
			}
			counts[k<<32|End] += rng.Float64()
		}
	}
	return counts
}

// BenchmarkARPA writes and reads a model of order 5.
func BenchmarkARPA(b *testing.B) {
	const vocabulary = 550
	c := counter(b, 5, vocabulary)
	for _, s := range dictionary(rand.New(rand.NewPCG(1, 1)), 113_000, vocabulary) {
		if err := c.AddString(s, 1); err != nil {
			b.Fatal(err)
		}
	}
	m, symbols := model(b, c, nil), names(vocabulary)
	text := writeARPA(b, m, symbols)
	for _, run := range []struct {
		name string
		do   func() error
	}{
		{"Write", func() error { return m.WriteARPA(io.Discard, symbols) }},
		{"Read", func() error { _, err := ReadARPA(strings.NewReader(text), "", symbols); return err }},
		{"Save", func() error { return m.Save(io.Discard) }},
		{"Pruned", func() error { _, err := m.Pruned(1e-7); return err }},
	} {
		b.Run(run.name, func(b *testing.B) {
			defer benchtime.Per(b, len(m.symbol), "n-gram")()
			for b.Loop() {
				if err := run.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
