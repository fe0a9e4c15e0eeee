package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/pairgram"
)

// pairsTSV is the default data: Spanish words with their sounds, by the rules of Spanish
// spelling.
//
//go:embed pairs.tsv
var pairsTSV string

// Without separate files each testPart-th pair of the data is a test pair, and each devPart-th
// of the others is a development pair if there is a choice to make.
const (
	testPart = 8
	devPart  = 10
)

// pair is a pair and the file that contains it.
type pair struct {
	file string
	tsv.Pair
}

// corpus has the training, development and test pairs, and the candidate ways to cut their
// columns into symbols.
type corpus struct {
	train, dev, test []pair
	readings         []script.Columns
}

// read reads the files that the flags name. It skips lines that are not pairs.
func (f *flags) read(_ context.Context, r *program.Run) (c *corpus, err error) {
	read := func(file string) (all []pair, err error) {
		rows := tsv.PairsOf(file)
		if file == "" {
			file = "pairs.tsv"
			rows = tsv.Pairs(strings.NewReader(pairsTSV), file)
		}
		for p, err := range program.Records(r, rows) {
			if err != nil {
				return nil, err
			}
			all = append(all, pair{file, p})
		}
		return all, nil
	}
	c = new(corpus)
	if c.train, c.test, err = program.TrainTest(r, *f.data, *f.test, testPart, read); err != nil || r.Loads() {
		return c, err
	}
	words, targets := texts(c.train, *f.swap)
	c.readings = script.Readings(words, targets, *f.swap, *f.spaced, *f.normalize)
	if *f.dev != "" {
		c.dev, err = read(*f.dev)
	} else if len(c.readings) > 1 || *f.classes == 0 {
		c.train, c.dev = program.HoldOut(c.train, devPart)
	}
	if err == nil && len(c.train) == 0 {
		err = errors.New("no pairs to learn from")
	}
	return c, err
}

// texts returns the words and the targets of pairs.
func texts(pairs []pair, swapped bool) (words, targets []string) {
	for _, p := range pairs {
		words, targets = append(words, p.Left), append(targets, p.Right)
	}
	if swapped {
		return targets, words
	}
	return words, targets
}

// symbols are the names of the symbols of both sides.
type symbols struct{ word, target *fst.Symbols }

// encode returns pairs in columns as training pairs, and the names of their symbols.
func encode(c script.Columns, all []pair) ([]pairgram.Pair, symbols) {
	s := symbols{fst.NewSymbols(), fst.NewSymbols()}
	add := func(table *fst.Symbols, names []string) (labels []int32) {
		for _, name := range names {
			labels = append(labels, table.Add(name))
		}
		return labels
	}
	words, targets := texts(all, c.Swapped)
	pairs := make([]pairgram.Pair, len(words))
	for i, x := range all {
		pairs[i] = pairgram.Pair{
			Source: add(s.word, c.Word.Split(words[i])), Target: add(s.target, c.Target.Split(targets[i])),
			Weight: em.Times(x.Count), Name: fmt.Sprintf("%s:%d", x.file, x.Line),
		}
	}
	return pairs, s
}

// answers returns the distinct words of pairs in columns, in order, and the targets of each.
func answers(c script.Columns, all []pair) (words [][]string, targets [][][]string) {
	number := map[string]int{}
	left, right := texts(all, c.Swapped)
	for i := range left {
		word := c.Word.Split(left[i])
		key := strings.Join(word, "\t")
		n, ok := number[key]
		if !ok {
			n, number[key] = len(words), len(words)
			words, targets = append(words, word), append(targets, nil)
		}
		targets[n] = append(targets[n], c.Target.Split(right[i]))
	}
	return words, targets
}
