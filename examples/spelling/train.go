package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/keyboard"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/speller"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// Settings, chosen on development data.
var (
	windows = []edit.Window{{}, {Left: 0, Right: 1}, {Left: 1, Right: 1}}
	// scoutPrior is the Dirichlet prior of the memoryless model.
	scoutPrior = em.Dirichlet{Alpha: 1.01}
	// fewer is the smoothing of chunks of misspelt words, which are few and have individual
	// spellings.
	fewer = ngram.Options{DiscountScale: []float64{1, 1.2}}
)

const (
	// slipSigma is the standard deviation of the prior of the features of slips.
	slipSigma = 5
	// alignments is the number of iterations that align pairs, chunks the order of the n-grams
	// of chunks, and characters the order of the n-grams of characters or sounds of words.
	alignments, chunks, characters = 11, 6, 5
)

// trainer trains the models of a speller on pairs in the labels of their characters. Held-out
// pairs, with slips added to their words, serve for the mixture and the exponents.
type trainer struct {
	r        *program.Run
	options  em.Options
	letters  *fst.Symbols
	alphabet []int32
	pairs    []edit.Pair
	examples []cascade.Example // the pairs
	held     []speller.Pair
	sounds   []speller.Pronunciation
}

// fit trains the models, and reports the training. Each step needs the preceding ones; the
// mixture and the exponents are learnt from pairs that the models have not seen.
func (f *flags) fit(ctx context.Context, r *program.Run, s *speller.Speller, d *data) error {
	progress := r.Progress("training", *f.iterations*(1+len(windows)))
	defer progress.Done()
	t := newTrainer(r, d)
	t.options = em.Options{Iterations: *f.iterations, Workers: *f.workers, Observer: progress.Observe}
	for _, step := range []func(context.Context, *speller.Speller) error{
		t.memoryless, t.inContext, t.slips, t.mix, t.pair, t.hear,
	} {
		if err := step(ctx, s); err != nil {
			return err
		}
	}
	if err := s.Prepare(); err != nil {
		return err
	}
	return s.Learn(ctx, t.held)
}

func newTrainer(r *program.Run, d *data) *trainer {
	t := &trainer{r: r, letters: fst.NewSymbols(), held: append(slices.Clone(d.dev), slipped(d.dev)...), sounds: d.dictionary}
	add := func(text string) []int32 {
		labels := make([]int32, 0, len(text))
		for _, c := range text {
			labels = append(labels, t.letters.Add(string(c)))
		}
		return labels
	}
	for _, p := range d.train {
		x := edit.Pair{Source: add(p.Word), Target: add(p.Misspelt), Weight: em.Times(p.Count)}
		t.pairs = append(t.pairs, x)
		t.examples = append(t.examples, cascade.Example{X: cascade.Labels(x.Source...), Y: cascade.Labels(x.Target...), Weight: x.Weight, Name: p.Word + " " + p.Misspelt})
	}
	for _, p := range t.held {
		add(p.Misspelt)
	}
	for _, w := range d.lexicon {
		add(w.Text)
	}
	for i := range t.letters.Len() - 1 {
		t.alphabet = append(t.alphabet, int32(i+1))
	}
	return t
}

// slipped returns the words of pairs that have two letters or more, all of keys, with one slip
// each. They are added to the development pairs.
func slipped(pairs []speller.Pair) []speller.Pair {
	rng := rand.New(rand.NewPCG(0, 1))
	var more []speller.Pair
	for _, p := range pairs {
		if keyboard.Typed(p.Word) && len(p.Word) >= 2 {
			if m := keyboard.Slip(rng, p.Word, len(more)); m != p.Word {
				more = append(more, speller.Pair{Word: p.Word, Misspelt: m, Count: p.Count})
			}
		}
	}
	return more
}

// memoryless trains the channel that searches for candidates.
func (t *trainer) memoryless(ctx context.Context, s *speller.Speller) error {
	scout, err := edit.NewConditional(t.alphabet, t.alphabet, scoutPrior)
	if err != nil {
		return err
	}
	o := t.options
	o.Checkpoint = t.r.Checkpoint("scout")
	fit, err := scout.Fit(ctx, cascade.Data{Examples: t.examples}, &o)
	if err != nil {
		return err
	}
	t.r.Curve("memoryless", 1, fit.Objective)
	s.Scout, err = t.named(scout)
	return err
}

// inContext trains the channel in context, and reports its training.
func (t *trainer) inContext(ctx context.Context, s *speller.Speller) error {
	contextual, err := edit.NewContextual(t.alphabet, t.pairs, &edit.ContextOptions{Windows: windows})
	if err != nil {
		return err
	}
	o := t.options
	o.Checkpoint = t.r.Checkpoint()
	for level := range windows {
		t.r.Checkpoint(fmt.Sprint(level)) // the channel keeps a file for the training of each level
	}
	fit, err := contextual.Fit(ctx, t.pairs, &o)
	if fit != nil {
		t.r.Fitted(fit)
	}
	if err != nil {
		return err
	}
	t.r.Curve("in context", 1, fit.Objective)
	s.Edits, err = t.named(&contextual.Model)
	return err
}

// named returns m with names for its output symbols.
func (t *trainer) named(m *edit.Model) (*edit.Model, error) {
	f, err := fst.Expand(m.Stages[0], nil)
	if err != nil {
		return nil, err
	}
	m.Stages[0] = f.WithSymbols(f.InSymbols(), t.letters)
	return m, nil
}

// slips trains the channel of slips.
func (t *trainer) slips(ctx context.Context, s *speller.Speller) error {
	slips, err := edit.NewFeatured(t.alphabet, t.alphabet, keyboard.Features(t.letters), em.LogLinearOptions{Sigma: slipSigma})
	if err != nil {
		return err
	}
	if _, err := slips.Fit(ctx, cascade.Data{Examples: t.examples}, t.quiet()); err != nil {
		return err
	}
	s.Slips, err = t.named(slips)
	return err
}

// quiet returns options without progress.
func (t *trainer) quiet() *em.Options {
	return &em.Options{Iterations: t.options.Iterations, Workers: t.options.Workers}
}

// mix makes the mixture of the channel in context and the channel of slips, and learns their
// weights on held-out pairs.
func (t *trainer) mix(ctx context.Context, s *speller.Speller) (err error) {
	if s.Mixed, err = edit.NewMixture(s.Edits, s.Slips); err != nil {
		return err
	}
	var data cascade.Data
	for _, p := range t.held {
		x, ok := s.Mixed.Labels(s.Label(p.Word))
		y := s.Label(p.Misspelt)
		if ok && len(x) > 1 && y != nil {
			data.Examples = append(data.Examples, cascade.Example{X: cascade.Labels(x...), Y: cascade.Labels(y...), Weight: em.Times(p.Count)})
		}
	}
	if len(data.Examples) > 0 {
		_, err = s.Mixed.Fit(ctx, data, t.quiet())
	}
	return err
}

// pair trains the n-grams of aligned chunks of misspelt and correct words, and the n-grams of
// the correct words.
func (t *trainer) pair(ctx context.Context, s *speller.Speller) (err error) {
	var pairs []pairgram.Pair
	for _, p := range t.pairs {
		pairs = append(pairs, pairgram.Pair{Source: p.Target, Target: p.Source, Weight: p.Weight})
	}
	if s.Pairs, err = t.chunks(ctx, pairs, fewer); err != nil {
		return err
	}
	s.Spelling, err = targets(int32(t.letters.Len()-1), pairs)
	return err
}

// hear learns how words are pronounced, and then how people spell the sounds.
func (t *trainer) hear(ctx context.Context, s *speller.Speller) (err error) {
	if len(t.sounds) == 0 {
		return nil
	}
	sounds := speller.NewSounds(t.sounds, t.letters)
	dictionary := sounds.Pairs()
	if len(dictionary) == 0 {
		return fmt.Errorf("-sounds: no word is of the characters of the data")
	}
	if sounds.Spoken, err = t.chunks(ctx, dictionary, ngram.Options{}); err != nil {
		return err
	}
	if err := sounds.Prepare(); err != nil {
		return err
	}
	var pairs []pairgram.Pair
	for _, p := range t.pairs {
		all, err := sounds.Of(ctx, p.Source)
		if err != nil {
			return err
		}
		for _, a := range all {
			pairs = append(pairs, pairgram.Pair{Source: p.Target, Target: a, Weight: em.Times(p.Weight.Float64() / float64(len(all)))})
		}
	}
	if sounds.Heard, err = t.chunks(ctx, pairs, fewer); err != nil {
		return err
	}
	sounds.Phones, err = targets(sounds.Number(), pairs)
	s.Sounds = sounds
	return err
}

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
