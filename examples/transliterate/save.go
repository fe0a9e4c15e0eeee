package main

import (
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/transliteration"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// fileFormat is that of trained models: a head, and behind it the models as their packages save
// them.
const fileFormat saved.Format = "pathsum transliterate 4"

// head is what a file of models begins with. The table of romaji is that of the program.
type head struct {
	Letters, Kana transliteration.SavedColumn // Kana: of models of pairs
	Cascade       bool
	Conditional   bool                                 // in place of joint models
	Models        [len(transliteration.Directions)]int // of pairs
}

// saver is a model that its package saves.
type saver interface{ Save(io.Writer) error }

// write writes a head and the models behind it.
func write(w io.Writer, h head, models ...saver) error {
	if err := fileFormat.Write(w, h); err != nil {
		return err
	}
	for _, m := range models {
		if err := m.Save(w); err != nil {
			return err
		}
	}
	return nil
}

// save writes the cascade, for loadModel.
func (c *cascadeSystem) save(w io.Writer) error {
	return write(w, head{Letters: c.letters.Saved(), Cascade: true}, c.search, c.rank, c.channel)
}

// save writes the models, for loadModel.
func (p *pairSystem) save(w io.Writer) error {
	h := head{Letters: p.columns[forward].Saved(), Kana: p.columns[backward].Saved()}
	var models []saver
	for dir, all := range p.models {
		h.Models[dir] = len(all)
		for _, m := range all {
			if joint, ok := m.(*pairgram.Predictor); ok {
				models = append(models, joint.Model())
			} else {
				h.Conditional = true
				models = append(models, m.(*pairgram.Conditional))
			}
		}
	}
	return write(w, h, models...)
}

// loadModel reads a model, which answers as the one that was saved: a cascade or models of
// pairs, the other being nil.
func loadModel(r io.Reader, t *table) (*cascadeSystem, *pairSystem, error) {
	r = saved.Series(r)
	var h head
	if err := fileFormat.Read(r, &h); err != nil {
		return nil, nil, fmt.Errorf("no saved model: %w", err)
	}
	if h.Cascade {
		c, err := h.cascade(r, t)
		return c, nil, err
	}
	p, err := h.pairs(r)
	return nil, p, err
}

func (h *head) cascade(r io.Reader, t *table) (*cascadeSystem, error) {
	c := &cascadeSystem{letters: h.Letters.Column(), table: t}
	var err error
	if c.search, err = ngram.Load(r); err != nil {
		return nil, err
	}
	if c.rank, err = ngram.Load(r); err != nil {
		return nil, err
	}
	if c.channel, err = channel.Load(r); err != nil {
		return nil, err
	}
	return c, c.addBackward()
}

func (h *head) pairs(r io.Reader) (*pairSystem, error) {
	p := &pairSystem{columns: [...]*transliteration.Column{h.Letters.Column(), h.Kana.Column()}}
	for dir, n := range h.Models {
		for range n {
			m, err := h.pairModel(r, dir)
			if err != nil {
				return nil, err
			}
			p.models[dir] = append(p.models[dir], m)
		}
	}
	if len(p.models[forward])+len(p.models[backward]) == 0 {
		return nil, errors.New("no models")
	}
	return p, nil
}

func (h *head) pairModel(r io.Reader, dir int) (nbest.Predictor, error) {
	if h.Conditional {
		return pairgram.LoadConditional(r)
	}
	m, err := pairgram.Load(r)
	if err != nil {
		return nil, err
	}
	return m.Predictor(searching(dir))
}
