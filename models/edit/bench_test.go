package edit

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/benchtime"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/pairgram"
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
			c, err := NewCorrector(model, words[:n], &CorrectorOptions{CandidateModel: scout})
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

// BenchmarkFit measures five iterations of EM from 2000 pairs of words, by a lattice for each
// pair and by grids where they are predicted to take less time.
func BenchmarkFit(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	alphabet := make([]int32, 20)
	for i := range alphabet {
		alphabet[i] = int32(i + 1)
	}
	var data []cascade.Example
	var pairs []Pair
	for _, w := range syllables(rng, 2000) {
		y := slices.Clone(w.Labels)
		for range 2 {
			y[rng.IntN(len(y))] = 1 + rng.Int32N(20)
		}
		data = append(data, cascade.Example{X: cascade.Labels(w.Labels...), Y: cascade.Labels(y...)})
		pairs = append(pairs, Pair{Source: w.Labels, Target: y})
	}
	var chunks []pairgram.Chunk
	for x := range int32(20) {
		chunks = append(chunks, pairgram.Chunk{Source: []int32{x + 1}}, pairgram.Chunk{Target: []int32{x + 1}})
		for y := range int32(20) {
			chunks = append(chunks, pairgram.Chunk{Source: []int32{x + 1}, Target: []int32{y + 1}})
		}
		chunks = append(chunks, pairgram.Chunk{Source: []int32{x + 1, 1 + (x+1)%20}, Target: []int32{x + 1}})
		chunks = append(chunks, pairgram.Chunk{Source: []int32{x + 1}, Target: []int32{1 + (x+1)%20, x + 1}})
	}
	type task struct {
		name string
		make func() (*Model, error)
		data []cascade.Example
	}
	tasks := []task{
		{"joint", func() (*Model, error) { return NewJoint(alphabet, alphabet, em.Multinomial{}) }, data},
		{"conditional", func() (*Model, error) { return NewConditional(alphabet, alphabet, em.Multinomial{}) }, data},
		{"chunks", func() (*Model, error) { return NewChunks(chunks, 0, em.Multinomial{}) }, data},
	}
	c, err := NewContextual(alphabet, pairs, nil)
	if err != nil {
		b.Fatal(err)
	}
	data = slices.Clone(data)
	for i, p := range pairs {
		labels, _ := c.trainer.contexts.labels(p.Source)
		data[i].X = cascade.Labels(labels...)
	}
	tasks = append(tasks, task{"contextual", func() (*Model, error) { return &c.Model, nil }, data})
	for _, t := range tasks {
		for _, way := range []cascade.Strategy{cascade.ByLattice, cascade.BySize} {
			b.Run(fmt.Sprintf("%s/%v", t.name, way), func(b *testing.B) {
				m, err := t.make()
				if err != nil {
					b.Fatal(err)
				}
				defer benchtime.Per(b, 1, "fit")()
				for b.Loop() {
					if _, err := m.Fit(b.Context(), cascade.Data{Examples: t.data, Strategy: way}, &em.Options{Iterations: 5, Tolerance: -1, Workers: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
