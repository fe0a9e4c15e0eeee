package main

import (
	"context"
	"errors"
	"math"
	"slices"

	"example.org/pathsum/internal/script"
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
	readers      []reader
}

// reader is a way to transcribe: by all models together, or by one. It is asked if those before
// it find nothing. A model gives probability 0 to a target with chunks that it does not have,
// and so models may agree on none.
type reader struct {
	predictor nbest.Predictor
	models    []*pairgram.Model // whose symbols it knows
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
// multiplied, with equal weights. Where that gives no candidates, each by itself decodes.
func (t *transcriber) combine(all []nbest.Predictor) error {
	var single []reader
	for i, d := range all {
		if len(all) > 1 {
			single = append(single, reader{d, t.models[i : i+1]})
		}
	}
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
	if len(all) == 1 {
		t.readers = append([]reader{{all[0], t.models}}, single...)
		return nil
	}
	var factors []nbest.Factor
	for _, d := range all {
		factors = append(factors, nbest.Factor{Predictor: d, Weight: 1 / float64(len(all))})
	}
	p, err := nbest.NewProduct(factors...)
	t.readers = append([]reader{{p, t.models}}, single...)
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
// They are read as the closest symbols that are known, or left out. The first reader with a
// target answers.
func (t *transcriber) transcribe(ctx context.Context, word []string, n int) ([]candidate, script.Unknown, error) {
	var unknown script.Unknown
	for i, r := range t.readers {
		read, strange := script.Read(word, func(symbol string) bool { return t.symbols.knows(symbol, r.models) })
		if i == 0 {
			unknown = strange
		}
		if len(read) == 0 {
			continue
		}
		x, err := t.symbols.word.Encode(read...)
		if err != nil {
			return nil, strange, err
		}
		best, err := r.predictor.Best(ctx, x, max(n, scored))
		if err != nil && !errors.Is(err, nbest.ErrUnknown) {
			return nil, strange, err
		}
		if len(best) > 0 {
			all, err := t.candidates(best, n, strange)
			return all, strange, err
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
		if all[i].target, err = t.symbols.target.Decode(c.Target); err != nil {
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
