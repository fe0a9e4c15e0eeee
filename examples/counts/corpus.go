package main

import (
	"errors"
	"math/rand/v2"

	"example.org/pathsum/internal/tagged"
)

// corpus are sentences of numbered words and tags.
type corpus struct {
	words, tags []string // their names
	tag         map[string]int
	train, test half
}

// half are sentences to learn from, or to be tested with.
type half struct {
	sentences []tagged.Sentence
	word, tag [][]int // the same in numbers
}

// load reads the files; without a name of the first it makes up sentences, and without
// one of the second some are held out.
func load(trainFile, testFile string, column int, rng *rand.Rand) (*corpus, error) {
	if trainFile == "" && testFile != "" {
		return nil, errors.New("-test without -data")
	}
	train, test, err := tagged.Load(trainFile, testFile, column, func() ([]tagged.Sentence, error) { return simulate(rng), nil })
	if err != nil {
		return nil, err
	}
	c, word := &corpus{tag: map[string]int{}}, map[string]int{}
	for _, h := range []struct {
		*half
		sentences []tagged.Sentence
	}{{&c.train, train}, {&c.test, test}} {
		h.half.sentences = h.sentences
		for _, s := range h.sentences {
			h.word = append(h.word, number(word, &c.words, s.Words))
			h.half.tag = append(h.half.tag, number(c.tag, &c.tags, s.Tags))
		}
	}
	return c, nil
}

// number returns the numbers of names; those of new ones are next.
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

// accuracy returns the share of words that tag tags right.
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
