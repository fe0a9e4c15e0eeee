package main

import (
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/internal/pairset"
	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/pairgram"
)

// The directions.
const (
	forward  = transliteration.Forward
	backward = transliteration.Backward
)

var (
	singletons = pairgram.Singletons()
	twofold    = append(pairgram.Singletons(), pairgram.Size{Source: 1, Target: 2}, pairgram.Size{Source: 2, Target: 1})
)

// kinds returns the kinds of models whose product decodes a direction, or the best single kind.
func kinds(dir int, single bool) []pairset.Kind {
	toKana := dir == forward
	all := []pairset.Kind{{Sizes: singletons, Reversed: toKana}, {Sizes: singletons, Reversed: !toKana}, {Sizes: twofold, Reversed: !toKana}, {Sizes: twofold, Reversed: toKana}}
	if single {
		return all[:1]
	}
	return all
}

// searching returns the search options of a direction. To letters, a third consecutive
// insertion changes no result on development pairs, and takes a part of the time.
func searching(dir int) *pairgram.PredictorOptions {
	if dir == backward {
		return &pairgram.PredictorOptions{Insertions: 2}
	}
	return nil
}

// model has models of pairs for each trained direction.
type model struct {
	columns [len(transliteration.Directions)]*transliteration.Column // of the source strings
	sets    [len(transliteration.Directions)]*pairset.Set            // nil: none
	ways    []*transliteration.Transliterator                        // their products
	drawn   func() (program.Drawing, error)                          // nil for a loaded model
}

// newModel returns an untrained model with the symbols of pairs: letters in the given form, and
// katakana as consonants and vowels. Katakana are composed even if letters are not, because the
// parts of a character are not katakana.
func newModel(form script.Form, pairs []transliteration.Pair) *model {
	letters, kana := transliteration.NewColumn(form, false), transliteration.NewColumn(min(form, script.Composed), true)
	for _, p := range pairs {
		letters.Learn(p.Latin)
		kana.Learn(p.Kana)
	}
	return &model{columns: [...]*transliteration.Column{letters, kana}}
}

// lessons returns pairs as training pairs for a direction.
func (m *model) lessons(dir int, pairs []transliteration.Pair) []pairgram.Pair {
	all := make([]pairgram.Pair, len(pairs))
	for i, p := range pairs {
		x, y := m.columns[forward].Add(p.Latin), m.columns[backward].Add(p.Kana)
		if dir == backward {
			x, y = y, x
		}
		all[i] = pairgram.Pair{Source: x, Target: y, Name: fmt.Sprintf("%s: %s %s", p.Where, p.Latin, p.Kana)}
	}
	return all
}

// combine makes the products of the models.
func (m *model) combine() error {
	for dir, set := range m.sets {
		if set == nil {
			continue
		}
		p, err := set.Predictor(searching(dir))
		if err != nil {
			return err
		}
		m.ways = append(m.ways, &transliteration.Transliterator{Name: transliteration.Directions[dir], From: m.columns[dir], To: m.columns[1-dir], Predictor: p})
	}
	return nil
}

// fileFormat is the format of trained models: a head, followed by the models in the formats of
// their packages.
const fileFormat saved.Format = "pathsum transliterate 4"

// head is the beginning of a file of models.
type head struct {
	Letters, Kana transliteration.SavedColumn
	Cascade       bool                                 // instead of pair models; load rejects it
	Conditional   bool                                 // instead of joint models
	Models        [len(transliteration.Directions)]int // of pairs
}

// save writes the models in the format that load reads.
func (m *model) save(w io.Writer) error {
	h := head{Letters: m.columns[forward].Saved(), Kana: m.columns[backward].Saved()}
	var models []saved.Saver
	for dir, set := range m.sets {
		if set != nil {
			h.Models[dir], h.Conditional = len(set.Joint), len(set.Conditionals) > 0
			models = append(models, set.Savers()...)
		}
	}
	return fileFormat.WriteSeries(w, h, models...)
}

// load reads models, which answer like the saved ones.
func load(r io.Reader) (*model, error) {
	r = saved.Series(r)
	var h head
	if err := fileFormat.Read(r, &h); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	if h.Cascade {
		return nil, errors.New("it is a cascade, as internal/experiments/katakanacascade trains them, want models of pairs")
	}
	m := &model{columns: [...]*transliteration.Column{h.Letters.Column(), h.Kana.Column()}}
	for dir, n := range h.Models {
		if n == 0 {
			continue
		}
		var err error
		if m.sets[dir], err = pairset.Load(r, n, h.Conditional, nil); err != nil {
			return nil, err
		}
	}
	if m.sets[forward] == nil && m.sets[backward] == nil {
		return nil, errors.New("no models")
	}
	return m, m.combine()
}
