package main

import (
	"context"
	"errors"
	"math"
	"slices"

	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/pairgram"
)

// transcriber finds the targets of words; goroutines may share it.
type transcriber struct {
	columns
	symbols      symbols
	models       []*pairgram.Model       // those of all classes, one after the other
	classes      []float64               // probabilities of hidden classes; nil: there are none
	conditionals []*pairgram.Conditional // of the models, or none
	predictor    nbest.Predictor
}

// newTranscriber returns the product of joint models, or of mixtures of them.
func newTranscriber(c columns, s symbols, classes []float64, models ...*pairgram.Model) (*transcriber, error) {
	t := &transcriber{columns: c, symbols: s, classes: classes, models: models}
	var all []nbest.Predictor
	for _, m := range models {
		d, err := m.Predictor(nil)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return t, t.combine(all)
}

// conditionalTranscriber returns the product of conditional models.
func conditionalTranscriber(c columns, s symbols, all ...*pairgram.Conditional) (*transcriber, error) {
	t := &transcriber{columns: c, symbols: s, conditionals: all}
	var predictors []nbest.Predictor
	for _, m := range all {
		t.models, predictors = append(t.models, m.Joint().Model()), append(predictors, m)
	}
	return t, t.combine(predictors)
}

// combine makes t decode by predictors: those of the classes are mixed, and the mixtures are
// multiplied, with equal weights.
func (t *transcriber) combine(all []nbest.Predictor) (err error) {
	if t.classes != nil {
		var mixtures []nbest.Predictor
		for group := range slices.Chunk(all, len(t.classes)) {
			var mixed []nbest.Factor
			for k, d := range group {
				mixed = append(mixed, nbest.Factor{Predictor: d, Weight: t.classes[k]})
			}
			m, err := nbest.NewMixture(mixed...)
			if err != nil {
				return err
			}
			mixtures = append(mixtures, m)
		}
		all = mixtures
	}
	t.predictor, err = transliteration.Product(all)
	return err
}

// candidate is a target of a word.
type candidate struct {
	target []string
	// share is the target's part of the probability of all that were found for the word, less
	// what unknown symbols cost.
	share float64
}

// errNoTarget says that a word has no target.
var errNoTarget = errors.New("no target")

// transcribe returns the n best targets of a word, and the symbols that the models do not know.
// They are read as the closest symbols that are known, or left out. Where each symbol is known to
// a model, but all to none, those that the first one does not know are read so.
func (t *transcriber) transcribe(ctx context.Context, word []string, n int) (all []candidate, unknown script.Unknown, err error) {
	for _, models := range [][]*pairgram.Model{t.models, t.models[:1]} {
		var read []string
		read, unknown = script.Read(word, func(symbol string) bool { return t.symbols.knows(symbol, models) })
		x, err := t.symbols.word.Encode(read...)
		if err != nil || len(x) == 0 {
			return nil, unknown, err
		}
		best, err := t.predictor.Best(ctx, x, max(n, scored))
		if err == nil && len(best) > 0 {
			all, err = t.candidates(best, n, unknown)
		}
		if !errors.Is(err, nbest.ErrUnknown) {
			return all, unknown, err
		}
	}
	return nil, unknown, nil
}

// candidates returns the n best of what was found for a word with unknown symbols.
func (t *transcriber) candidates(best []nbest.Candidate, n int, unknown script.Unknown) ([]candidate, error) {
	all, total := make([]candidate, min(n, len(best))), 0.0
	for i, c := range best {
		share := math.Exp(c.LogProb - best[0].LogProb)
		total += share
		if i >= n {
			continue
		}
		all[i].share = share
		var err error
		if all[i].target, err = t.symbols.target.Decode(c.Labels); err != nil {
			return nil, err
		}
	}
	for i := range all {
		all[i].share *= math.Exp(unknown.LogPenalty(t.symbols.target.Len()-1)) / total
	}
	return all, nil
}

// knows reports whether one of the models knows the symbol of words.
func (s symbols) knows(symbol string, models []*pairgram.Model) bool {
	label, ok := s.word.Find(symbol)
	return ok && slices.ContainsFunc(models, func(m *pairgram.Model) bool { return m.Knows(label) })
}

// grams returns the number of n-grams of a model.
func grams(m *pairgram.Model) int {
	n := 0
	for length := 1; length <= m.NGrams().Order(); length++ {
		n += m.NGrams().NumGrams(length)
	}
	return n
}
