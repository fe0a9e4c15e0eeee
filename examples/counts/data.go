package main

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"example.org/pathsum/internal/tsv"
)

// format is that of the data.
const format = "word<TAB>tag[<TAB>…], and an empty line after each sentence"

// corpus are sentences of numbered words and tags.
type corpus struct {
	words, tags []string // their names
	train, test half
}

// half are sentences to learn from, or to be tested with.
type half struct{ word, tag [][]int }

// load reads the files; without a name of the first it makes up a corpus, and without
// one of the second every sixth sentence is held out.
func load(trainFile, testFile string, rng *rand.Rand) (*corpus, error) {
	c, n := new(corpus), newNumbering()
	switch {
	case trainFile != "":
		var err error
		if c.train, err = n.read(tsv.RowsOf(trainFile, 1, 10), trainFile); err != nil {
			return nil, err
		}
	case testFile != "":
		return nil, errors.New("-test without -data")
	default:
		c.train = n.simulate(rng)
	}
	if testFile == "" {
		c.train.divide(&c.test, 6)
	} else {
		var err error
		if c.test, err = n.read(tsv.RowsOf(testFile, 1, 10), testFile); err != nil {
			return nil, err
		}
	}
	if len(c.train.word) == 0 || len(c.test.word) == 0 {
		return nil, fmt.Errorf("%d sentences to learn from and %d to be tested with, want some", len(c.train.word), len(c.test.word))
	}
	c.words, c.tags = n.words, n.tags
	return c, nil
}

// divide moves each n-th sentence to test.
func (h *half) divide(test *half, n int) {
	all := *h
	*h = half{}
	for i := range all.word {
		to := h
		if (i+1)%n == 0 {
			to = test
		}
		to.word, to.tag = append(to.word, all.word[i]), append(to.tag, all.tag[i])
	}
}

// numbering numbers words and tags as they come.
type numbering struct {
	words, tags []string
	word, tag   map[string]int
}

func newNumbering() *numbering {
	return &numbering{word: map[string]int{}, tag: map[string]int{}}
}

func number(of map[string]int, names *[]string, name string) int {
	i, ok := of[name]
	if !ok {
		i = len(*names)
		of[name] = i
		*names = append(*names, name)
	}
	return i
}

// read reads rows of word and tag, up to an empty row or the end each sentence.
func (n *numbering) read(rows iter.Seq2[tsv.Row, error], file string) (half, error) {
	var h half
	open := false
	for row, err := range rows {
		switch c := row.Columns; {
		case err != nil:
			return h, err
		case len(c) == 1 && c[0] == "":
			open = false
		case len(c) == 1 || c[0] == "" || c[1] == "":
			return h, &tsv.Error{File: file, Line: row.Line, Err: fmt.Errorf("%w: want word and tag", tsv.ErrEmptySide)}
		default:
			if !open {
				h.word, h.tag = append(h.word, nil), append(h.tag, nil)
				open = true
			}
			i := len(h.word) - 1
			h.word[i] = append(h.word[i], number(n.word, &n.words, c[0]))
			h.tag[i] = append(h.tag[i], number(n.tag, &n.tags, c[1]))
		}
	}
	return h, nil
}

// The corpus that is made up.
const (
	sentences, length = 1000, 12
	vocabulary, tags  = 200, 6
	ambiguity         = .3
)

// simulate makes up sentences. Each word has a main tag and another, which it has with a
// probability of its own, up to ambiguity; its last letter hints at the main one.
func (n *numbering) simulate(rng *rand.Rand) half {
	type entry struct {
		word, main, other int
		share             float64
	}
	var lexicon []entry
	for i := range vocabulary {
		main := rng.IntN(tags)
		name := fmt.Sprintf("w%d%c", i, 'a'+main)
		lexicon = append(lexicon, entry{number(n.word, &n.words, name), main, (main + 1 + rng.IntN(tags-1)) % tags, ambiguity * rng.Float64()})
	}
	for b := range tags {
		number(n.tag, &n.tags, fmt.Sprintf("T%d", b))
	}
	zipf := rand.NewZipf(rng, 1.01, 1, vocabulary-1)
	var h half
	for range sentences {
		word, tag := make([]int, length), make([]int, length)
		for j := range word {
			e := lexicon[zipf.Uint64()]
			word[j], tag[j] = e.word, e.main
			if rng.Float64() < e.share {
				tag[j] = e.other
			}
		}
		h.word, h.tag = append(h.word, word), append(h.tag, tag)
	}
	return h
}
