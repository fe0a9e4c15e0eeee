package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/pairgram"
)

// transcriber finds the targets of words; goroutines may share it.
type transcriber struct {
	word, target side
	symbols      symbols
	models       []*pairgram.Model
	predictor    nbest.Predictor
	conditionals []*pairgram.Conditional // of the models, or none
}

func newTranscriber(word, target side, s symbols, models ...*pairgram.Model) (*transcriber, error) {
	t := &transcriber{word: word, target: target, symbols: s, models: models}
	var all []nbest.Predictor
	for _, m := range models {
		d, err := m.Predictor(nil)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return t, t.multiply(all)
}

// multiply makes t decode by the product of predictors, with equal weights.
func (t *transcriber) multiply(all []nbest.Predictor) (err error) {
	if len(all) == 1 {
		t.predictor = all[0]
		return nil
	}
	var factors []nbest.Factor
	for _, d := range all {
		factors = append(factors, nbest.Factor{Predictor: d, Weight: 1 / float64(len(all))})
	}
	t.predictor, err = nbest.NewProduct(factors...)
	return err
}
func conditionalTranscriber(word, target side, s symbols, all ...*pairgram.Conditional) (*transcriber, error) {
	t := &transcriber{word: word, target: target, symbols: s, conditionals: all}
	var predictors []nbest.Predictor
	for _, c := range all {
		t.models, predictors = append(t.models, c.Joint().Model()), append(predictors, c)
	}
	return t, t.multiply(predictors)
}

// errUnknown says that a word has a symbol that no training word has.
var errUnknown = errors.New("unknown symbol")

// isUnknown reports whether an error is about a symbol that no model knows.
func isUnknown(err error) bool {
	return errors.Is(err, errUnknown) || errors.Is(err, nbest.ErrUnknown)
}

// transcribe returns the n best targets of a word. The error wraps errUnknown if it has
// a symbol that the models do not know.
func (t *transcriber) transcribe(ctx context.Context, word []string, n int) ([][]string, error) {
	for i, s := range word {
		if _, ok := t.symbols.word.Find(s); !ok {
			return nil, fmt.Errorf("%w %q at position %d", errUnknown, s, i+1)
		}
	}
	x, err := t.symbols.word.Encode(word...)
	if err != nil {
		return nil, err
	}
	best, err := t.predictor.Best(ctx, x, n)
	if err != nil {
		return nil, err
	}
	all := make([][]string, len(best))
	for i, c := range best {
		if all[i], err = t.symbols.target.Decode(c.Target); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fileFormat is that of a file of models, which holds a head; the models follow.
const fileFormat saved.Format = "pathsum g2p 1"

// head is what a file of models begins with.
type head struct {
	Word, Target       side
	WordSymbols, Names []string
	Models             int
	Conditional        bool // in place of the models
}

// save writes the models, for loadTranscriber.
func (t *transcriber) save(w io.Writer) error {
	h := head{t.word, t.target, names(t.symbols.word), names(t.symbols.target), len(t.models), len(t.conditionals) > 0}
	if err := fileFormat.Write(w, h); err != nil {
		return err
	}
	if h.Conditional {
		for _, c := range t.conditionals {
			if err := c.Save(w); err != nil {
				return err
			}
		}
		return nil
	}
	for _, m := range t.models {
		if err := m.Save(w); err != nil {
			return err
		}
	}
	return nil
}

// loadTranscriber reads what save wrote.
func loadTranscriber(file string) (*transcriber, error) {
	f, err := tsv.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	bad := func(err error) (*transcriber, error) {
		return nil, fmt.Errorf("%s: no models: %w", tsv.Name(file), err)
	}
	var h head
	if err := fileFormat.Read(r, &h); err != nil {
		return bad(err)
	}
	s := symbols{fst.NewSymbols(h.WordSymbols...), fst.NewSymbols(h.Names...)}
	if h.Conditional {
		var all []*pairgram.Conditional
		for range h.Models {
			c, err := pairgram.LoadConditional(r)
			if err != nil {
				return bad(err)
			}
			all = append(all, c)
		}
		return conditionalTranscriber(h.Word, h.Target, s, all...)
	}
	var models []*pairgram.Model
	for range h.Models {
		m, err := pairgram.Load(r)
		if err != nil {
			return bad(err)
		}
		models = append(models, m)
	}
	return newTranscriber(h.Word, h.Target, s, models...)
}

// names returns the names of all symbols but ε, in the order of their labels.
func names(s *fst.Symbols) []string {
	var all []string
	for label, name := range s.All() {
		if label != fst.Epsilon {
			all = append(all, name)
		}
	}
	return all
}

// testData reads pairs to test loaded models with.
func (t *transcriber) testData(file string, swap bool) (*data, error) {
	pairs, err := tsv.Collect(tsv.PairsOf(file))
	if err != nil {
		return nil, err
	}
	d := &data{word: t.word, target: t.target}
	for i := range pairs {
		if swap {
			pairs[i].Left, pairs[i].Right = pairs[i].Right, pairs[i].Left
		}
	}
	d.test = d.items(pairs, file)
	return d, nil
}

// grams returns the number of n-grams of a model.
func grams(m *pairgram.Model) int {
	n := 0
	for length := 1; length <= m.NGrams().Order(); length++ {
		n += m.NGrams().NumGrams(length)
	}
	return n
}
