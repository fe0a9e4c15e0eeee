package main

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/internal/tagged"
)

// corpus has sentences of numbered words and tags.
type corpus struct {
	words, tags []string // their names
	tag         map[string]int
	train, test half
}

// half has the training sentences or the test sentences.
type half struct {
	sentences []tagged.Sentence
	word, tag [][]int // the same as numbers
}

func newCorpus(train, test []tagged.Sentence) *corpus {
	c, word := &corpus{tag: map[string]int{}}, map[string]int{}
	numbers := func(sentences []tagged.Sentence) half {
		h := half{sentences: sentences}
		for _, s := range sentences {
			h.word = append(h.word, number(word, &c.words, s.Words))
			h.tag = append(h.tag, number(c.tag, &c.tags, s.Tags))
		}
		return h
	}
	c.train, c.test = numbers(train), numbers(test)
	return c
}

// number returns the numbers of names, and gives new names the next numbers.
func number(of map[string]int, all *[]string, names []string) []int {
	numbers := make([]int, len(names))
	for j, name := range names {
		i, ok := of[name]
		if !ok {
			i = len(*all)
			of[name] = i
			*all = append(*all, name)
		}
		numbers[j] = i
	}
	return numbers
}

// tagger returns the tags of a sentence.
type tagger func(words []int, names []string) []int

// newTable returns the tagger that takes the most probable tag of each word by w, and the most
// probable tag of fallback for unseen words.
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

// frequencies returns the number of times that each word has each tag in the training
// sentences, the words without occurrences, and the number of occurrences of each tag.
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

// accuracy returns the fraction of words that tag tags correctly.
func (h *half) accuracy(tag tagger) float64 {
	right, all := 0, 0
	for i, words := range h.word {
		for j, b := range tag(words, h.sentences[i].Words) {
			if b == h.tag[i][j] {
				right++
			}
		}
		all += len(words)
	}
	return float64(right) / float64(all)
}

// Settings of the simulated sentences.
const (
	sentences, length = 1000, 12
	vocabulary, tags  = 200, 6
	ambiguity         = .3
)

// simulate draws sentences. Each word has a main tag and a second one. The probability of the
// second tag varies by word, up to ambiguity. The last letter of a word hints at the main tag.
func simulate(rng *rand.Rand) []tagged.Sentence {
	type entry struct {
		word        string
		main, other int
		share       float64
	}
	lexicon := make([]entry, vocabulary)
	for i := range lexicon {
		main := rng.IntN(tags)
		lexicon[i] = entry{fmt.Sprintf("w%d%c", i, 'a'+main), main, (main + 1 + rng.IntN(tags-1)) % tags, ambiguity * rng.Float64()}
	}
	zipf := rand.NewZipf(rng, 1.01, 1, vocabulary-1)
	all := make([]tagged.Sentence, sentences)
	for i := range all {
		for range length {
			e := lexicon[zipf.Uint64()]
			tag := e.main
			if rng.Float64() < e.share {
				tag = e.other
			}
			all[i].Words, all[i].Tags = append(all[i].Words, e.word), append(all[i].Tags, fmt.Sprintf("T%d", tag))
		}
	}
	return all
}
