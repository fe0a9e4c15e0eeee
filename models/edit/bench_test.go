package edit

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/models/nbest"
)

// syllables returns distinct words of two to four syllables over 20 letters.
func syllables(rng *rand.Rand, n int) []Word {
	seen := map[string]bool{}
	var words []Word
	for len(words) < n {
		var w []int32
		for range 2 + rng.IntN(3) {
			w = append(w, 1+rng.Int32N(15), 16+rng.Int32N(5))
			if rng.IntN(3) == 0 {
				w = append(w, 1+rng.Int32N(15))
			}
		}
		if key := fmt.Sprint(w); !seen[key] {
			seen[key] = true
			words = append(words, Word{w, rng.ExpFloat64()})
		}
	}
	return words
}

// BenchmarkCorrect corrects words with two random edits, by a beam through a lexicon and, as
// the baseline, by a hand-written scan of the whole lexicon: the best path of a memoryless
// channel, with the rows that a word shares with the one before it kept.
func BenchmarkCorrect(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	words := syllables(rng, 70_000)
	alphabet := make([]int32, 20)
	for i := range alphabet {
		alphabet[i] = int32(i + 1)
	}
	change := func(x []int32) []int32 {
		y := slices.Clone(x)
		for range 2 {
			i := rng.IntN(len(y))
			switch rng.IntN(3) {
			case 0:
				y = slices.Delete(y, i, i+1)
			case 1:
				y = slices.Insert(y, i, 1+rng.Int32N(20))
			default:
				y[i] = 1 + rng.Int32N(20)
			}
		}
		return y
	}
	data := make([]Pair, 2000)
	for i := range data {
		x := words[rng.IntN(len(words))].Labels
		data[i] = Pair{Source: x, Target: change(x)}
	}
	model, _, err := fitContextual(b, alphabet, data, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	scout, _, err := fitContextual(b, alphabet, data, &ContextOptions{Windows: []Window{{}}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	queries := make([][]int32, 100)
	for i := range queries {
		queries[i] = change(words[rng.IntN(len(words))].Labels)
	}
	perWord := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N*len(queries)), "ms/word")
	}
	for _, n := range []int{7_000, 70_000} {
		b.Run("beam/words="+map[int]string{7_000: "7k", 70_000: "70k"}[n], func(b *testing.B) {
			c, err := NewCorrector(model, words[:n], &CorrectorOptions{Scout: scout})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for _, y := range queries {
					if _, err := c.Best(b.Context(), y, 10); err != nil {
						b.Fatal(err)
					}
				}
			}
			perWord(b)
		})
	}
	b.Run("scan/words=70k", func(b *testing.B) {
		sorted := slices.Clone(words)
		slices.SortFunc(sorted, func(v, w Word) int { return slices.Compare(v.Labels, w.Labels) })
		for b.Loop() {
			for _, y := range queries {
				scan(sorted, y, 40)
			}
		}
		perWord(b)
	})
}

// scan returns the n best words under fixed costs of edits.
func scan(words []Word, y []int32, n int) []Correction {
	const keep, change = .1, 4.
	rows := make([][]float64, 1, 32)
	for j := range len(y) + 1 {
		rows[0] = append(rows[0], float64(j)*change)
	}
	var last []int32
	found := make([]Correction, 0, len(words))
	for w, word := range words {
		k := 0
		for k < len(last) && k < len(word.Labels) && last[k] == word.Labels[k] {
			k++
		}
		rows = rows[:k+1]
		for _, a := range word.Labels[k:] {
			above := rows[len(rows)-1]
			row := make([]float64, len(y)+1)
			row[0] = above[0] + change
			for j, b := range y {
				cost := change
				if a == b {
					cost = keep
				}
				row[j+1] = min(above[j]+cost, above[j+1]+change, row[j]+change)
			}
			rows = append(rows, row)
		}
		last = word.Labels
		found = append(found, Correction{w, nbest.Candidate{LogProb: math.Log(word.Weight) - rows[len(rows)-1][len(y)]}})
	}
	slices.SortFunc(found, func(a, b Correction) int { return cmp.Compare(b.LogProb, a.LogProb) })
	return found[:n]
}
