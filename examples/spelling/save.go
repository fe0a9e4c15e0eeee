package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/internal/tsv"
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
	Sounds                     *savedSounds `json:",omitempty"`
	Weights                    []float64
	Words                      []string
	Counts                     []float64
}

// savedSounds are the sounds of a saved speller: a dictionary, each pronunciation with spaces
// between its sounds, and n-grams.
type savedSounds struct {
	Words, Pronunciations []string
	Spoken, Heard, Phones []byte
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
	if m.sounds != nil {
		if s.Sounds, err = m.sounds.save(); err != nil {
			return err
		}
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
		return nil, fmt.Errorf("format %s, want %q", text.Quote(s.Format), savedFormat)
	case len(s.Words) != len(s.Counts) || len(s.Words) == 0:
		return nil, fmt.Errorf("%d words and %d counts of words", len(s.Words), len(s.Counts))
	}
	if want := len(initial(s.Sounds != nil)); len(s.Weights) != want {
		return nil, fmt.Errorf("%d exponents, want %d", len(s.Weights), want)
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
	if n := len(m.mixed.Theta); n != 2 {
		return nil, fmt.Errorf("%w: mixture of %d channels, want 2", em.ErrFormat, n)
	}
	var err error
	if m.pairs, err = pairgram.Load(bytes.NewReader(s.Pairs)); err != nil {
		return nil, err
	}
	if m.spelling, err = ngram.Load(bytes.NewReader(s.Spelling)); err != nil {
		return nil, err
	}
	if s.Sounds != nil {
		if m.sounds, err = s.Sounds.load(m.letters()); err != nil {
			return nil, err
		}
	}
	for i, w := range s.Words {
		m.lexicon = append(m.lexicon, word{w, s.Counts[i]})
	}
	return m, nil
}

// save returns s in the form in which load reads it.
func (s *sounds) save() (*savedSounds, error) {
	var parts [3]bytes.Buffer
	err := errors.Join(s.spoken.Save(&parts[0]), s.heard.Save(&parts[1]), s.phones.Save(&parts[2]))
	saved := &savedSounds{Spoken: parts[0].Bytes(), Heard: parts[1].Bytes(), Phones: parts[2].Bytes()}
	for _, d := range s.dictionary {
		saved.Words, saved.Pronunciations = append(saved.Words, d.word), append(saved.Pronunciations, strings.Join(d.sounds, " "))
	}
	return saved, err
}

// load returns the sounds that were saved. The dictionary is in its order, so that sounds have
// the labels that they had.
func (saved *savedSounds) load(letters *fst.Symbols) (*sounds, error) {
	if len(saved.Words) != len(saved.Pronunciations) {
		return nil, fmt.Errorf("%d words and %d pronunciations", len(saved.Words), len(saved.Pronunciations))
	}
	var dictionary []spoken
	for i, w := range saved.Words {
		dictionary = append(dictionary, spoken{w, tsv.Symbols(saved.Pronunciations[i])})
	}
	s := newSounds(dictionary, letters)
	var err error
	if s.spoken, err = pairgram.Load(bytes.NewReader(saved.Spoken)); err != nil {
		return nil, err
	}
	if s.heard, err = pairgram.Load(bytes.NewReader(saved.Heard)); err != nil {
		return nil, err
	}
	if s.phones, err = ngram.Load(bytes.NewReader(saved.Phones)); err != nil {
		return nil, err
	}
	return s, s.prepare()
}
