package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/examples/internal/transliteration"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// fileFormat is that of trained models.
const fileFormat saved.Format = "pathsum transliterate 2"

// savedModel is a trained model in a file, its parts as their packages save them: models of
// pairs, or a cascade. The table of romaji is that of the program.
type savedModel struct {
	Letters, Kana         transliteration.SavedColumn // Kana: of models of pairs
	Pairs, Conditional    [len(directionNames)][][]byte
	Channel, Search, Rank []byte
}

// writer collects what parts of models write.
type writer struct{ err error }

func (w *writer) text(save func(io.Writer) error) []byte {
	var b bytes.Buffer
	w.err = errors.Join(w.err, save(&b))
	return b.Bytes()
}

// save writes the cascade, for loadModel.
func (c *cascade) save(to io.Writer) error {
	var w writer
	s := savedModel{Letters: c.letters.Saved(), Channel: w.text(c.channel.Save), Search: w.text(c.search.Save), Rank: w.text(c.rank.Save)}
	if w.err != nil {
		return w.err
	}
	return fileFormat.Write(to, s)
}

// save writes the models, for loadModel.
func (p *pairSystem) save(to io.Writer) error {
	var w writer
	s := savedModel{Letters: p.columns[forward].Saved(), Kana: p.columns[backward].Saved()}
	for dir, models := range p.models {
		for _, m := range models {
			switch m := m.(type) {
			case *pairgram.Predictor:
				s.Pairs[dir] = append(s.Pairs[dir], w.text(m.Model().Save))
			case *pairgram.Conditional:
				s.Conditional[dir] = append(s.Conditional[dir], w.text(m.Save))
			}
		}
	}
	if w.err != nil {
		return w.err
	}
	return fileFormat.Write(to, s)
}

// loadModel reads a model, which answers as the one that was saved: a cascade or models of
// pairs, the other being nil.
func loadModel(r io.Reader, t *table) (*cascade, *pairSystem, error) {
	var s savedModel
	if err := fileFormat.Read(r, &s); err != nil {
		return nil, nil, fmt.Errorf("no saved model: %w", err)
	}
	if len(s.Channel) > 0 {
		c, err := s.cascade(t)
		return c, nil, err
	}
	p, err := s.pairs()
	return nil, p, err
}

func (s *savedModel) cascade(t *table) (*cascade, error) {
	c := &cascade{letters: s.Letters.Column(), table: t}
	var err error
	if c.channel, err = channel.Load(bytes.NewReader(s.Channel)); err != nil {
		return nil, err
	}
	if c.search, err = ngram.Load(bytes.NewReader(s.Search)); err != nil {
		return nil, err
	}
	if c.rank, err = ngram.Load(bytes.NewReader(s.Rank)); err != nil {
		return nil, err
	}
	return c, c.addBackward()
}

func (s *savedModel) pairs() (*pairSystem, error) {
	p := &pairSystem{columns: [...]*transliteration.Column{s.Letters.Column(), s.Kana.Column()}}
	n := 0
	for dir := range p.models {
		for _, text := range s.Pairs[dir] {
			m, err := pairgram.Load(bytes.NewReader(text))
			if err != nil {
				return nil, err
			}
			d, err := m.Predictor(nil)
			if err != nil {
				return nil, err
			}
			p.models[dir] = append(p.models[dir], d)
		}
		for _, text := range s.Conditional[dir] {
			m, err := pairgram.LoadConditional(bytes.NewReader(text))
			if err != nil {
				return nil, err
			}
			p.models[dir] = append(p.models[dir], m)
		}
		n += len(p.models[dir])
	}
	if n == 0 {
		return nil, errors.New("no models")
	}
	return p, nil
}
