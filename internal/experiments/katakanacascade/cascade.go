package main

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// The directions.
const (
	forward  = transliteration.Forward
	backward = transliteration.Backward
)

// Letters are searched with an n-gram model of a low order, which keeps the search small, and
// the candidates are ranked with a model of an order up to maxOrder.
const (
	searchOrder = 2
	maxOrder    = 5
)

// start is the channel before training, which treats all letters alike.
var start = channel.FertilityStart{Delete: .1, One: .6, Two: .3, Insert: .02}

// copyShare is the probability with which the channel of the baseline copies a letter; the rest
// is distributed as at the start.
const copyShare = .9

// cascadeSystem is the model, letter n-gram ∘ channel ∘ table. If the letters are given, the
// first machine is a constant and is left out: in training, and in the direction from letters
// to katakana.
type cascadeSystem struct {
	letters  *transliteration.Column
	table    *table
	spread   *channel.Fertility // nil if the cascade was loaded
	channel  *channel.Model     // letters -> romaji -> katakana
	backward *channel.Model     // the same after the letter n-gram of the search

	search, rank *ngram.Model
	ways         []*transliteration.Transliterator // with the trained parameters
}

func newCascade(d *data) (*cascadeSystem, error) {
	t := d.table
	p := em.NewParams()
	ring := semiring.Semiring[expr.W](p.Space())
	spread, err := channel.NewFertility(p, "channel", labels(d.letters.Symbols), labels(t.romaji), start, em.Multinomial{})
	if err != nil {
		return nil, err
	}
	romaji, err := newTableMachine(t, ring)
	if err != nil {
		return nil, err
	}
	search, err := newSource(d, d.train, searchOrder)
	if err != nil {
		return nil, err
	}
	rank, err := bestSource(d)
	if err != nil {
		return nil, err
	}
	c := &cascadeSystem{
		letters: d.letters, table: t, spread: spread,
		channel: channel.New(p, spread.Machine, romaji),
		search:  search, rank: rank,
	}
	return c, c.addBackward()
}

// addBackward makes the cascade with the letter n-gram of the search as its first machine, with
// the parameters of the channel.
func (c *cascadeSystem) addBackward() error {
	p := c.channel.Params
	source, err := ngram.Acceptor(c.search, p.Space(), p.Space().Const)
	if err != nil {
		return err
	}
	c.backward = channel.New(p, append([]cascade.Stage{source}, c.channel.Stages...)...)
	return nil
}

// newSource trains a model of the letters of words.
func newSource(d *data, words []pair, order int) (*ngram.Model, error) {
	return ngram.Fit(order, int32(d.letters.Symbols.Len()-1), spellings(words), nil)
}

// bestSource trains the model, of an order up to maxOrder, that best predicts a part of the
// words when trained on the others.
func bestSource(d *data) (*ngram.Model, error) {
	known, new := program.HoldOut(d.train, transliteration.HeldOut)
	best, least := searchOrder, math.Inf(1)
	for order := searchOrder; order <= maxOrder && len(new) > 0; order++ {
		m, err := newSource(d, known, order)
		if err != nil {
			return nil, err
		}
		if p := m.Perplexity(spellings(new)); p < least {
			best, least = order, p
		}
	}
	return newSource(d, d.train, best)
}

// spellings yields the letters of words, with their weights.
func spellings(words []pair) iter.Seq2[[]int32, float64] {
	return func(yield func([]int32, float64) bool) {
		for _, p := range words {
			if !yield(p.x, p.weight) {
				return
			}
		}
	}
}

// labels returns all labels of a table of symbols except ε.
func labels(s *fst.Symbols) []int32 {
	all := make([]int32, s.Len()-1)
	for i := range all {
		all[i] = int32(i + 1)
	}
	return all
}

// examples returns the training pairs as examples for em.
func examples(pairs []pair) []cascade.Example {
	all := make([]cascade.Example, len(pairs))
	for i, p := range pairs {
		all[i] = cascade.Example{
			X: cascade.Labels(p.x...), Y: cascade.Labels(p.y...), Weight: em.Times(p.weight),
			Name: fmt.Sprintf("%s: %s %s", p.Where, p.Latin, p.Kana),
		}
	}
	return all
}

// outcome is a possible result of a letter: zero, one or two romaji.
type outcome struct {
	romaji string
	prob   float64
}

// outcomes returns the distribution of the letter's outcomes under theta, the most
// probable first.
func (c *cascadeSystem) outcomes(letter int32, theta []float64) []outcome {
	names := strings.Split(c.names(), "")
	p := c.group(letter).In(theta)
	all := make([]outcome, 0, len(p))
	all = append(all, outcome{"", p[0]})
	for j, first := range names {
		all = append(all, outcome{first, p[1+j]})
		for k, second := range names {
			all = append(all, outcome{first + second, p[1+len(names)*(1+j)+k]})
		}
	}
	slices.SortStableFunc(all, func(a, b outcome) int { return cmp.Compare(b.prob, a.prob) })
	return all
}

// names returns the letters of the romaji, in the order of their labels.
func (c *cascadeSystem) names() string {
	var b strings.Builder
	for _, l := range labels(c.table.romaji) {
		name, _ := c.table.romaji.Name(l)
		b.WriteString(name)
	}
	return b.String()
}

// group returns the parameters of a letter.
func (c *cascadeSystem) group(letter int32) *em.Group { return c.spread.Symbols[letter-1] }

// copying returns the parameters of a baseline channel: a letter that is also a letter of the
// romaji is usually copied.
func (c *cascadeSystem) copying() []float64 {
	theta := c.channel.Params.Start()
	for _, letter := range labels(c.letters.Symbols) {
		name, _ := c.letters.Symbols.Name(letter)
		same, ok := c.table.romaji.Find(name)
		if !ok {
			continue
		}
		p := c.group(letter).In(theta)
		for i := range p {
			p[i] *= 1 - copyShare
		}
		p[same] += copyShare // parameter 1 is label 1
	}
	return theta
}
