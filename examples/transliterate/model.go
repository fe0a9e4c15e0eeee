package main

import (
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/script"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/pairgram"
)

// The directions.
const (
	forward  = transliteration.Forward
	backward = transliteration.Backward
)

// kind is a kind of model of pairs: the sizes of its chunks, and whether it reads words from
// the end.
type kind struct {
	sizes    []pairgram.Size
	reversed bool
}

var (
	singletons = pairgram.Singletons()
	twofold    = append(pairgram.Singletons(), pairgram.Size{Source: 1, Target: 2}, pairgram.Size{Source: 2, Target: 1})
)

// kinds returns the kinds of models whose product decodes a direction, or the single best.
func kinds(dir int, single bool) []kind {
	all := []kind{{singletons, dir == forward}, {singletons, dir != forward}, {twofold, dir != forward}, {twofold, dir == forward}}
	if single {
		return all[:1]
	}
	return all
}

// searching says how answers are searched for in a direction. To letters, a third insertion
// after two others changes nothing on development pairs, and takes a part of the time.
func searching(dir int) *pairgram.PredictorOptions {
	if dir == backward {
		return &pairgram.PredictorOptions{Insertions: 2}
	}
	return nil
}

// model is models of pairs for the directions that it has.
type model struct {
	columns [len(transliteration.Directions)]*transliteration.Column // of what is to be transliterated
	// models are of type *pairgram.Predictor, or *pairgram.Conditional.
	models [len(transliteration.Directions)][]nbest.Predictor
	ways   []*transliteration.Transliterator // their products
}

// newModel returns a model without models that knows the symbols of pairs: letters in a form, and
// katakana as consonants and vowels. Katakana are composed where letters are not, too: the parts of
// a character would be no katakana.
func newModel(form script.Form, pairs []transliteration.Pair) *model {
	letters, kana := transliteration.NewColumn(form, false), transliteration.NewColumn(min(form, script.Composed), true)
	for _, p := range pairs {
		letters.Learn(p.Latin)
		kana.Learn(p.Kana)
	}
	return &model{columns: [...]*transliteration.Column{letters, kana}}
}

// lessons returns pairs as the models of a direction see them.
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

// add adds a joint model to those of a direction.
func (m *model) add(dir int, joint *pairgram.Model) error {
	p, err := joint.Predictor(searching(dir))
	m.models[dir] = append(m.models[dir], p)
	return err
}

// combine makes the products of the models.
func (m *model) combine() error {
	for dir, models := range m.models {
		if len(models) == 0 {
			continue
		}
		p, err := transliteration.Product(models)
		if err != nil {
			return err
		}
		m.ways = append(m.ways, &transliteration.Transliterator{Name: transliteration.Directions[dir], From: m.columns[dir], To: m.columns[1-dir], Predictor: p})
	}
	return nil
}

// describe writes what the models of a direction are.
func (m *model) describe(w io.Writer, dir int) {
	for _, p := range m.models[dir] {
		kind := ""
		joint, ok := p.(*pairgram.Predictor)
		if !ok {
			joint, kind = p.(*pairgram.Conditional).Joint(), "conditional, "
		}
		model, grams := joint.Model(), 0
		for length := 1; length <= model.NGrams().Order(); length++ {
			grams += model.NGrams().NumGrams(length)
		}
		end := "beginning"
		if model.Reversed() {
			end = "end"
		}
		fmt.Fprintf(w, "%s, %sread from the %s: %d chunks of %v, %d n-grams\n",
			transliteration.Directions[dir], kind, end, model.Chunks().Len(), model.Chunks().Sizes(), grams)
	}
}

// fileFormat is that of trained models: a head, and behind it the models as their packages save
// them.
const fileFormat saved.Format = "pathsum transliterate 4"

// head is what a file of models begins with.
type head struct {
	Letters, Kana transliteration.SavedColumn
	Cascade       bool                                 // of the program internal/experiments/katakanacascade
	Conditional   bool                                 // in place of joint models
	Models        [len(transliteration.Directions)]int // of pairs
}

// save writes the models, for load.
func (m *model) save(w io.Writer) error {
	h := head{Letters: m.columns[forward].Saved(), Kana: m.columns[backward].Saved()}
	var models []saved.Saver
	for dir, all := range m.models {
		h.Models[dir] = len(all)
		for _, p := range all {
			if joint, ok := p.(*pairgram.Predictor); ok {
				models = append(models, joint.Model())
			} else {
				h.Conditional = true
				models = append(models, p.(*pairgram.Conditional))
			}
		}
	}
	return fileFormat.WriteSeries(w, h, models...)
}

// load reads models, which answer as those that were saved.
func load(r io.Reader) (*model, error) {
	r = saved.Series(r)
	var h head
	if err := fileFormat.Read(r, &h); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	if h.Cascade {
		return nil, errors.New("it is a cascade, which internal/experiments/katakanacascade loads")
	}
	m := &model{columns: [...]*transliteration.Column{h.Letters.Column(), h.Kana.Column()}}
	for dir, n := range h.Models {
		for range n {
			if err := m.load(r, dir, h.Conditional); err != nil {
				return nil, err
			}
		}
	}
	if len(m.models[forward])+len(m.models[backward]) == 0 {
		return nil, errors.New("no models")
	}
	return m, m.combine()
}

// load reads a model of a direction.
func (m *model) load(r io.Reader, dir int, conditional bool) error {
	if conditional {
		c, err := pairgram.LoadConditional(r)
		m.models[dir] = append(m.models[dir], c)
		return err
	}
	joint, err := pairgram.Load(r)
	if err != nil {
		return err
	}
	return m.add(dir, joint)
}
