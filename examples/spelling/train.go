package main

import (
	"context"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/examples/internal/program"
	"example.org/pathsum/fst"
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
	// n-grams of chunks, and characters that of the n-grams of characters of words.
	alignments, chunks, characters = 11, 6, 5
)

// models are what is learnt: a memoryless channel that looks for words, the channel in context,
// the one of slips, and the mixture of these two; pair n-grams, and the n-grams of the words
// in the pairs; and the exponents of the product of all. The symbols of the outputs of
// channels are characters.
type models struct {
	scout, edits, slips, mixed *edit.Model
	pairs                      *pairgram.Model
	spelling                   *ngram.Model
	weights                    []float64
	lexicon                    []word
}

// letters returns the characters that the models know.
func (m *models) letters() *fst.Symbols { return m.edits.Cascade[0].OutSymbols() }

// label returns a word in labels, nil if it has a character that the models do not know.
func (m *models) label(text string) []int32 {
	labels, err := m.letters().EncodeRunes(text)
	if err != nil {
		return nil
	}
	return labels
}

// train trains the models, and reports how.
func (e *experiment) train(ctx context.Context, r *program.Run, d *data) (*speller, error) {
	letters := fst.NewSymbols()
	add := func(text string) []int32 {
		labels := make([]int32, 0, len(text))
		for _, c := range text {
			labels = append(labels, letters.Add(string(c)))
		}
		return labels
	}
	pairs := make([]edit.Pair, len(d.train))
	examples := make([]em.Example, len(d.train))
	for i, p := range d.train {
		pairs[i] = edit.Pair{Source: add(p.word), Target: add(p.misspelt), Weight: em.Times(p.count)}
		examples[i] = em.Example{X: em.Labels(pairs[i].Source...), Y: em.Labels(pairs[i].Target...), Weight: em.Times(p.count), Name: p.word + " " + p.misspelt}
	}
	held := append(slices.Clone(d.dev), slipped(d.dev)...)
	for _, p := range held {
		add(p.misspelt)
	}
	for _, w := range d.lexicon {
		add(w.text)
	}
	alphabet := make([]int32, letters.Len()-1)
	for i := range alphabet {
		alphabet[i] = int32(i + 1)
	}
	scout, err := edit.NewConditional(alphabet, alphabet, scoutPrior)
	if err != nil {
		return nil, err
	}
	progress := r.Progress("training", *e.iterations*(1+len(windows)))
	defer progress.Done()
	options := em.Options{Iterations: *e.iterations, Workers: *e.workers, Observer: progress.Observe}
	if *e.checkpoint != "" {
		options.Checkpoint = *e.checkpoint + ".scout"
	}
	var c curves
	c.add("memoryless", &options)
	if _, err := scout.Fit(ctx, em.Data{Examples: examples}, &options); err != nil {
		return nil, err
	}
	options.Checkpoint = *e.checkpoint
	options.Observer = progress.Observe
	c.add("in context", &options)
	contextual, err := edit.NewContextual(alphabet, pairs, &edit.ContextOptions{Windows: windows})
	if err != nil {
		return nil, err
	}
	fit, err := contextual.Fit(ctx, pairs, &options)
	if fit != nil {
		r.Fitted(fit)
	}
	if err != nil {
		return nil, err
	}
	if e.curve.Given() {
		if err := c.draw(e.curve, len(d.train)); err != nil {
			return nil, err
		}
	}
	slips, err := edit.NewFeatured(alphabet, alphabet, slipsOf(letters), em.LogLinearOptions{Sigma: slipSigma})
	if err != nil {
		return nil, err
	}
	quiet := em.Options{Iterations: *e.iterations, Workers: *e.workers}
	if _, err := slips.Fit(ctx, em.Data{Examples: examples}, &quiet); err != nil {
		return nil, err
	}
	m := &models{scout: scout, edits: &contextual.Model, slips: slips, lexicon: d.lexicon}
	for _, m := range []*edit.Model{scout, m.edits, slips} {
		f := m.Cascade[0]
		m.Cascade[0] = f.WithSymbols(f.InSymbols(), letters)
	}
	if err := m.mix(ctx, held, &quiet); err != nil {
		return nil, err
	}
	if err := m.pair(ctx, pairs, *e.workers); err != nil {
		return nil, err
	}
	s, err := newSpeller(m)
	if err != nil {
		return nil, err
	}
	return s, s.learn(ctx, held)
}

// mix makes the mixture of the channel in context and that of slips, and learns on
// held-out pairs how much of each there is.
func (m *models) mix(ctx context.Context, held []pair, opts *em.Options) (err error) {
	if m.mixed, err = edit.NewMixture(m.edits, m.slips); err != nil {
		return err
	}
	var data em.Data
	for _, p := range held {
		x, ok := m.mixed.Labels(m.label(p.word))
		y := m.label(p.misspelt)
		if ok && len(x) > 1 && y != nil {
			data.Examples = append(data.Examples, em.Example{X: em.Labels(x...), Y: em.Labels(y...), Weight: em.Times(p.count)})
		}
	}
	if len(data.Examples) > 0 {
		_, err = m.mixed.Fit(ctx, data, opts)
	}
	return err
}

// pair trains the n-grams of chunks of misspelt words with those of words, and those of
// the words.
func (m *models) pair(ctx context.Context, channel []edit.Pair, workers int) (err error) {
	var pairs []pairgram.Pair
	for _, p := range channel {
		pairs = append(pairs, pairgram.Pair{Source: p.Target, Target: p.Source, Weight: p.Weight})
	}
	recipe := pairgram.Recipe{Count: pairgram.CountOptions{Order: chunks}, Smoothing: ngram.Options{DiscountScale: []float64{1, 1.2}}}
	if m.pairs, err = recipe.Fit(ctx, pairs, &em.Options{Iterations: alignments, Tolerance: -1, Workers: workers}); err != nil {
		return err
	}
	m.spelling, err = ngram.Fit(characters, int32(m.letters().Len()-1), func(yield func([]int32, float64) bool) {
		for _, p := range pairs {
			if !yield(p.Target, p.Weight.Float64()) {
				return
			}
		}
	}, nil)
	return err
}
