package main

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/pairgram"
)

// pairsTSV is the default data: Spanish words with their sounds, by the rules of Spanish
// spelling.
//
//go:embed pairs.tsv
var pairsTSV string

// Without a file of their own each testPart-th pair of the data is a test pair, and each
// devPart-th one of the rest is one to choose settings by, if there is a choice.
const (
	testPart = 8
	devPart  = 10
)

// side is how a column of the data is written: as characters, or, if one of its lines
// has a space, as symbols between spaces.
type side struct {
	Spaced bool
}

// split returns the symbols of a text.
func (s side) split(text string) []string {
	if s.Spaced {
		return tsv.Symbols(text)
	}
	return strings.Split(text, "")
}

// join returns the text of symbols.
func (s side) join(symbols []string) string {
	if s.Spaced {
		return strings.Join(symbols, " ")
	}
	return strings.Join(symbols, "")
}

// item is a pair of the data.
type item struct {
	where        string // file and line
	word, target []string
	count        float64
}

// data are the pairs to learn from, to choose settings by and to be tested with.
type data struct {
	word, target     side
	train, dev, test []item
}

// loadData reads the files of the experiment.
func (e *experiment) loadData() (*data, error) {
	d := new(data)
	var train []tsv.Pair
	var err error
	name := *e.data
	if name == "" {
		name = "pairs.tsv"
		train, err = tsv.Collect(tsv.Pairs(strings.NewReader(pairsTSV), name))
	} else {
		train, err = tsv.Collect(tsv.PairsOf(name))
	}
	if err != nil {
		return nil, err
	}
	for _, p := range train {
		d.word.Spaced = d.word.Spaced || strings.Contains(p.Left, " ")
		d.target.Spaced = d.target.Spaced || strings.Contains(p.Right, " ")
	}
	d.train = d.items(train, name)
	for _, part := range []struct {
		file string
		each int
		to   *[]item
	}{{*e.test, testPart, &d.test}, {*e.dev, devPart, &d.dev}} {
		if part.file == "" {
			if part.to != &d.dev || len(e.settings()) > 1 {
				d.train, *part.to = divide(d.train, part.each)
			}
			continue
		}
		pairs, err := tsv.Collect(tsv.PairsOf(part.file))
		if err != nil {
			return nil, err
		}
		*part.to = d.items(pairs, part.file)
	}
	if len(d.train) == 0 {
		return nil, errors.New("no pairs to learn from")
	}
	if *e.swap {
		d.word, d.target = d.target, d.word
		for _, part := range [][]item{d.train, d.dev, d.test} {
			for i := range part {
				part[i].word, part[i].target = part[i].target, part[i].word
			}
		}
	}
	return d, nil
}

func (d *data) items(pairs []tsv.Pair, file string) []item {
	items := make([]item, len(pairs))
	for i, p := range pairs {
		items[i] = item{fmt.Sprintf("%s:%d", file, p.Line), d.word.split(p.Left), d.target.split(p.Right), p.Count}
	}
	return items
}

// divide returns all items but each n-th, and those.
func divide(items []item, n int) (most, some []item) {
	for i, x := range items {
		if (i+1)%n == 0 {
			some = append(some, x)
		} else {
			most = append(most, x)
		}
	}
	return most, some
}

// symbols are the names of the symbols of both sides.
type symbols struct{ word, target *fst.Symbols }

// pairs returns the training pairs, and the names of their symbols.
func (d *data) pairs() ([]pairgram.Pair, symbols) {
	s := symbols{fst.NewSymbols(), fst.NewSymbols()}
	add := func(table *fst.Symbols, names []string) []int32 {
		labels := make([]int32, len(names))
		for i, name := range names {
			labels[i] = table.Add(name)
		}
		return labels
	}
	pairs := make([]pairgram.Pair, len(d.train))
	for i, x := range d.train {
		pairs[i] = pairgram.Pair{Source: add(s.word, x.word), Target: add(s.target, x.target), Weight: em.Times(x.count), Name: x.where}
	}
	return pairs, s
}

// words returns the different words of items, in order, and the targets of each.
func words(items []item) (words [][]string, targets map[string][][]string) {
	targets = map[string][][]string{}
	for _, x := range items {
		k := key(x.word)
		if _, ok := targets[k]; !ok {
			words = append(words, x.word)
		}
		targets[k] = append(targets[k], x.target)
	}
	return words, targets
}

// key returns a string that tells lists of symbols apart.
func key(symbols []string) string { return strings.Join(symbols, " ") }
