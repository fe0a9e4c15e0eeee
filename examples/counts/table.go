package main

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// newTable returns the tagger that takes the most probable tag of each word by w, and
// that of fallback for unseen words.
func newTable(w *mat.Dense, unseen []int, fallback []float64) tagger {
	words, _ := w.Dims()
	best := make([]int, words)
	for a := range best {
		best[a] = floats.MaxIdx(w.RawRowView(a))
	}
	for _, a := range unseen {
		best[a] = floats.MaxIdx(fallback)
	}
	return func(words []int, _ []string) []int {
		tags := make([]int, len(words))
		for j, a := range words {
			tags[j] = best[a]
		}
		return tags
	}
}

// frequencies returns how often each word of the sentences to learn from has each tag,
// the words that it does not have, and how often all of them have each tag.
func (c *corpus) frequencies() (w *mat.Dense, unseen []int, all []float64) {
	w, all = mat.NewDense(len(c.words), len(c.tags), nil), make([]float64, len(c.tags))
	for i, words := range c.train.word {
		for j, a := range words {
			b := c.train.tag[i][j]
			w.Set(a, b, w.At(a, b)+1)
			all[b]++
		}
	}
	for a := range c.words {
		if floats.Sum(w.RawRowView(a)) == 0 {
			unseen = append(unseen, a)
		}
	}
	return w, unseen, all
}
