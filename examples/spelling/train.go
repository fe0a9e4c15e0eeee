package main

import (
	"context"
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// Settings, chosen on development data.
var (
	windows = []edit.Window{{}, {Left: 0, Right: 1}, {Left: 1, Right: 1}}
	// scoutPrior is the Dirichlet prior of the memoryless model.
	scoutPrior = em.Dirichlet{Alpha: 1.01}
)

const (
	// slipSigma is the standard deviation of the prior of the features of slips.
	slipSigma = 5
	// alignments is the number of iterations that align pairs, chunks the order of the
	// n-grams of chunks, and characters that of the n-grams of characters or sounds of words.
	alignments, chunks, characters = 11, 6, 5
)

// lessons are the pairs to learn from in the labels of their characters, and others that the
// models have not seen, with slips in their words.
type lessons struct {
	letters  *fst.Symbols
	alphabet []int32
	pairs    []edit.Pair
	examples []cascade.Example
	held     []pair
	// dictionary says how words are pronounced.
	dictionary []spoken
}

func newLessons(d *data) *lessons {
	l := &lessons{letters: fst.NewSymbols(), held: append(slices.Clone(d.dev), slipped(d.dev)...), dictionary: d.dictionary}
	add := func(text string) []int32 {
		labels := make([]int32, 0, len(text))
		for _, c := range text {
			labels = append(labels, l.letters.Add(string(c)))
		}
		return labels
	}
	for _, p := range d.train {
		x := edit.Pair{Source: add(p.word), Target: add(p.misspelt), Weight: em.Times(p.count)}
		l.pairs = append(l.pairs, x)
		l.examples = append(l.examples, cascade.Example{X: cascade.Labels(x.Source...), Y: cascade.Labels(x.Target...), Weight: x.Weight, Name: p.word + " " + p.misspelt})
	}
	for _, p := range l.held {
		add(p.misspelt)
	}
	for _, w := range d.lexicon {
		add(w.text)
	}
	for i := range l.letters.Len() - 1 {
		l.alphabet = append(l.alphabet, int32(i+1))
	}
	return l
}

// named returns m with names for what it writes.
func (l *lessons) named(m *edit.Model) (*edit.Model, error) {
	f, err := fst.Expand(m.Stages[0], nil)
	if err != nil {
		return nil, err
	}
	m.Stages[0] = f.WithSymbols(f.InSymbols(), l.letters)
	return m, nil
}

// trainer trains models.
type trainer struct {
	*lessons
	e       *experiment
	r       *program.Run
	options em.Options
	curves  curves
}

// memoryless trains the channel that looks for words.
func (t *trainer) memoryless(ctx context.Context, m *models) error {
	scout, err := edit.NewConditional(t.alphabet, t.alphabet, scoutPrior)
	if err != nil {
		return err
	}
	o := t.options
	o.Checkpoint = t.r.Checkpoint("scout")
	t.curves.add("memoryless", &o)
	if _, err := scout.Fit(ctx, cascade.Data{Examples: t.examples}, &o); err != nil {
		return err
	}
	m.scout, err = t.named(scout)
	return err
}

// inContext trains the channel in context, whose training is reported.
func (t *trainer) inContext(ctx context.Context, m *models) error {
	contextual, err := edit.NewContextual(t.alphabet, t.pairs, &edit.ContextOptions{Windows: windows})
	if err != nil {
		return err
	}
	o := t.options
	o.Checkpoint = t.r.Checkpoint()
	for level := range windows {
		t.r.Checkpoint(fmt.Sprint(level)) // where the channel keeps the training of each
	}
	t.curves.add("in context", &o)
	fit, err := contextual.Fit(ctx, t.pairs, &o)
	if fit != nil {
		t.r.Fitted(fit)
	}
	if err != nil {
		return err
	}
	if m.edits, err = t.named(&contextual.Model); err != nil {
		return err
	}
	if t.e.curve.Given() {
		return t.curves.draw(t.e.curve, len(t.pairs))
	}
	return nil
}

// slips trains the channel of slips.
func (t *trainer) slips(ctx context.Context, m *models) error {
	slips, err := edit.NewFeatured(t.alphabet, t.alphabet, slipsOf(t.letters), em.LogLinearOptions{Sigma: slipSigma})
	if err != nil {
		return err
	}
	if _, err := slips.Fit(ctx, cascade.Data{Examples: t.examples}, t.quiet()); err != nil {
		return err
	}
	m.slips, err = t.named(slips)
	return err
}

// quiet returns options without progress.
func (t *trainer) quiet() *em.Options {
	return &em.Options{Iterations: t.options.Iterations, Workers: t.options.Workers}
}

// mix makes the mixture of the channel in context and that of slips, and learns on
// held-out pairs how much of each there is.
func (t *trainer) mix(ctx context.Context, m *models) (err error) {
	if m.mixed, err = edit.NewMixture(m.edits, m.slips); err != nil {
		return err
	}
	var data cascade.Data
	for _, p := range t.held {
		x, ok := m.mixed.Labels(m.label(p.word))
		y := m.label(p.misspelt)
		if ok && len(x) > 1 && y != nil {
			data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...), Weight: em.Times(p.count)})
		}
	}
	if len(data.Examples) > 0 {
		_, err = m.mixed.Fit(ctx, data, t.quiet())
	}
	return err
}

// pair trains the n-grams of chunks of misspelt words with those of words, and the n-grams of
// the words.
func (t *trainer) pair(ctx context.Context, m *models) (err error) {
	var pairs []pairgram.Pair
	for _, p := range t.pairs {
		pairs = append(pairs, pairgram.Pair{Source: p.Target, Target: p.Source, Weight: p.Weight})
	}
	if m.pairs, err = t.chunks(ctx, pairs, fewer); err != nil {
		return err
	}
	m.spelling, err = targets(int32(t.letters.Len()-1), pairs)
	return err
}

// fewer is the smoothing of chunks of misspelt words: these are few, and each is spelt anew.
var fewer = ngram.Options{DiscountScale: []float64{1, 1.2}}

// chunks trains an n-gram model of chunks.
func (t *trainer) chunks(ctx context.Context, pairs []pairgram.Pair, smoothing ngram.Options) (*pairgram.Model, error) {
	recipe := pairgram.Recipe{Count: pairgram.CountOptions{Order: chunks}, Smoothing: smoothing}
	return recipe.Fit(ctx, pairs, &em.Options{Iterations: alignments, Tolerance: -1, Workers: t.options.Workers})
}

// targets trains an n-gram model of the targets of pairs, over the symbols 1 … vocabulary.
func targets(vocabulary int32, pairs []pairgram.Pair) (*ngram.Model, error) {
	return ngram.Fit(characters, vocabulary, func(yield func([]int32, float64) bool) {
		for _, p := range pairs {
			if !yield(p.Target, p.Weight.Float64()) {
				return
			}
		}
	}, nil)
}

// letters returns the characters that the models know.
func (m *models) letters() *fst.Symbols {
	_, letters := fst.SymbolsOf(m.edits.Stages[0])
	return letters
}

// label returns a word in labels, nil if it has a character that the models do not know.
func (m *models) label(text string) []int32 {
	labels, err := m.letters().EncodeRunes(text)
	if err != nil {
		return nil
	}
	return labels
}
