package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// savedFormat names the form of a saved speller.
const savedFormat = "pathsum spelling 1"

// saved is a speller as a JSON object: channels, n-grams as their packages save them, and
// the lexicon, so that nothing else is needed to correct words.
type saved struct {
	Format                     string
	Scout, Edits, Slips, Mixed json.RawMessage
	Pairs, Spelling            []byte
	Weights                    []float64
	Words                      []string
	Counts                     []float64
}

// save writes the models, for loadModels.
func (m *models) save(w io.Writer) error {
	var parts [6]bytes.Buffer
	err := errors.Join(m.scout.Save(&parts[0]), m.edits.Save(&parts[1]), m.slips.Save(&parts[2]), m.mixed.Save(&parts[3]),
		m.pairs.Save(&parts[4]), m.spelling.Save(&parts[5]))
	if err != nil {
		return err
	}
	s := saved{
		Format: savedFormat, Weights: m.weights,
		Scout: parts[0].Bytes(), Edits: parts[1].Bytes(), Slips: parts[2].Bytes(), Mixed: parts[3].Bytes(),
		Pairs: parts[4].Bytes(), Spelling: parts[5].Bytes(),
	}
	for _, w := range m.lexicon {
		s.Words, s.Counts = append(s.Words, w.text), append(s.Counts, w.count)
	}
	return json.NewEncoder(w).Encode(s)
}

// loadModels reads models, which correct as those that were saved.
func loadModels(r io.Reader) (*models, error) {
	var s saved
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return nil, fmt.Errorf("no saved model: %w", err)
	}
	switch {
	case s.Format != savedFormat:
		return nil, fmt.Errorf("format %q, want %q", s.Format, savedFormat)
	case len(s.Words) != len(s.Counts) || len(s.Words) == 0:
		return nil, fmt.Errorf("%d words and %d counts of words", len(s.Words), len(s.Counts))
	case len(s.Weights) != factors:
		return nil, fmt.Errorf("%d exponents, want %d", len(s.Weights), factors)
	}
	m := &models{weights: s.Weights}
	for _, part := range []struct {
		text json.RawMessage
		to   **edit.Model
	}{{s.Scout, &m.scout}, {s.Edits, &m.edits}, {s.Slips, &m.slips}, {s.Mixed, &m.mixed}} {
		var err error
		if *part.to, err = edit.Load(bytes.NewReader(part.text)); err != nil {
			return nil, err
		}
	}
	if m.letters() == nil {
		return nil, fmt.Errorf("%w: no characters", em.ErrFormat)
	}
	var err error
	if m.pairs, err = pairgram.Load(bytes.NewReader(s.Pairs)); err != nil {
		return nil, err
	}
	if m.spelling, err = ngram.Load(bytes.NewReader(s.Spelling)); err != nil {
		return nil, err
	}
	for i, w := range s.Words {
		m.lexicon = append(m.lexicon, word{w, s.Counts[i]})
	}
	return m, nil
}
