package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/moments"
)

// candidates is the number of tags of a word for which its features have weights, and
// passes how often the fit may look at the sentences.
const (
	candidates = 4
	passes     = 60
)

// features are those of the spelling of words.
func (c *corpus) features(words []int) crf.Features {
	return func(t int, a *crf.Attributes) {
		word := c.words[words[t]]
		a.Add("bias")
		a.Add("word=", word)
		if lower := strings.ToLower(word); lower != word {
			a.Add("capital")
		}
		for n, i := 1, len(word); n <= 3 && i > 0; n++ {
			_, size := utf8.DecodeLastRuneInString(word[:i])
			i -= size
			a.Add("suffix=", word[i:])
		}
		if strings.ContainsAny(word, "0123456789") {
			a.Add("digit")
		}
	}
}

// fitSpelling fits a conditional model of each word's tag to the statistics that
// features have if tags are distributed as w says, whose rows are distributions.
func (c *corpus) fitSpelling(ctx context.Context, w *mat.Dense, workers int) (tagger, error) {
	data := crf.NewData()
	ranked := make([][]int, len(c.words))
	for a := range ranked {
		row := w.RawRowView(a)
		for b := range row {
			ranked[a] = append(ranked[a], b)
		}
		slices.SortStableFunc(ranked[a], func(x, y int) int { return cmp.Compare(row[y], row[x]) })
	}
	for _, words := range c.train.word {
		for k := range min(candidates, len(c.tags)) {
			names := make([]string, len(words))
			for j, a := range words {
				names[j] = c.tags[ranked[a][k]]
			}
			if err := data.Allow(names, c.features(words)); err != nil {
				return nil, err
			}
			if k > 0 {
				continue
			}
			if err := data.Add(names, c.features(words)); err != nil {
				return nil, err
			}
		}
	}
	l, err := crf.NewLikelihood(crf.Node, data, em.LogLinearOptions{})
	if err != nil {
		return nil, err
	}
	a, err := l.LogPartition()
	if err != nil {
		return nil, err
	}
	column := map[string]int{}
	for b, name := range c.tags {
		column[name] = b
	}
	var p []float64
	for _, words := range c.train.word {
		for _, word := range words {
			for _, name := range a.Labels() {
				p = append(p, w.At(word, column[name]))
			}
		}
	}
	fit, err := moments.Fit(ctx, a, a.Statistics(p), &moments.Options{
		Training: &em.Options{Iterations: passes, Tolerance: 1e-5, Workers: workers}})
	if err != nil {
		return nil, err
	}
	model, err := l.Model(fit.Theta)
	if err != nil {
		return nil, err
	}
	return c.conditional(model, column), nil
}

// conditional returns the tagger of a model. It panics if the model does not know a word
// and its features, which the bias rules out.
func (c *corpus) conditional(model *crf.Model, column map[string]int) tagger {
	return func(words []int) []int {
		tags := make([]int, len(words))
		lattice, err := model.Lattice(len(words), c.features(words))
		if err != nil {
			panic(err)
		}
		names, err := lattice.Best()
		if err != nil {
			panic(err)
		}
		for j, name := range names {
			tags[j] = column[name]
		}
		return tags
	}
}

// supervised returns how well the models do whose statistics are those of the tags.
func (c *corpus) supervised(ctx context.Context) ([]result, error) {
	began := time.Now()
	w := mat.NewDense(len(c.words), len(c.tags), nil)
	all, seen := make([]float64, len(c.tags)), make([]bool, len(c.words))
	for i, words := range c.train.word {
		for j, a := range words {
			b := c.train.tag[i][j]
			w.Set(a, b, w.At(a, b)+1)
			all[b]++
			seen[a] = true
		}
	}
	var unseen []int
	for a, ok := range seen {
		row := w.RawRowView(a)
		if !ok {
			unseen = append(unseen, a)
			copy(row, all)
		}
		total := 0.0
		for _, x := range row {
			total += x
		}
		for b := range row {
			row[b] /= total
		}
	}
	table := newTable(w, unseen, all)
	results := []result{{Method: "supervised", Train: c.train.accuracy(table), Test: c.test.accuracy(table), Seconds: time.Since(began).Seconds()}}
	began = time.Now()
	spelling, err := c.fitSpelling(ctx, w, 0)
	if err != nil {
		return results, err
	}
	return append(results, result{Method: "spelling, supervised", Train: c.train.accuracy(spelling), Test: c.test.accuracy(spelling), Seconds: time.Since(began).Seconds()}), nil
}
